#include "strides.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>

#include "uniform.hpp"

namespace simt::pass {

using namespace llvm;

namespace {

/// Whether an access goes on by a step that is not known, or a large one.
bool strides(Instruction& i, const Loop& l, ScalarEvolution& evolution) {
  Value* const at = getLoadStorePointerOperand(&i);
  if (at == nullptr || isa<AllocaInst>(getUnderlyingObject(at, 0))) return false;
  const SCEV* const address = evolution.getSCEV(at);
  return SCEVExprContains(address, [&](const SCEV* s) {
    const auto* const line = dyn_cast<SCEVAddRecExpr>(s);
    if (line == nullptr || line->getLoop() != &l || !line->isAffine()) return false;
    const auto* const step = dyn_cast<SCEVConstant>(line->getOperand(1));
    return step == nullptr || (s == address && step->getAPInt().abs().uge(cache_line));
  });
}

/// Whether it loads or stores a sum that nobody reads otherwise, as an atomic of shared memory has
/// become: which thread adds first makes no difference.
bool is_of_sum(const Instruction& i) {
  const auto* store = dyn_cast<StoreInst>(&i);
  if (isa<LoadInst>(i) && i.hasOneUse() && i.user_back()->hasOneUse()) {
    store = dyn_cast<StoreInst>(i.user_back()->user_back());
  }
  const auto* const sum =
      store != nullptr ? dyn_cast<BinaryOperator>(store->getValueOperand()) : nullptr;
  if (sum == nullptr || sum->getOpcode() != Instruction::Add || !sum->hasOneUse()) return false;
  const auto* const before = dyn_cast<LoadInst>(sum->getOperand(0));
  return before != nullptr && before->isVolatile() && before->hasOneUse() &&
         before->getPointerOperand() == store->getPointerOperand() && (store == &i || before == &i);
}

/// Whether lanes may go a round together, and gain by it: no place but that of a sum is one that
/// only a loaded value tells.
bool suits_lanes(const Loop& l, const LoopInfo& loops, ScalarEvolution& evolution) {
  if (!l.isInnermost()) return false;
  for (BasicBlock* const b : l.blocks()) {
    for (Instruction& i : *b) {
      if (is_of_sum(i)) continue;
      const auto* const call = dyn_cast<CallBase>(&i);
      if (i.isAtomic() || i.isVolatile() || (call != nullptr && i.mayReadOrWriteMemory())) {
        return false;
      }
      Value* const at = getLoadStorePointerOperand(&i);
      if (at == nullptr) continue;
      const bool found = SCEVExprContains(evolution.getSCEV(at), [&](const SCEV* s) {
        const auto* const value = dyn_cast<SCEVUnknown>(s);
        const auto* const made =
            value != nullptr ? dyn_cast<Instruction>(value->getValue()) : nullptr;
        return made != nullptr && loops.getLoopFor(made->getParent()) == &l;
      });
      if (found) return false;
    }
  }
  return true;
}

/// Whether all threads come to the loop, but for those that have no round to go.
bool all_come(const Loop& l, const uniformity& same) {
  const BasicBlock* const before = l.getLoopPredecessor();
  if (before == nullptr || l.getLoopLatch() == nullptr) return false;
  const bool is_guard = before->getSingleSuccessor() == nullptr;
  if (!is_guard && same.is_joint(*before)) return true;
  const BasicBlock* const guard = is_guard ? before : before->getSinglePredecessor();
  if (guard == nullptr || !same.is_joint(*guard)) return false;
  const auto* const branch = dyn_cast<BranchInst>(guard->getTerminator());
  if (branch == nullptr || !branch->isConditional()) return false;
  const auto* const compare = dyn_cast<ICmpInst>(branch->getCondition());
  return compare != nullptr && !compare->isEquality();  // which are for single threads
}

/// Integers that go on by the same for all rounds.
SmallVector<PHINode*, 2> lines_of(const Loop& l) {
  SmallVector<PHINode*, 2> found;
  for (PHINode& phi : l.getHeader()->phis()) {
    if (!phi.getType()->isIntegerTy(32) && !phi.getType()->isIntegerTy(64)) continue;
    const auto* const next =
        dyn_cast<BinaryOperator>(phi.getIncomingValueForBlock(l.getLoopLatch()));
    if (next == nullptr || next->getOpcode() != Instruction::Add) continue;
    const auto by = [&](unsigned i) {
      return next->getOperand(i) == &phi && l.isLoopInvariant(next->getOperand(1 - i));
    };
    if (by(0) || by(1)) found.push_back(&phi);
  }
  return found;
}

}  // namespace

SmallVector<strided_loop, 4> strided_loops(Function& f, FunctionAnalysisManager& analyses) {
  const auto& loops = analyses.getResult<LoopAnalysis>(f);
  SmallVector<strided_loop, 4> found;
  if (loops.empty()) return found;
  auto& evolution = analyses.getResult<ScalarEvolutionAnalysis>(f);
  const uniformity same(f, loops, analyses.getResult<PostDominatorTreeAnalysis>(f));
  for (const Loop* const l : loops.getLoopsInPreorder()) {
    if (!suits_lanes(*l, loops, evolution) || !all_come(*l, same)) continue;
    const auto differs = [&](Instruction& i) {
      return loops.getLoopFor(i.getParent()) == l && strides(i, *l, evolution) &&
             !same.is_uniform(*getLoadStorePointerOperand(&i));
    };
    if (any_of(l->blocks(), [&](BasicBlock* b) { return any_of(*b, differs); })) {
      // Where lanes count alike, vectors would have to gather.
      const SmallVector<PHINode*, 2> lines = lines_of(*l);
      const bool alike = any_of(lines, [&](PHINode* i) { return same.is_uniform(*i); });
      if (!lines.empty() && !alike) found.push_back({l->getHeader(), lines});
    }
  }
  return found;
}

}  // namespace simt::pass
