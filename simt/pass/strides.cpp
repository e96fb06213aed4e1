#include "strides.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

#include "names.hpp"
#include "uniform.hpp"

namespace simt::pass {

using namespace llvm;

namespace {

constexpr std::uint64_t least_stride = 16;  // a smaller one goes through a thread's own stretch

/// A variable that is `start` in the first round, and one `step` more in each.
struct counted {
  PHINode* phi;
  Value *start, *step;
};

struct striding_loop {
  Loop* loop;
  BasicBlock *before, *exit;
  BranchInst* guard;  // only some threads may begin; or null
  SmallVector<counted, 4> variables;
};

bool is_stride(const Value& step) {
  const auto* const number = dyn_cast<ConstantInt>(&step);
  return number == nullptr || number->getValue().uge(least_stride);
}

/// Whether the order in which threads come there can't be seen: no atomics, and nobody is called
/// who touches memory.
bool is_quiet(const Instruction& i) {
  if (const auto* const load = dyn_cast<LoadInst>(&i)) return load->isSimple();
  if (const auto* const store = dyn_cast<StoreInst>(&i)) return store->isSimple();
  if (const auto* const call = dyn_cast<CallBase>(&i)) {
    return isa<DbgInfoIntrinsic>(i) || i.isLifetimeStartOrEnd() ||
           (call->doesNotAccessMemory() && !call->isInlineAsm());
  }
  return !i.mayReadOrWriteMemory();
}

bool touches_common_memory(const Instruction& i) {
  const Value* const p = getLoadStorePointerOperand(&i);
  return p != nullptr && !isa<AllocaInst>(getUnderlyingObject(p, 0)) &&
         !(isa<LoadInst>(i) && loads_parameter(i));
}

class side_by_side {
 public:
  side_by_side(Function& f, FunctionAnalysisManager& analyses)
      : f_(f),
        loops_(analyses.getResult<LoopAnalysis>(f)),
        same_(f, loops_, analyses.getResult<PostDominatorTreeAnalysis>(f)) {}

  bool run() {
    // Votes would have an array of a thread's own kept for every thread.
    if (any_of(instructions(f_), [](const Instruction& i) { return isa<AllocaInst>(i); })) {
      return false;
    }
    SmallVector<striding_loop, 4> found;
    for (Loop* const l : loops_) {
      striding_loop s{l, l->getLoopPreheader(), l->getExitBlock(), nullptr, {}};
      if (fits(s)) found.push_back(std::move(s));
    }
    for (const striding_loop& s : found) change(s);
    return !found.empty();
  }

 private:
  bool fits(striding_loop& s) const {
    BasicBlock* const latch = s.loop->getLoopLatch();
    if (!s.loop->isInnermost() || s.before == nullptr || s.exit == nullptr || latch == nullptr ||
        s.loop->getExitingBlock() != latch || !s.exit->phis().empty() ||
        !isa<BranchInst>(latch->getTerminator())) {
      return false;
    }
    return begins_together(s) && counts(s, *latch) && body_fits(*s.loop);
  }

  /// Who goes past the loop does the same as who has ended it.
  bool begins_together(striding_loop& s) const {
    BasicBlock* const from = s.before->getSinglePredecessor();
    s.guard = from != nullptr ? dyn_cast<BranchInst>(from->getTerminator()) : nullptr;
    if (s.guard == nullptr || !s.guard->isConditional()) {
      s.guard = nullptr;
      return same_.is_joint(*s.before);
    }
    BasicBlock* const past = s.guard->getSuccessor(s.guard->getSuccessor(0) == s.before ? 1 : 0);
    const bool meets = past == s.exit || (s.exit->getSingleSuccessor() == past &&
                                          &s.exit->front() == s.exit->getTerminator());
    const auto may_be_early = [](const Instruction& i) {
      const auto* const call = dyn_cast<CallBase>(&i);
      if (call != nullptr && !machine_call(*call).empty()) return call->doesNotAccessMemory();
      return i.isTerminator() || loads_parameter(i) || isSafeToSpeculativelyExecute(&i);
    };
    return past != s.before && meets && past->phis().empty() && same_.is_joint(*from) &&
           all_of(*s.before, may_be_early);
  }

  bool counts(striding_loop& s, const BasicBlock& latch) const {
    bool varies = false;
    for (PHINode& phi : s.loop->getHeader()->phis()) {
      auto* const next = dyn_cast<BinaryOperator>(phi.getIncomingValueForBlock(&latch));
      if (next == nullptr || next->getOpcode() != Instruction::Add) return false;
      Value* const step = next->getOperand(next->getOperand(0) == &phi ? 1 : 0);
      const bool own = next->getOperand(0) == &phi || next->getOperand(1) == &phi;
      if (!own || !s.loop->isLoopInvariant(step) || !same_.is_uniform(*step) || !is_stride(*step)) {
        return false;
      }
      Value* const start = phi.getIncomingValueForBlock(s.before);
      varies = varies || !same_.is_uniform(*start);
      s.variables.push_back({&phi, start, step});
    }
    return varies;
  }

  static bool body_fits(const Loop& l) {
    bool touches = false;
    for (const BasicBlock* const b : l.blocks()) {
      for (const Instruction& i : *b) {
        const auto outside = [&](const User* u) {
          return !l.contains(cast<Instruction>(u)->getParent());
        };
        if (!is_quiet(i) || any_of(i.users(), outside)) return false;
        touches = touches || touches_common_memory(i);
      }
    }
    return touches;
  }

  /// "Does anybody go on?" is a vote of the block's.
  Value* vote(IRBuilder<>& b, Value* goes_on) {
    LLVMContext& c = f_.getContext();
    FunctionCallee machine = f_.getParent()->getOrInsertFunction(
        "_ZN4simt6detail10block_voteENS0_5placeEb", b.getInt32Ty(), Type::getInt8PtrTy(c),
        b.getInt64Ty(), b.getInt1Ty());
    SmallVector<Value*, 3> arguments;
    for (Type* const t : machine.getFunctionType()->params()) {
      arguments.push_back(Constant::getNullValue(t));
    }
    arguments.back() = b.CreateZExtOrTrunc(goes_on, arguments.back()->getType());
    CallInst* const call = b.CreateCall(machine, arguments);
    call->addParamAttr(static_cast<unsigned>(arguments.size() - 1), Attribute::ZExt);
    call->setDoesNotThrow();
    return b.CreateICmpNE(call, Constant::getNullValue(call->getType()));
  }

  /// Whether most threads make one round at most: then the loop is better as it was.
  Value* few_rounds(IRBuilder<>& b, const striding_loop& s) const {
    const auto* const ends = cast<BranchInst>(s.loop->getLoopLatch()->getTerminator());
    const auto* const compares = dyn_cast<ICmpInst>(ends->getCondition());
    if (compares == nullptr || compares->isEquality()) return b.getFalse();
    for (const counted& v : s.variables) {
      const Value* const next = v.phi->getIncomingValueForBlock(s.loop->getLoopLatch());
      for (unsigned i = 0; i < 2; ++i) {
        Value* const bound = compares->getOperand(1 - i);
        if (compares->getOperand(i) != next || !s.loop->isLoopInvariant(bound) ||
            !same_.is_uniform(*bound)) {
          continue;
        }
        auto* const made = dyn_cast<Instruction>(bound);
        if (made != nullptr && made->getParent() != &f_.getEntryBlock() &&
            made->getParent() != s.before) {
          continue;
        }
        return compares->isSigned() ? b.CreateICmpSGE(v.step, bound)
                                    : b.CreateICmpUGE(v.step, bound);
      }
    }
    return b.getFalse();
  }

  static void copy_blocks(ArrayRef<BasicBlock*> blocks, ValueToValueMapTy& copies, Function& f) {
    SmallVector<BasicBlock*, 8> made;
    for (BasicBlock* const b : blocks) {
      made.push_back(CloneBasicBlock(b, copies, ".side", &f));
      copies[b] = made.back();
    }
    for (BasicBlock* const b : made) {
      for (Instruction& i : *b) {
        RemapInstruction(&i, copies, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
      }
    }
  }

  //   before ─few rounds─> alone: begins? ─> the loop as it was ─> exit
  //      │
  //      └──> one: goes on? ─no─┐
  //              ▲ │            ▼
  //    round + 1 │ └─> header … latch ─> after: vote ─nobody─> exit
  //              └─────────one────────────┘
  void change(const striding_loop& s) {
    LLVMContext& c = f_.getContext();
    IRBuilder<> b(c);
    Value* begins = b.getTrue();
    if (s.guard != nullptr) {
      b.SetInsertPoint(s.guard);
      begins = s.guard->getCondition();
      if (s.guard->getSuccessor(0) != s.before) begins = b.CreateNot(begins);
      b.CreateBr(s.before);
      s.guard->eraseFromParent();
    }
    ValueToValueMapTy copies;
    copy_blocks(s.loop->getBlocks(), copies, f_);
    auto* const header = cast<BasicBlock>(copies[s.loop->getHeader()]);
    auto* const latch = cast<BasicBlock>(copies[s.loop->getLoopLatch()]);
    BasicBlock* const alone = BasicBlock::Create(c, "alone", &f_, s.loop->getHeader());
    BasicBlock* const one = BasicBlock::Create(c, "round", &f_, header);
    BasicBlock* const after = BasicBlock::Create(c, "round.end", &f_, s.exit);

    b.SetInsertPoint(s.before->getTerminator());
    b.CreateCondBr(few_rounds(b, s), alone, one);
    s.before->getTerminator()->eraseFromParent();
    b.SetInsertPoint(alone);
    b.CreateCondBr(begins, s.loop->getHeader(), s.exit);
    s.loop->getHeader()->replacePhiUsesWith(s.before, alone);

    auto* const ends = cast<BranchInst>(latch->getTerminator());
    b.SetInsertPoint(ends);
    Value* again = ends->getCondition();
    if (ends->getSuccessor(0) != header) again = b.CreateNot(again);
    b.CreateBr(after);
    ends->eraseFromParent();

    b.SetInsertPoint(one);
    PHINode* const round = b.CreatePHI(b.getInt64Ty(), 2, "round");
    PHINode* const goes_on = b.CreatePHI(b.getInt1Ty(), 2, "goes.on");
    b.CreateCondBr(goes_on, header, after);

    b.SetInsertPoint(after);
    PHINode* const next = b.CreatePHI(b.getInt1Ty(), 2);
    next->addIncoming(again, latch);
    next->addIncoming(b.getFalse(), one);
    Value* const next_round = b.CreateAdd(round, b.getInt64(1));
    b.CreateCondBr(vote(b, next), one, s.exit);
    round->addIncoming(b.getInt64(0), s.before);
    round->addIncoming(next_round, after);
    goes_on->addIncoming(begins, s.before);
    goes_on->addIncoming(next, after);

    b.SetInsertPoint(&*header->getFirstInsertionPt());
    for (const counted& v : s.variables) {
      auto* const phi = cast<PHINode>(copies[v.phi]);
      Value* const times = b.CreateZExtOrTrunc(round, phi->getType());
      phi->replaceAllUsesWith(b.CreateAdd(v.start, b.CreateMul(times, v.step)));
      phi->eraseFromParent();
    }
  }

  Function& f_;
  const LoopInfo& loops_;
  uniformity same_;
};

}  // namespace

bool go_side_by_side(Function& f, FunctionAnalysisManager& analyses) {
  LoopSimplifyPass().run(f, analyses);
  analyses.invalidate(f, PreservedAnalyses::none());
  const bool any = side_by_side(f, analyses).run();
  if (any) analyses.invalidate(f, PreservedAnalyses::none());
  return any;
}

}  // namespace simt::pass
