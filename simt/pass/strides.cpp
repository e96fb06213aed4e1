#include "strides.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>

#include "names.hpp"
#include "uniform.hpp"

namespace simt::pass {

using namespace llvm;

namespace {

constexpr std::uint64_t cache_line = 64;

bool cuts_anything(const Loop& l) {
  for (const BasicBlock* const b : l.blocks()) {
    for (const Instruction& i : *b) {
      const auto* const call = dyn_cast<CallBase>(&i);
      if (call == nullptr) continue;
      const StringRef name = machine_call(*call);
      if (name.startswith("warp_") || name == "block_barrier" || name == "block_vote" ||
          name == "converged_lanes") {
        return true;
      }
    }
  }
  return false;
}

/// Whether an access goes on by a step that is not known, or a large one.
bool strides(Instruction& i, const Loop& l, ScalarEvolution& evolution) {
  Value* const at = getLoadStorePointerOperand(&i);
  if (at == nullptr || isa<AllocaInst>(getUnderlyingObject(at, 0))) return false;
  const auto* const line = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(at));
  if (line == nullptr || line->getLoop() != &l || !line->isAffine()) return false;
  const auto* const step = dyn_cast<SCEVConstant>(line->getOperand(1));
  return step == nullptr || step->getAPInt().abs().uge(cache_line);
}

}  // namespace

SmallVector<BasicBlock*, 8> loops_to_cut(Function& f, FunctionAnalysisManager& analyses) {
  const auto& loops = analyses.getResult<LoopAnalysis>(f);
  SmallVector<BasicBlock*, 8> found;
  if (loops.empty()) return found;
  auto& evolution = analyses.getResult<ScalarEvolutionAnalysis>(f);
  const uniformity same(f, loops, analyses.getResult<PostDominatorTreeAnalysis>(f));
  for (const Loop* const l : loops.getLoopsInPreorder()) {
    const BasicBlock* const before = l->getLoopPreheader();
    if (before == nullptr || !same.is_joint(*before) || cuts_anything(*l)) continue;
    const auto differs = [&](Instruction& i) {
      return loops.getLoopFor(i.getParent()) == l && strides(i, *l, evolution) &&
             !same.is_uniform(*getLoadStorePointerOperand(&i));
    };
    if (any_of(l->blocks(), [&](BasicBlock* b) { return any_of(*b, differs); })) {
      found.push_back(l->getHeader());
    }
  }
  return found;
}

}  // namespace simt::pass
