#include "scattered.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "uniform.hpp"
#include "versions.hpp"

namespace simt::pass {

using namespace llvm;

namespace {

constexpr unsigned most_scattered = 8, lanes_of_warp = 32;

bool is_scattered(Instruction& i, const Loop& l, ScalarEvolution& evolution) {
  Value* const at = getLoadStorePointerOperand(&i);
  if (at == nullptr) return false;
  const SCEV* const address = evolution.getSCEV(at);
  if (evolution.isLoopInvariant(address, &l)) return false;
  const auto* const line = dyn_cast<SCEVAddRecExpr>(address);
  const auto* const step = line != nullptr && line->getLoop() == &l && line->isAffine()
                               ? dyn_cast<SCEVConstant>(line->getOperand(1))
                               : nullptr;
  return step == nullptr || step->getAPInt().abs().ugt(cache_line);
}

}  // namespace

void spare_scattered(Function& f, FunctionAnalysisManager& analyses) {
  auto& evolution = analyses.getResult<ScalarEvolutionAnalysis>(f);
  for (Loop* const l : analyses.getResult<LoopAnalysis>(f).getLoopsInPreorder()) {
    if (!l->isInnermost() || l->getLoopID() == nullptr ||
        evolution.getSmallConstantTripCount(l) != lanes_of_warp) {
      continue;
    }
    unsigned scattered = 0;
    for (BasicBlock* const b : l->blocks()) {
      scattered += static_cast<unsigned>(
          count_if(*b, [&](Instruction& i) { return is_scattered(i, *l, evolution); }));
    }
    if (scattered > most_scattered) {
      addStringMetadataToLoop(l, "llvm.loop.vectorize.width", 1);
    }
  }
}

}  // namespace simt::pass
