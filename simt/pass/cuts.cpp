#include "cuts.hpp"

#include <algorithm>

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/Hashing.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

#include "meetings.hpp"
#include "names.hpp"
#include "uniform.hpp"

namespace simt::pass {

using namespace llvm;

namespace {

class cutter {
 public:
  cutter(Function& f, FunctionAnalysisManager& analyses) : f_(f), analyses_(analyses) {}

  cut_kernel run(ArrayRef<strided_loop> rounds) {
    SmallVector<CallInst*, 8> calls;
    for (Instruction& i : instructions(f_)) {
      auto* const call = dyn_cast<CallInst>(&i);
      if (call == nullptr) continue;
      const StringRef name = machine_call(*call);
      if (is_block_barrier(name) || is_meeting(name)) {
        calls.push_back(call);
      }
    }
    if (calls.empty() && rounds.empty()) return std::move(result_);
    const auto all_locals = locals();
    meetings all(f_, result_, calls);
    for (CallInst* const call : calls) {
      is_meeting(machine_call(*call)) ? all.cut_at(*call) : cut_at(*call);
    }
    for (const strided_loop& l : rounds) cut_at(*l.header);
    analyses_.invalidate(f_, PreservedAnalyses::none());
    for (BasicBlock& b : f_) DeleteDeadPHIs(&b);  // what calls alone were given
    const uniformity same(f_, analyses_.getResult<LoopAnalysis>(f_),
                          analyses_.getResult<PostDominatorTreeAnalysis>(f_));
    for (BranchInst* const branch : branches(same)) cut_at(*branch);
    for (AllocaInst* const a : all_locals) {
      if (!all.takes(*a)) keep(*a);
    }
    std::stable_partition(result_.cuts.begin(), result_.cuts.end(),
                          [](const cut& c) { return !c.is_of_warp(); });
    note_cuts();
    for (const strided_loop& l : rounds) lines_.insert(l.lines.begin(), l.lines.end());
    while (Instruction* const v = next_across()) {
      put_by(*v, same.is_uniform(*v) && !is_folded(*v));
    }
    for (BasicBlock& b : f_) share(b);
    return std::move(result_);
  }

 private:
  SmallVector<AllocaInst*, 8> locals() {
    SmallVector<AllocaInst*, 8> all;
    for (Instruction& i : instructions(f_)) {
      if (auto* const a = dyn_cast<AllocaInst>(&i)) all.push_back(a);
    }
    return all;
  }

  /// An array of a thread's own may hold something at any cut.
  void keep(AllocaInst& a) {
    SmallVector<Instruction*, 8> ends;
    for (Instruction& i : instructions(f_)) {
      if (i.isLifetimeStartOrEnd() && getUnderlyingObject(i.getOperand(1), 0) == &a) {
        ends.push_back(&i);
      }
    }
    for (Instruction* const i : ends) i->eraseFromParent();
    result_.own.push_back(&a);
  }

  AllocaInst* slot(Type* type) {
    IRBuilder<> b(&f_.getEntryBlock().front());
    return b.CreateAlloca(type);
  }

  void cut_at(CallInst& call) {
    cut c;
    BasicBlock* const before = call.getParent();
    c.at = before->splitBasicBlock(&call, "barrier");
    c.starts.push_back(c.at->splitBasicBlock(call.getNextNode(), "behind"));
    c.of_grid = machine_call(call) == "grid_barrier";
    if (machine_call(call) == "block_vote") {
      IRBuilder<> b(before->getTerminator());
      c.brought = slot(b.getInt32Ty());
      c.taken = slot(b.getInt32Ty());
      b.CreateStore(b.CreateZExt(call.getArgOperand(call.arg_size() - 1), b.getInt32Ty()),
                    c.brought);
      call.setArgOperand(call.arg_size() - 1, b.getFalse());
      result_.joint.push_back(c.taken);
      votes_.push_back({&call, c.taken});
    }
    result_.cuts.push_back(c);
  }

  void cut_at(BranchInst& branch) {
    cut c;
    c.kind = cut_kind::branch;
    BasicBlock* const before = branch.getParent();
    c.brought = slot(branch.getCondition()->getType());
    result_.joint.push_back(c.brought);
    IRBuilder<> b(&branch);
    b.CreateStore(branch.getCondition(), c.brought);
    c.at = before->splitBasicBlock(&branch, "together");
    b.SetInsertPoint(&branch);
    branch.setCondition(b.CreateLoad(c.brought->getAllocatedType(), c.brought));
    for (unsigned i = 0; i < 2; ++i) {
      BasicBlock* const to = branch.getSuccessor(i);
      BasicBlock* const start = BasicBlock::Create(f_.getContext(), "way", &f_, to);
      BranchInst::Create(to, start);
      branch.setSuccessor(i, start);
      for (PHINode& phi : to->phis()) {
        const int own = phi.getBasicBlockIndex(c.at);
        if (own >= 0) phi.setIncomingBlock(static_cast<unsigned>(own), start);
      }
      c.starts.push_back(start);
    }
    result_.cuts.push_back(c);
  }

  /// Lanes come to the loop's next round together.
  void cut_at(BasicBlock& header) {
    cut c;
    c.kind = cut_kind::round;
    c.at = header.splitBasicBlock(header.getFirstInsertionPt(), "round");
    c.starts.push_back(c.at->splitBasicBlock(c.at->begin(), "lane"));
    result_.cuts.push_back(c);
  }

  /// Those that decide which barrier comes next.
  SmallVector<BranchInst*, 8> branches(const uniformity& same) {
    SmallPtrSet<const BasicBlock*, 8> barriers;
    for (const cut& c : result_.cuts) {
      if (!c.is_of_warp()) barriers.insert(c.at);
    }
    if (barriers.empty()) return {};
    SmallVector<BranchInst*, 8> found;
    for (BasicBlock& block : f_) {
      auto* const branch = dyn_cast<BranchInst>(block.getTerminator());
      if (branch == nullptr || !branch->isConditional() ||
          branch->getSuccessor(0) == branch->getSuccessor(1) || !same.is_joint(block) ||
          !same.is_uniform(*branch->getCondition())) {
        continue;
      }
      if (ends_behind(block, barriers) > 1) found.push_back(branch);
    }
    return found;
  }

  static unsigned ends_behind(BasicBlock& from, const SmallPtrSetImpl<const BasicBlock*>& cuts) {
    SmallPtrSet<const BasicBlock*, 32> seen, ends;
    SmallVector<BasicBlock*, 32> next(successors(&from));
    while (!next.empty()) {
      BasicBlock* const b = next.pop_back_val();
      if (!seen.insert(b).second) continue;
      if (cuts.contains(b)) {
        ends.insert(b);
      } else if (isa<ReturnInst>(b->getTerminator())) {
        ends.insert(nullptr);
      } else {
        append_range(next, successors(b));
      }
    }
    return ends.size();
  }

  void note_cuts() {
    for (const cut& c : result_.cuts) {
      at_cut_.insert(c.at);
      if (!c.is_of_warp()) at_block_cut_.insert(c.at);
    }
    for (const auto& [call, taken] : votes_) {
      replace(*call, [taken = taken](IRBuilder<>& b) {
        return b.CreateLoad(taken->getAllocatedType(), taken);
      });
    }
  }

  /// Puts what `make` makes before each use in place of `v`.
  template <class Make>
  static void replace(Instruction& v, Make make) {
    SmallVector<Use*, 16> uses;
    for (Use& u : v.uses()) uses.push_back(&u);
    DenseMap<std::pair<Instruction*, Instruction*>, Value*> made;
    for (Use* const u : uses) {
      auto* const user = cast<Instruction>(u->getUser());
      auto* const phi = dyn_cast<PHINode>(user);
      Instruction* const before =
          phi != nullptr ? phi->getIncomingBlock(*u)->getTerminator() : user;
      Value*& value = made[{before, user}];
      if (value == nullptr) {
        IRBuilder<> b(before);
        value = make(b);
      }
      u->set(value);
    }
  }

  static bool lives_across(const Instruction& v, const SmallPtrSetImpl<const BasicBlock*>& cuts) {
    const BasicBlock* const own = v.getParent();
    SmallPtrSet<const BasicBlock*, 32> seen;
    SmallVector<const BasicBlock*, 32> next;
    const auto lives_in = [&](const BasicBlock* b) {
      if (b != own && seen.insert(b).second) next.push_back(b);
    };
    for (const Use& u : v.uses()) {
      const auto* const user = cast<Instruction>(u.getUser());
      const auto* const phi = dyn_cast<PHINode>(user);
      lives_in(phi != nullptr ? phi->getIncomingBlock(u) : user->getParent());
    }
    while (!next.empty()) {
      const BasicBlock* const b = next.pop_back_val();
      if (cuts.contains(b)) return true;
      for (const BasicBlock* const p : predecessors(b)) lives_in(p);
    }
    return false;
  }

  Instruction* next_across() {
    for (Instruction& i : instructions(f_)) {
      if (isa<AllocaInst>(i) || i.getType()->isVoidTy() || i.use_empty() || known_.contains(&i)) {
        continue;
      }
      if (lives_across(i, at_cut_)) return &i;
      known_.insert(&i);
    }
    return nullptr;
  }

  /// Cheaper to be made anew than to be kept.
  bool is_simple(const Value& v, unsigned depth = 0) const {
    if (isa<Constant>(v) || isa<Argument>(v)) return true;
    const auto* const i = dyn_cast<Instruction>(&v);
    if (i == nullptr || depth > 8) return false;
    if (const auto* const call = dyn_cast<CallInst>(i)) {
      const StringRef name = machine_call(*call);
      return name == "thread_index" || name == "lane_index" || name == "block_index" ||
             name == "block_size" || name == "grid_size" || name == "dynamic_shared" ||
             name == "shared_object" || name == "lanes_of_warp";
    }
    if (!loads_parameter(*i) && !isa<BinaryOperator>(i) && !isa<CastInst>(i) &&
        !isa<GetElementPtrInst>(i) && !isa<CmpInst>(i) && !isa<SelectInst>(i)) {
      return false;
    }
    if (i->isIntDivRem()) return false;
    return all_of(i->operands(), [&](const Use& u) { return is_simple(*u, depth + 1); });
  }

  Value* made_anew(IRBuilder<>& b, Value& v) {
    auto* const i = dyn_cast<Instruction>(&v);
    if (i == nullptr) return &v;
    Instruction* const copy = i->clone();
    for (Use& u : copy->operands()) u.set(made_anew(b, *u));
    known_.insert(copy);
    return b.Insert(copy);
  }

  /// What a warp has folded is its own; the load of it is younger than `same`.
  bool is_folded(const Instruction& v) const {
    const auto* const load = dyn_cast<LoadInst>(&v);
    return load != nullptr && any_of(result_.cuts, [&](const cut& c) {
             return any_of(c.folds,
                           [&](const fold& f) { return f.made == load->getPointerOperand(); });
           });
  }

  void put_by(Instruction& v, bool uniform) {
    if (is_simple(v)) {
      replace(v, [&](IRBuilder<>& b) { return made_anew(b, v); });
      known_.erase(&v);
      v.eraseFromParent();
      return;
    }
    // The vectoriser takes no single bits from memory.
    Type* type = v.getType();
    const bool of_block = lives_across(v, at_block_cut_);
    const bool bit = type->isIntegerTy(1) && !(uniform && of_block);
    if (bit) type = Type::getInt8Ty(f_.getContext());
    AllocaInst* const memory = slot(type);
    (!of_block ? result_.of_lane : uniform ? result_.joint : result_.own).push_back(memory);
    if (lines_.contains(&v)) {
      find_if(result_.cuts, [&](const cut& c) {
        return c.at->getSinglePredecessor() == v.getParent();
      })->lines.push_back(memory);
    }
    replace(v, [&](IRBuilder<>& b) -> Value* {
      Value* const loaded = b.CreateLoad(type, memory);
      if (auto* const l = dyn_cast<Instruction>(loaded)) known_.insert(l);
      return bit ? b.CreateTrunc(loaded, v.getType()) : loaded;
    });
    auto after =
        isa<PHINode>(v) ? v.getParent()->getFirstInsertionPt() : std::next(v.getIterator());
    IRBuilder<> b(v.getParent(), after);
    b.CreateStore(bit ? b.CreateZExt(&v, type) : &v, memory);
    known_.insert(&v);
  }

  /// What users were given apart, and is the same for all in the block.
  void share(BasicBlock& in) {
    DenseMap<std::uint64_t, SmallVector<Instruction*, 2>> known;
    for (Instruction& i : make_early_inc_range(in)) {
      if (!is_made_anew(i)) continue;
      hash_code hash = hash_combine(i.getOpcode(), i.getType());
      for (const Use& u : i.operands()) hash = hash_combine(hash, u.get());
      auto& alike = known[std::uint64_t{hash}];
      const auto* const first =
          find_if(alike, [&](const Instruction* k) { return k->isIdenticalTo(&i); });
      if (first == alike.end()) {
        alike.push_back(&i);
        continue;
      }
      i.replaceAllUsesWith(*first);
      i.eraseFromParent();
    }
  }

  bool is_made_anew(const Instruction& i) const {
    if (const auto* const call = dyn_cast<CallInst>(&i))
      return !call->getType()->isVoidTy() && is_simple(i);
    return loads_parameter(i) || isa<BinaryOperator>(i) || isa<CastInst>(i) ||
           isa<GetElementPtrInst>(i) || isa<CmpInst>(i) || isa<SelectInst>(i);
  }

  Function& f_;
  FunctionAnalysisManager& analyses_;
  cut_kernel result_;
  SmallVector<std::pair<CallInst*, AllocaInst*>, 4> votes_;
  SmallPtrSet<const BasicBlock*, 8> at_cut_, at_block_cut_;
  SmallPtrSet<const Instruction*, 4> lines_;
  DenseSet<const Instruction*> known_;  // to live in one piece
};

}  // namespace

cut_kernel cut_up(Function& f, ArrayRef<strided_loop> rounds, FunctionAnalysisManager& analyses) {
  return cutter(f, analyses).run(rounds);
}

}  // namespace simt::pass
