#include "flatten.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>

#include "lockstep.hpp"
#include "meetings.hpp"
#include "names.hpp"
#include "uniform.hpp"
#include "unrolling.hpp"

namespace simt::pass {

using namespace llvm;

namespace {

constexpr const char* reads_flags = "reads a volatile or atomic word in a loop";
constexpr unsigned most_instructions = 40000;
constexpr std::uint64_t most_stack = 16384;  // of a thread, which has twice that

/// Callbacks of who looks on: there is nobody. Volatile accesses stay noted for the time being.
bool is_note(StringRef name) {
  return name == "note_word" || name == "note_atomic" || name == "note_exchange" ||
         name == "note_block_scope";
}

bool runs_alone(StringRef name) {
  return is_block_barrier(name) || name.take_front(6) == "exact_" ||
         StringSwitch<bool>(name)
             .Cases("thread_index", "block_index", "block_size", "grid_size", "lane_index", true)
             .Cases("shared_object", "dynamic_shared", "dynamic_shared_bytes", "lanes_of_warp",
                    true)
             .Cases("fence", "clock_ticks", "device_clock", "assertion_failed", "fail_here", true)
             .Cases("in_kernel", "flushed_sum", "fold_lanes", "need_9_0", true)
             .Default(false);
}

/// Waits for others, who wait for nobody else meanwhile.
bool meets(StringRef name) {
  return name.take_front(5) == "warp_" || name.take_front(8) == "cluster_" ||
         StringSwitch<bool>(name)
             .Cases("converged_lanes", "in_lockstep", "in_block", true)
             .Cases("is_cooperative", "bulk_copy", "bulk_store", "atomic_update", true)
             .Default(false);
}

bool is_shift_mark(const CallBase& call) {
  const auto* const assembly = dyn_cast<InlineAsm>(call.getCalledOperand());
  return assembly != nullptr && assembly->getAsmString().find("shift") != std::string::npos &&
         assembly->getAsmString().find("ud2") != std::string::npos;
}

/// A call and the functions through which it has come into the kernel.
struct site {
  CallBase* call;
  int history;
};

class inliner {
 public:
  explicit inliner(Function& f) : f_(f) {}

  /// Atomic operations that are loops of their own stay calls for the time being.
  bool run(bool atomics) {
    SmallVector<site, 32> sites;
    for (Instruction& i : instructions(f_)) {
      if (auto* const call = dyn_cast<CallBase>(&i)) sites.push_back({call, -1});
    }
    while (!sites.empty()) {
      site s = sites.pop_back_val();
      // Code of a device throws nothing. What stands beside an object with a destructor would end
      // its block, and the block would be left without an end where the call goes.
      if (auto* const invoke = dyn_cast<InvokeInst>(s.call)) s.call = changeToCall(invoke);
      Function* const callee = callee_of(*s.call);
      if (is_shift_mark(*s.call) || (callee != nullptr && is_note(machine_name(*callee)))) {
        s.call->eraseFromParent();
        continue;
      }
      if (callee == nullptr || callee->isDeclaration() || callee->isInterposable() ||
          callee->getFunctionType() != s.call->getFunctionType() || callee == &f_ ||
          comes_from(s.history, callee)) {
        continue;
      }
      if (machine_name(*callee) == "fold_lanes") continue;
      if (!atomics && machine_name(*callee) == "atomic_update") continue;
      InlineFunctionInfo info;
      if (!InlineFunction(*s.call, info).isSuccess()) continue;
      history_.push_back({callee, s.history});
      for (CallBase* const c : info.InlinedCallSites) {
        sites.push_back({c, static_cast<int>(history_.size()) - 1});
      }
      size_ += callee->getInstructionCount();
      if (size_ > most_instructions) return false;
    }
    return true;
  }

 private:
  [[nodiscard]] bool comes_from(int history, const Function* callee) const {
    for (; history >= 0; history = history_[static_cast<std::size_t>(history)].second) {
      if (history_[static_cast<std::size_t>(history)].first == callee) return true;
    }
    return false;
  }

  Function& f_;
  SmallVector<std::pair<Function*, int>, 32> history_;
  unsigned size_ = 0;
};

bool clobbers_memory(const InlineAsm& assembly) {
  return assembly.getConstraintString().find("~{memory}") != std::string::npos;
}

/// What in a loop may learn of other threads, or "".
std::string hears(const Instruction& i) {
  if (const auto* const load = dyn_cast<LoadInst>(&i)) {
    if (load->isVolatile() || load->isAtomic()) return reads_flags;
  }
  if ((isa<AtomicRMWInst>(i) || isa<AtomicCmpXchgInst>(i)) && !i.use_empty()) {
    return "waits for an atomic in a loop";
  }
  const auto* const call = dyn_cast<CallBase>(&i);
  if (call == nullptr || isa<IntrinsicInst>(i)) return "";
  if (const auto* const assembly = dyn_cast<InlineAsm>(call->getCalledOperand())) {
    return clobbers_memory(*assembly) ? "has assembly in a loop" : "";
  }
  const StringRef name = machine_call(*call);
  if (name == "atomic_update" && !i.use_empty()) return "waits for an atomic in a loop";
  if (name == "fence") return "has a fence in a loop";
  if (!name.empty() && !runs_alone(name) && !meets(name))
    return "calls " + name.str() + " in a loop";
  return "";
}

std::string waits_in(Function& f, const LoopInfo& loops) {
  DenseMap<const Loop*, bool> known;
  const auto may_wait = [&](const Loop* l) {
    const auto [at, is_new] = known.try_emplace(l, false);
    if (is_new) at->second = !ends_by_itself(*l);
    return at->second;
  };
  for (Instruction& i : instructions(f)) {
    const Loop* l = loops.getLoopFor(i.getParent());
    if (l == nullptr) continue;
    std::string what = hears(i);
    if (what.empty()) continue;
    if (StringRef(what).take_front(6) == "calls ") return what;
    for (; l != nullptr; l = l->getParentLoop()) {
      if (may_wait(l)) return what;
    }
  }
  return "";
}

/// What is left to be called: what `kernel` waits for, and what lets another thread run.
void note_calls(Function& f, const TargetLibraryInfo& library, bool lanes, flat_kernel& kernel) {
  std::uint64_t stack = 0;
  for (Instruction& i : instructions(f)) {
    if (const auto* const a = dyn_cast<AllocaInst>(&i)) {
      const auto size = a->getAllocationSizeInBits(f.getParent()->getDataLayout());
      if (!a->isStaticAlloca() || !size) kernel.waits = "has an array of no constant size";
      stack += size ? *size / 8 : 0;
    }
    const auto* const call = dyn_cast<CallBase>(&i);
    if (call == nullptr || isa<IntrinsicInst>(i) || call->isInlineAsm()) continue;
    const Function* const callee = callee_of(*call);
    const StringRef name = callee != nullptr ? machine_name(*callee) : "";
    LibFunc known{};
    if (lanes && is_meeting(name) && isa<CallInst>(call)) {
      kernel.meets = true;
      continue;
    }
    if (runs_alone(name) || (callee != nullptr && library.getLibFunc(*callee, known))) continue;
    if (name == "run_kernel" || name == "configure") {
      kernel.waits = "launches a kernel";
    } else if (name == "in_lockstep") {
      kernel.switches = "has volatile accesses of a warp's lanes in lockstep";
    } else if (!name.empty()) {
      kernel.switches = "calls " + name.str();
    } else if (callee == nullptr) {
      kernel.waits = "calls through a pointer";
    } else if (!call->doesNotReturn()) {
      kernel.waits = "calls " + demangle(callee->getName().str()) +
                     (callee->isDeclaration()    ? ", whose code is elsewhere"
                      : callee->isInterposable() ? ", which another file may replace"
                                                 : ", which calls itself");
    }
  }
  if (stack > most_stack) kernel.waits = "has large arrays of its own";
}

/// What a loop of the watched kernel may do for ever, this one may, too.
void keep_endless_loops(Function& f) {
  f.removeFnAttr(Attribute::MustProgress);
  f.removeFnAttr(Attribute::WillReturn);
  for (BasicBlock& b : f) {
    MDNode* const loop = b.getTerminator()->getMetadata(LLVMContext::MD_loop);
    if (loop == nullptr) continue;
    b.getTerminator()->setMetadata(
        LLVMContext::MD_loop,
        makePostTransformationMetadata(f.getContext(), loop, {"llvm.loop.mustprogress"}, {}));
  }
}

/// Nobody writes while a thread that never waits goes from one barrier to the next.
void forget_volatile(Function& f) {
  for (Instruction& i : instructions(f)) {
    if (auto* const load = dyn_cast<LoadInst>(&i)) load->setVolatile(false);
    if (auto* const store = dyn_cast<StoreInst>(&i)) store->setVolatile(false);
  }
}

/// One OS thread runs a block, and its threads only take turns where they meet.
bool is_of_block(const Value* pointer) {
  const auto* const call = dyn_cast<CallBase>(getUnderlyingObject(pointer, 0));
  if (call == nullptr) return false;
  const StringRef name = machine_call(*call);
  return name == "shared_object" || name == "dynamic_shared";
}

/// `v` after `i`, which is no floating-point operation; nullptr if it is another one.
Value* updated(IRBuilder<>& b, AtomicRMWInst& i, Value* v) {
  Value* const by = i.getValOperand();
  const auto least = [&](CmpInst::Predicate p) {
    return b.CreateSelect(b.CreateICmp(p, v, by), v, by);
  };
  switch (i.getOperation()) {
    case AtomicRMWInst::Xchg: return by;
    case AtomicRMWInst::Add: return b.CreateAdd(v, by);
    case AtomicRMWInst::Sub: return b.CreateSub(v, by);
    case AtomicRMWInst::And: return b.CreateAnd(v, by);
    case AtomicRMWInst::Nand: return b.CreateNot(b.CreateAnd(v, by));
    case AtomicRMWInst::Or: return b.CreateOr(v, by);
    case AtomicRMWInst::Xor: return b.CreateXor(v, by);
    case AtomicRMWInst::Max: return least(CmpInst::ICMP_SGT);
    case AtomicRMWInst::Min: return least(CmpInst::ICMP_SLT);
    case AtomicRMWInst::UMax: return least(CmpInst::ICMP_UGT);
    case AtomicRMWInst::UMin: return least(CmpInst::ICMP_ULT);
    default: return nullptr;
  }
}

/// Atomics of shared memory need not lock the bus. Volatile, since the vectoriser takes all other
/// accesses of a block's threads for independent of each other.
void unlock_shared_atomics(Function& f) {
  for (Instruction& i : make_early_inc_range(instructions(f))) {
    IRBuilder<> b(&i);
    if (auto* const update = dyn_cast<AtomicRMWInst>(&i)) {
      if (!is_of_block(update->getPointerOperand())) continue;
      Value* const at = update->getPointerOperand();
      LoadInst* const was = b.CreateAlignedLoad(i.getType(), at, update->getAlign(), true);
      Value* const is = updated(b, *update, was);
      if (is == nullptr) {
        was->eraseFromParent();
        continue;
      }
      b.CreateAlignedStore(is, at, update->getAlign(), true);
      i.replaceAllUsesWith(was);
      i.eraseFromParent();
    } else if (auto* const exchange = dyn_cast<AtomicCmpXchgInst>(&i)) {
      if (!is_of_block(exchange->getPointerOperand())) continue;
      Value* const at = exchange->getPointerOperand();
      Value* const wanted = exchange->getCompareOperand();
      LoadInst* const was = b.CreateAlignedLoad(wanted->getType(), at, exchange->getAlign(), true);
      Value* const same = b.CreateICmpEQ(was, wanted);
      b.CreateAlignedStore(b.CreateSelect(same, exchange->getNewValOperand(), was), at,
                           exchange->getAlign(), true);
      Value* const pair = b.CreateInsertValue(UndefValue::get(i.getType()), was, 0U);
      i.replaceAllUsesWith(b.CreateInsertValue(pair, same, 1U));
      i.eraseFromParent();
    }
  }
}

bool has_barrier(const BasicBlock& b) {
  return any_of(b, [](const Instruction& i) {
    const auto* const call = dyn_cast<CallBase>(&i);
    return call != nullptr && is_block_barrier(machine_call(*call));
  });
}

/// From `from` on, not beyond `end`.
bool reaches_barrier(BasicBlock& from, const BasicBlock* end) {
  SmallPtrSet<const BasicBlock*, 32> seen;
  SmallVector<BasicBlock*, 32> next{&from};
  while (!next.empty()) {
    BasicBlock* const b = next.pop_back_val();
    if (b == end || !seen.insert(b).second) continue;
    if (has_barrier(*b)) return true;
    append_range(next, successors(b));
  }
  return false;
}

/// Whether threads part by what is their own, and some come to a barrier that others pass by, who
/// may yet wait at one.
bool parts_at_barriers(Function& f, const LoopInfo& loops, const PostDominatorTree& after) {
  if (none_of(f, has_barrier)) return false;
  const uniformity same(f, loops, after, words::stay);
  return any_of(f, [&](BasicBlock& b) {
    const Instruction& end = *b.getTerminator();
    if (end.getNumSuccessors() < 2 || same.is_uniform(*end.getOperand(0))) return false;
    const auto* const node = after.getNode(&b);
    const BasicBlock* const meet =
        node != nullptr && node->getIDom() != nullptr ? node->getIDom()->getBlock() : nullptr;
    const auto waits = [&](BasicBlock* way) { return reaches_barrier(*way, nullptr); };
    return any_of(successors(&b), [&](BasicBlock* way) { return reaches_barrier(*way, meet); }) &&
           count_if(successors(&b), waits) > 1;
  });
}

/// Products and sums stay two operations on every processor.
void part_products(Function& f) {
  for (Instruction& i : make_early_inc_range(instructions(f))) {
    auto* const call = dyn_cast<IntrinsicInst>(&i);
    if (call == nullptr || call->getIntrinsicID() != Intrinsic::fmuladd) continue;
    IRBuilder<> b(call);
    b.setFastMathFlags(call->getFastMathFlags());
    Value* const product = b.CreateFMul(call->getArgOperand(0), call->getArgOperand(1));
    call->replaceAllUsesWith(b.CreateFAdd(product, call->getArgOperand(2)));
    call->eraseFromParent();
  }
}

}  // namespace

bool ends_by_itself(const Loop& l) {
  SmallVector<BasicBlock*, 8> deciding;
  l.getExitingBlocks(deciding);
  if (deciding.empty()) return false;
  bool all_branches = false;
  SmallPtrSet<const Value*, 32> seen;
  SmallVector<const Value*, 32> next;
  const auto add_conditions = [&](ArrayRef<BasicBlock*> of) {
    for (const BasicBlock* const b : of) {
      for (const Use& u : b->getTerminator()->operands()) next.push_back(u.get());
    }
  };
  add_conditions(deciding);
  while (!next.empty()) {
    const auto* const i = dyn_cast<Instruction>(next.pop_back_val());
    if (i == nullptr || !l.contains(i) || !seen.insert(i).second) continue;
    if (isa<PHINode>(i) && i->getParent() != l.getHeader() && !all_branches) {
      all_branches = true;
      add_conditions(l.getBlocks());
    }
    const auto* const call = dyn_cast<CallBase>(i);
    const bool hears_nothing = call != nullptr ? call->doesNotAccessMemory() : true;
    if (!hears_nothing || (i->mayReadFromMemory() && !loads_parameter(*i))) return false;
    append_range(next, i->operands());
  }
  return true;
}

flat_kernel flatten(Function& f, FunctionAnalysisManager& analyses, FunctionPassManager& clean,
                    FunctionPassManager& simplify, bool lanes, unsigned most_meetings) {
  flat_kernel result;
  inliner all(f);
  if (!all.run(false)) {
    result.waits = "is too large";
    return result;
  }
  keep_endless_loops(f);
  part_products(f);
  clean.run(f, analyses);
  analyses.invalidate(f, PreservedAnalyses::none());
  result.relies_at = meet_at_volatiles(f, analyses);
  result.waits = waits_in(f, analyses.getResult<LoopAnalysis>(f));
  if (result.waits == reads_flags) result.relies_at.clear();
  if (!result.waits.empty()) return result;
  forget_volatile(f);
  all.run(true);
  keep_endless_loops(f);
  part_products(f);
  analyses.invalidate(f, PreservedAnalyses::none());
  if (lanes) keep_meetings_rolled(f, analyses.getResult<LoopAnalysis>(f));
  simplify.run(f, analyses);
  unlock_shared_atomics(f);
  analyses.invalidate(f, PreservedAnalyses::none());
  note_calls(f, analyses.getResult<TargetLibraryAnalysis>(f), lanes, result);
  if (parts_at_barriers(f, analyses.getResult<LoopAnalysis>(f),
                        analyses.getResult<PostDominatorTreeAnalysis>(f))) {
    result.switches = "has a barrier that threads of a block may pass by";
  }
  if (result.meets) {
    let_meetings_unroll(f, analyses.getResult<LoopAnalysis>(f),
                        analyses.getResult<ScalarEvolutionAnalysis>(f), most_meetings);
  }
  return result;
}

}  // namespace simt::pass
