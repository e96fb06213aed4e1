#include "pipelines.hpp"

#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Vectorize/LoopVectorize.h>
#include <llvm/Transforms/Vectorize/SLPVectorizer.h>

#include "passing.hpp"
#include "versions.hpp"

namespace simt::pass {

using namespace llvm;

namespace {

constexpr const char* held = "simt-finished";

}  // namespace

passes::passes(PassBuilder& builder)
    : simplify(builder.buildFunctionSimplificationPipeline(OptimizationLevel::O2,
                                                           ThinOrFullLTOPhase::None)),
      simplify_loops(builder.buildFunctionSimplificationPipeline(OptimizationLevel::O3,
                                                                 ThinOrFullLTOPhase::None)) {
  clean.addPass(sroa());
  clean.addPass(EarlyCSEPass());
  clean.addPass(SimplifyCFGPass());
  unroll.addPass(createFunctionToLoopPassAdaptor(LoopFullUnrollPass(2)));
  unroll.addPass(InstCombinePass());
  unroll.addPass(EarlyCSEPass());
  unroll.addPass(SimplifyCFGPass());
  simplify_loops.addPass(createFunctionToLoopPassAdaptor(LoopRotatePass()));
  // Each lane's code is simple already.
  simplify_lanes.addPass(sroa());
  simplify_lanes.addPass(EarlyCSEPass(true));
  simplify_lanes.addPass(SimplifyCFGPass());
  simplify_lanes.addPass(InstCombinePass());
  simplify_lanes.addPass(createFunctionToLoopPassAdaptor(LoopRotatePass()));
  simplify_lanes.addPass(createFunctionToLoopPassAdaptor(licm(), true));
  simplify_lanes.addPass(createFunctionToLoopPassAdaptor(IndVarSimplifyPass()));
  simplify_lanes.addPass(GVNPass());
  simplify_lanes.addPass(ADCEPass());
  tidy.addPass(SimplifyCFGPass());
  tidy.addPass(EarlyCSEPass());
  vectorise_lanes.addPass(LoopVectorizePass());
  vectorise_lanes.addPass(InstCombinePass());
  vectorise_lanes.addPass(SimplifyCFGPass(SimplifyCFGOptions().convertSwitchRangeToICmp(true)));
  vectorise.addPass(LoopVectorizePass());
  vectorise.addPass(InstCombinePass());
  vectorise.addPass(SimplifyCFGPass(SimplifyCFGOptions().convertSwitchRangeToICmp(true)));
  vectorise.addPass(SLPVectorizerPass());
  vectorise.addPass(InstCombinePass());
  vectorise.addPass(LoopUnrollPass(LoopUnrollOptions(2)));
  vectorise.addPass(InstCombinePass());
  vectorise.addPass(SimplifyCFGPass());
}

void hold(Function& f) {
  f.addFnAttr(held);
  f.addFnAttr(Attribute::NoInline);
  f.addFnAttr(Attribute::OptimizeNone);
}

PreservedAnalyses let_go_of_plain_kernels::run(Module& m, ModuleAnalysisManager& /*analyses*/) {
  for (Function& f : m) {
    if (!f.hasFnAttribute(held)) continue;
    f.removeFnAttr(held);
    f.removeFnAttr(Attribute::OptimizeNone);
  }
  mark_passing(m);
  return PreservedAnalyses::none();
}

}  // namespace simt::pass
