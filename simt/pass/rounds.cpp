#include "rounds.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>

#include "names.hpp"
#include "versions.hpp"

namespace simt::pass {

using namespace llvm;

namespace {

constexpr unsigned few_rounds = 64;  // as a loop has that halves a number

bool is_barrier(const Instruction& i) {
  const auto* const call = dyn_cast<CallBase>(&i);
  return call != nullptr && is_block_barrier(machine_call(*call));
}

bool meets_in_every_round(const Loop& l, const DominatorTree& before) {
  const BasicBlock* const latch = l.getLoopLatch();
  if (latch == nullptr) return false;
  for (const BasicBlock* const b : l.blocks()) {
    if (before.dominates(b, latch) && any_of(*b, is_barrier)) return true;
  }
  return false;
}

bool only_reads(const Loop& l) {
  for (const BasicBlock* const b : l.blocks()) {
    for (const Instruction& i : *b) {
      if (i.mayWriteToMemory() && !isa<DbgInfoIntrinsic>(i) && !i.isLifetimeStartOrEnd()) {
        return false;
      }
    }
  }
  return true;
}

const Loop* outermost(const Loop* l) {
  while (l->getParentLoop() != nullptr) l = l->getParentLoop();
  return l;
}

struct asking_loop {
  BasicBlock* header;
  SmallVector<BasicBlock*, 4> latches;
  bool only_reads;  // and so do all loops around it
};

class asker {
 public:
  explicit asker(Function& f) : f_(f), word_(Type::getInt32Ty(f.getContext())) {}

  void ask_in(const asking_loop& l) {
    IRBuilder<> b(&l.header->front());
    PHINode* const left = b.CreatePHI(word_, 2);
    BasicBlock* const rest = l.header->splitBasicBlock(l.header->getFirstInsertionPt());
    ends_in_[l.header] = rest;
    BasicBlock* const slow = BasicBlock::Create(f_.getContext(), "ask", &f_, rest);
    l.header->getTerminator()->eraseFromParent();
    b.SetInsertPoint(l.header);
    Value* const fewer = b.CreateSub(left, b.getInt32(1));
    b.CreateCondBr(b.CreateICmpEQ(fewer, b.getInt32(0)), slow, rest,
                   MDBuilder(f_.getContext()).createBranchWeights(1, rounds_between));
    b.SetInsertPoint(slow);
    ask(b, l.only_reads);
    b.CreateBr(rest);
    b.SetInsertPoint(&rest->front());
    PHINode* const now = b.CreatePHI(word_, 2);
    now->addIncoming(fewer, l.header);
    now->addIncoming(b.getInt32(rounds_between), slow);
    for (BasicBlock* const p : predecessors(l.header)) {
      const bool again = any_of(l.latches, [&](BasicBlock* latch) { return end_of(latch) == p; });
      left->addIncoming(again ? static_cast<Value*>(now) : b.getInt32(rounds_between), p);
    }
  }

 private:
  /// A header that asks is two blocks.
  BasicBlock* end_of(BasicBlock* b) const {
    BasicBlock* const end = ends_in_.lookup(b);
    return end != nullptr ? end : b;
  }

  Function& f_;
  Type* word_;
  DenseMap<BasicBlock*, BasicBlock*> ends_in_;
};

}  // namespace

CallInst* ask(IRBuilder<>& b, bool only_reads) {
  Module& m = *b.GetInsertBlock()->getModule();
  const FunctionCallee machine =
      m.getOrInsertFunction(keeps_running, b.getVoidTy(), b.getInt32Ty(), b.getInt32Ty());
  CallInst* const call = b.CreateCall(machine, {b.getInt32(0), b.getInt32(only_reads ? 1 : 0)});
  call->addFnAttr(Attribute::Cold);
  call->setDoesNotThrow();
  call->setOnlyAccessesInaccessibleMemory();
  return call;
}

void ask_at_times(IRBuilder<>& b, Value* left, Value* thread) {
  Function* const f = b.GetInsertBlock()->getParent();
  BasicBlock* const slow = BasicBlock::Create(b.getContext(), "ask", f);
  BasicBlock* const rest = BasicBlock::Create(b.getContext(), "rest", f);
  Value* const fewer = b.CreateSub(b.CreateLoad(b.getInt32Ty(), left), b.getInt32(1));
  b.CreateStore(fewer, left);
  b.CreateCondBr(b.CreateICmpEQ(fewer, b.getInt32(0)), slow, rest,
                 MDBuilder(b.getContext()).createBranchWeights(1, rounds_between));
  b.SetInsertPoint(slow);
  b.CreateStore(b.getInt32(rounds_between), left);
  ask(b, false)->setArgOperand(0, thread);
  b.CreateBr(rest);
  b.SetInsertPoint(rest);
}

void ask_at_times(IRBuilder<>& b, Value* passed) {
  constexpr std::uint64_t rounds = 256;
  Function* const f = b.GetInsertBlock()->getParent();
  BasicBlock* const slow = BasicBlock::Create(b.getContext(), "ask", f);
  BasicBlock* const rest = BasicBlock::Create(b.getContext(), "rest", f);
  b.CreateCondBr(b.CreateICmpEQ(b.CreateURem(passed, b.getInt64(rounds)), b.getInt64(0)), slow,
                 rest);
  b.SetInsertPoint(slow);
  ask(b, false);
  b.CreateBr(rest);
  b.SetInsertPoint(rest);
}

void count_rounds(Function& f, FunctionAnalysisManager& analyses, ArrayRef<strided_loop> strided) {
  auto& loops = analyses.getResult<LoopAnalysis>(f);
  auto& evolution = analyses.getResult<ScalarEvolutionAnalysis>(f);
  const auto& before = analyses.getResult<DominatorTreeAnalysis>(f);
  SmallVector<asking_loop, 8> asking;
  for (const Loop* const l : loops.getLoopsInPreorder()) {
    const bool ends = evolution.hasLoopInvariantBackedgeTakenCount(l);
    const bool is_short = evolution.getSmallConstantTripCount(l) != 0;
    const unsigned most = evolution.getSmallConstantMaxTripCount(l);
    const bool ends_soon = ends || (most != 0 && most <= few_rounds);
    if (is_short || (ends_soon && l->isInnermost()) || meets_in_every_round(*l, before) ||
        any_of(strided, [&](const strided_loop& s) { return s.header == l->getHeader(); })) {
      continue;
    }
    SmallVector<BasicBlock*, 4> latches;
    l->getLoopLatches(latches);
    asking.push_back({l->getHeader(), latches, only_reads(*outermost(l))});
  }
  asker all(f);
  for (const asking_loop& l : asking) all.ask_in(l);
  analyses.invalidate(f, PreservedAnalyses::none());
}

}  // namespace simt::pass
