#include "lockstep.hpp"

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/Path.h>

#include "flatten.hpp"
#include "names.hpp"
#include "uniform.hpp"
#include "versions.hpp"

namespace simt::pass {

using namespace llvm;

namespace {

constexpr const char* meeting_name = "_ZN4simt6detail11in_lockstepEPVKvj";

/// The same for each thread wherever and whenever it is asked.
bool is_fixed(const Instruction& i) {
  if (loads_parameter(i)) return true;
  const auto* const call = dyn_cast<CallBase>(&i);
  if (call == nullptr) {
    return isa<BinaryOperator>(i) || isa<CastInst>(i) || isa<GetElementPtrInst>(i) ||
           isa<CmpInst>(i) || isa<SelectInst>(i);
  }
  const StringRef name = machine_call(*call);
  return name == "thread_index" || name == "lane_index" || name == "block_index" ||
         name == "block_size" || name == "grid_size" || name == "dynamic_shared" ||
         name == "shared_object";
}

/// What may be accessed by several threads, from one place in the code.
struct access {
  Instruction* by;
  Value* pointer;
  const Value* object;
  bool is_volatile, writes;
};

class meeting_finder {
 public:
  meeting_finder(Function& f, FunctionAnalysisManager& analyses)
      : f_(f),
        loops_(analyses.getResult<LoopAnalysis>(f)),
        dominators_(analyses.getResult<DominatorTreeAnalysis>(f)),
        after_(analyses.getResult<PostDominatorTreeAnalysis>(f)),
        same_(f, loops_, after_) {}

  std::string run(ArrayRef<CallBase*> notes) {
    find_accesses(notes);
    if (none_of(accesses_, [](const access& a) { return a.is_volatile && a.writes; })) return "";
    find_ways_that_meet();
    const ReversePostOrderTraversal<Function*> order(&f_);
    do {
      settle(order);
    } while (place(order));
    return put();
  }

 private:
  // --- what there is ---

  void find_accesses(ArrayRef<CallBase*> notes) {
    SmallPtrSet<const Instruction*, 16> noted;
    for (const CallBase* const note : notes) {
      for (const Instruction* i = note->getNextNode(); i != nullptr; i = i->getNextNode()) {
        if (!i->isVolatile()) continue;
        noted.insert(i);
        break;
      }
    }
    for (Instruction& i : instructions(f_)) {
      Value* pointer = getLoadStorePointerOperand(&i);
      if (auto* const update = dyn_cast<AtomicRMWInst>(&i)) pointer = update->getPointerOperand();
      if (auto* const swap = dyn_cast<AtomicCmpXchgInst>(&i)) pointer = swap->getPointerOperand();
      if (pointer != nullptr) add(i, pointer, noted.contains(&i), !isa<LoadInst>(i));
      if (auto* const call = dyn_cast<CallBase>(&i)) add_call(*call);
    }
  }

  void add_call(CallBase& call) {
    if (auto* const set = dyn_cast<MemIntrinsic>(&call)) {
      add(call, set->getRawDest(), false, true);
      if (auto* const copy = dyn_cast<MemTransferInst>(&call)) {
        add(call, copy->getRawSource(), false, false);
      }
    } else if (machine_call(call) == "atomic_update") {
      add(call, call.getArgOperand(0), false, true);
    }
  }

  void add(Instruction& by, Value* pointer, bool is_volatile, bool writes) {
    const Value* const object = getUnderlyingObject(pointer, 0);
    const auto* const parameter = dyn_cast<Argument>(object);
    if (isa<AllocaInst>(object) || loads_parameter(by) ||
        (parameter != nullptr && parameter->hasByValAttr())) {
      return;
    }
    of_[&by].push_back(static_cast<unsigned>(accesses_.size()));
    accesses_.push_back({&by, pointer, object, is_volatile, writes});
  }

  // --- what has to come one after the other ---

  static StringRef space_of(const Value& object) {
    if (isa<GlobalVariable>(object)) return "variable";
    if (isa<Argument>(object)) return "parameter";
    const auto* const i = dyn_cast<Instruction>(&object);
    if (i == nullptr) return "";
    if (loads_parameter(*i)) return "parameter";
    const auto* const call = dyn_cast<CallBase>(i);
    const StringRef name = call != nullptr ? machine_call(*call) : "";
    return name == "shared_object" || name == "dynamic_shared" ? name : "";
  }

  bool is_same_object(const Value& a, const Value& b) const {
    if (space_of(a) != "shared_object" || space_of(b) != "shared_object") return is_same(a, b);
    return cast<CallBase>(a).getArgOperand(0)->stripPointerCasts() ==
           cast<CallBase>(b).getArgOperand(0)->stripPointerCasts();
  }

  bool may_be_one(const Value& a, const Value& b) const {
    const StringRef x = space_of(a), y = space_of(b);
    if (x.empty() || y.empty()) return true;
    if (x != y)
      return (x == "variable" && y == "parameter") || (x == "parameter" && y == "variable");
    return x == "parameter" || x == "dynamic_shared" || is_same_object(a, b);
  }

  /// Made alike of what never changes.
  bool is_same(const Value& a, const Value& b, unsigned depth = 0) const {
    const auto* const x = dyn_cast<Instruction>(&a);
    const auto* const y = dyn_cast<Instruction>(&b);
    if (x == nullptr || y == nullptr) return &a == &b;
    if (x == y && loops_.getLoopFor(x->getParent()) == nullptr) return true;
    if (depth > 12 || !is_fixed(*x) || !x->isSameOperationAs(y)) return false;
    return all_of(zip(x->operands(), y->operands()), [&](const auto& both) {
      return is_same(*std::get<0>(both).get(), *std::get<1>(both).get(), depth + 1);
    });
  }

  bool conflict(const access& a, const access& b) const {
    if (!(a.is_volatile || b.is_volatile) || !(a.writes || b.writes)) return false;
    if (!may_be_one(*a.object, *b.object)) return false;
    if (lies_before(a, b) || lies_before(b, a)) return false;
    // Each thread has a word of its own.
    return same_.is_uniform(*a.pointer) || !is_same(*a.pointer, *b.pointer);
  }

  /// v[t] and v[t + s]: no two lanes of a warp have the same word, where s is a warp's size or
  /// more, or t < s in all of them.
  [[nodiscard]] bool lies_before(const access& a, const access& b) const {
    const auto* const low = dyn_cast<GetElementPtrInst>(a.pointer->stripPointerCasts());
    const auto* const high = dyn_cast<GetElementPtrInst>(b.pointer->stripPointerCasts());
    if (low == nullptr || high == nullptr || low->getNumOperands() != high->getNumOperands() ||
        low->getSourceElementType() != high->getSourceElementType()) {
      return false;
    }
    for (unsigned k = 0; k + 1 < low->getNumOperands(); ++k) {
      if (!is_same(*low->getOperand(k), *high->getOperand(k))) return false;
    }
    const Value& at = index_of(*low);
    const auto* const sum = dyn_cast<BinaryOperator>(&index_of(*high));
    if (sum == nullptr || sum->getOpcode() != Instruction::Add) return false;
    for (const unsigned k : {0U, 1U}) {
      if (!is_same(*sum->getOperand(k), at)) continue;
      const Value& distance = *sum->getOperand(1 - k);
      const auto* const known = dyn_cast<ConstantInt>(&distance);
      if (known != nullptr ? known->getValue().abs().uge(32) : is_below(a, b, at, distance)) {
        return true;
      }
    }
    return false;
  }

  static const Value& index_of(const GetElementPtrInst& i) {
    const Value* index = i.getOperand(i.getNumOperands() - 1);
    while (isa<ZExtInst>(index) || isa<SExtInst>(index))
      index = cast<CastInst>(index)->getOperand(0);
    return *index;
  }

  /// Behind if (index < most), in the same round of a loop with a barrier in each.
  [[nodiscard]] bool is_below(const access& a, const access& b, const Value& index,
                              const Value& most) const {
    const BasicBlock* const block = a.by->getParent();
    if (b.by->getParent() != block) return false;
    const Loop* const l = loops_.getLoopFor(block);
    const auto in_each_round = [&](const BasicBlock* in) {
      return l->getLoopLatch() != nullptr && dominators_.dominates(in, l->getLoopLatch()) &&
             any_of(*in, is_meeting_of_all);
    };
    if (l != nullptr && none_of(l->blocks(), in_each_round)) return false;
    return known_at(*block, [&](const ICmpInst& compare, bool is) {
             const bool less = compare.getPredicate() == CmpInst::ICMP_ULT ||
                               compare.getPredicate() == CmpInst::ICMP_SLT;
             return is && less && is_same(*compare.getOperand(0), index) &&
                    compare.getOperand(1) == &most;
           }) != nullptr;
  }

  /// The first block behind a comparison, before `block`, that `tells` what is looked for; nullptr:
  /// there is none.
  template <class Tells>
  const BasicBlock* known_at(const BasicBlock& block, Tells tells) const {
    for (const auto* node = dominators_.getNode(&block); node != nullptr; node = node->getIDom()) {
      const auto* const branch = dyn_cast<BranchInst>(node->getBlock()->getTerminator());
      if (branch == nullptr || !branch->isConditional()) continue;
      const auto* const compare = dyn_cast<ICmpInst>(branch->getCondition());
      if (compare == nullptr) continue;
      for (const unsigned way : {0U, 1U}) {
        const BasicBlock* const start = branch->getSuccessor(way);
        if (dominators_.dominates(BasicBlockEdge(node->getBlock(), start), &block) &&
            tells(*compare, way == 0)) {
          return start;
        }
      }
    }
    return nullptr;
  }

  /// Not only cautious: atomics are ordered, one lane has nobody to wait for, and what a loop may
  /// wait for is a flag.
  [[nodiscard]] bool relies(const access& a, const access& b) const {
    const auto is_step = [&](const access& x) {
      if (!isa<LoadInst>(x.by) && !isa<StoreInst>(x.by)) return false;
      const Loop* l = isa<LoadInst>(x.by) ? loops_.getLoopFor(x.by->getParent()) : nullptr;
      while (l != nullptr && ends_by_itself(*l)) l = l->getParentLoop();
      return l == nullptr;
    };
    const BasicBlock* const alone = alone_in(*b.by->getParent());
    return is_same_object(*a.object, *b.object) && a.writes != b.writes && is_step(a) &&
           is_step(b) && (alone == nullptr || alone != alone_in(*a.by->getParent()));
  }

  /// Where the only thread begins that comes to `b`, behind if (threadIdx.x == 0) or its like.
  [[nodiscard]] const BasicBlock* alone_in(const BasicBlock& b) const {
    return known_at(b, [&](const ICmpInst& compare, bool is) {
      return compare.isEquality() && isa<Constant>(compare.getOperand(1)) &&
             is == (compare.getPredicate() == CmpInst::ICMP_EQ) && !same_.is_uniform(compare);
    });
  }

  // --- which accesses a lane, or one that was with it, has made since the last meeting ---

  [[nodiscard]] BitVector none() const {
    return BitVector(static_cast<unsigned>(accesses_.size()));
  }

  static bool is_meeting_of_all(const Instruction& i) {
    const auto* const call = dyn_cast<CallBase>(&i);
    if (call == nullptr) return false;
    const StringRef name = machine_call(*call);
    if (is_block_barrier(name) || name == "cluster_barrier") return true;
    if (name != "warp_barrier") return false;
    const auto* const mask = dyn_cast<ConstantInt>(call->getArgOperand(call->arg_size() - 1));
    return mask != nullptr && mask->getValue().trunc(32).isAllOnes();
  }

  /// Where lanes that have parted come together, those of the other ways may have made all accesses
  /// of these.
  void find_ways_that_meet() {
    for (BasicBlock& b : f_) {
      const Instruction& end = *b.getTerminator();
      const bool parts = end.getNumSuccessors() > 1 && !same_.is_uniform(*end.getOperand(0));
      const auto* const node = parts ? after_.getNode(&b) : nullptr;
      if (node == nullptr || node->getIDom() == nullptr) continue;
      BasicBlock* const meet = node->getIDom()->getBlock();
      if (meet == nullptr) continue;
      SmallPtrSet<BasicBlock*, 32> seen;
      SmallVector<BasicBlock*, 32> next(successors(&b));
      BitVector& made = brought_.try_emplace(meet, none()).first->second;
      while (!next.empty()) {
        BasicBlock* const way = next.pop_back_val();
        if (way == meet || !seen.insert(way).second) continue;
        for (Instruction& i : *way) add_of(i, made);
        append_range(next, successors(way));
      }
    }
  }

  void add_of(const Instruction& i, BitVector& made) const {
    const auto known = of_.find(&i);
    if (known == of_.end()) return;
    for (const unsigned a : known->second) made.set(a);
  }

  template <class At>
  void follow(BasicBlock& b, BitVector& made, At at) {
    for (Instruction& i : b) {
      if (is_meeting_of_all(i)) made.reset();
      if (of_.find(&i) == of_.end()) continue;
      at(i);
      if (meetings_.contains(&i)) made.reset();
      add_of(i, made);
    }
  }

  BitVector made_before(BasicBlock& b) {
    BitVector made = none();
    for (BasicBlock* const p : predecessors(&b)) {
      const auto known = behind_.find(p);
      if (known != behind_.end()) made |= known->second;
    }
    const auto others = brought_.find(&b);
    if (others != brought_.end()) made |= others->second;
    return made;
  }

  template <class Order>
  void settle(const Order& order) {
    behind_.clear();
    for (bool more = true; more;) {
      more = false;
      for (BasicBlock* const b : order) {
        BitVector made = made_before(*b);
        follow(*b, made, [](const Instruction&) {});
        BitVector& known = behind_.try_emplace(b, none()).first->second;
        more = more || known != made;
        known = made;
      }
    }
  }

  template <class Order>
  bool place(const Order& order) {
    const auto before = meetings_.size();
    for (BasicBlock* const b : order) {
      BitVector made = made_before(*b);
      follow(*b, made, [&](Instruction& i) {
        if (meetings_.contains(&i)) return;
        for (const unsigned a : of_[&i]) {
          for (const unsigned earlier : made.set_bits()) {
            if (!conflict(accesses_[earlier], accesses_[a])) continue;
            meetings_.insert(&i);
            if (relies(accesses_[earlier], accesses_[a])) relying_.insert(&i);
          }
        }
      });
    }
    return meetings_.size() != before;
  }

  // --- the meetings ---

  /// Ranks rise along each way but back to a loop's header, and behind a loop they are higher than
  /// in it.
  void visit(BasicBlock* b, SmallPtrSetImpl<BasicBlock*>& seen) {
    seen.insert(b);
    const Loop* const l = loops_.getLoopFor(b);
    for (const bool leaves : {true, false}) {
      for (BasicBlock* const to : successors(b)) {
        if (!seen.contains(to) && leaves == (l != nullptr && !l->contains(to))) visit(to, seen);
      }
    }
    ends_.push_back(b);
  }

  bool goes_past_meeting(const Loop& l) const {
    SmallVector<BasicBlock*, 2> latches;
    l.getLoopLatches(latches);
    return any_of(meetings_, [&](const Instruction* i) {
      return l.contains(i) && any_of(latches, [&](const BasicBlock* latch) {
               return !dominators_.dominates(i->getParent(), latch);
             });
    });
  }

  std::string put() {
    SmallPtrSet<BasicBlock*, 32> seen;
    visit(&f_.getEntryBlock(), seen);
    DenseMap<const Loop*, BasicBlock*> last;
    for (BasicBlock* const b : ends_) {
      for (const Loop* l = loops_.getLoopFor(b); l != nullptr; l = l->getParentLoop()) {
        last.try_emplace(l, b);
      }
    }
    SmallVector<std::pair<Instruction*, unsigned>, 16> all;
    unsigned rank = 0;
    for (BasicBlock* const b : reverse(ends_)) {
      for (Instruction& i : *b) {
        if (meetings_.contains(&i)) all.push_back({&i, rank++});
      }
      // Lanes that have gone past a meeting don't begin another round before the others do.
      for (const Loop* l = loops_.getLoopFor(b); l != nullptr; l = l->getParentLoop()) {
        if (last[l] == b && goes_past_meeting(*l)) {
          all.push_back({&*l->getHeader()->getFirstInsertionPt(), rank++});
        }
      }
    }
    for (const auto& [before, at] : all) put(*before, at);
    const auto first = find_if(all, [&](const auto& m) { return relying_.contains(m.first); });
    return first != all.end() ? place_of(*first->first) : "";
  }

  static std::string place_of(const Instruction& i) {
    const DILocation* at = i.getDebugLoc().get();
    while (at != nullptr && at->getFilename().contains("include/simt/")) at = at->getInlinedAt();
    if (at == nullptr) return i.getFunction()->getParent()->getSourceFileName();
    return (sys::path::filename(at->getFilename()) + ":" + Twine(at->getLine())).str();
  }

  void put(Instruction& before, unsigned rank) {
    IRBuilder<> b(&before);
    b.SetCurrentDebugLocation(before.getDebugLoc());
    auto* const byte = bytes_type(b.getContext());
    CallInst* const call = b.CreateCall(
        f_.getParent()->getOrInsertFunction(meeting_name, b.getVoidTy(), byte, b.getInt32Ty()),
        {ConstantPointerNull::get(byte), b.getInt32(rank)});
    call->setConvergent();
    call->setCannotDuplicate();
    call->setDoesNotThrow();
  }

  Function& f_;
  const LoopInfo& loops_;
  const DominatorTree& dominators_;
  const PostDominatorTree& after_;
  const uniformity same_;
  SmallVector<access, 32> accesses_;
  DenseMap<const Instruction*, SmallVector<unsigned, 2>> of_;  // which of these are its
  DenseMap<const BasicBlock*, BitVector> brought_, behind_;
  SmallPtrSet<Instruction*, 16> meetings_,
      relying_;                        // before these; of these for one object's sake
  SmallVector<BasicBlock*, 32> ends_;  // the last block first
};

}  // namespace

std::string meet_at_volatiles(Function& f, FunctionAnalysisManager& analyses) {
  SmallVector<CallBase*, 16> notes;
  for (Instruction& i : instructions(f)) {
    auto* const call = dyn_cast<CallBase>(&i);
    if (call != nullptr && machine_call(*call) == "note_volatile") notes.push_back(call);
  }
  if (notes.empty()) return "";
  const std::string first = meeting_finder(f, analyses).run(notes);
  for (CallBase* const call : notes) call->eraseFromParent();
  analyses.invalidate(f, PreservedAnalyses::none());
  return first;
}

}  // namespace simt::pass
