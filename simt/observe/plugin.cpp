// A plugin of the clang that compiles kernels for the CPU machine: what the machine observes of
// them. Before the optimiser, accesses that it would not leave as the source has them are put as
// they are to be seen; after it, and after clang's coverage callbacks, the rest.
//
//   source -> note_volatiles, widen_copies -> optimiser -> callbacks -> note_polls,
//   name_constructors, place_blocks, put_costs, add_accesses, keep_standard_library,
//   put_kernel_sizes -> object
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>

#include "accesses.hpp"
#include "constructors.hpp"
#include "costs.hpp"
#include "kernel_sizes.hpp"
#include "positions.hpp"
#include "standard_library.hpp"
#include "volatiles.hpp"
#include "wide_copies.hpp"

namespace simt::observe {

using namespace llvm;

namespace {

struct before_optimiser : PassInfoMixin<before_optimiser> {
  static bool isRequired() { return true; }
  PreservedAnalyses run(Module& m, ModuleAnalysisManager&) {
    note_volatiles(m);
    widen_copies(m);
    return PreservedAnalyses::none();
  }
};

void observe(Module& m) {
  note_polls(m);
  name_constructors(m);
  place_blocks(m);
  put_costs(m);
  add_accesses(m);
  keep_standard_library(m);
  put_kernel_sizes(m);
}

/// Clang puts its callbacks in behind all that a plugin can add to the pipeline.
void after_pass(StringRef pass, Any code, const PreservedAnalyses&) {
  if (pass.contains("SanitizerCoveragePass"))
    observe(const_cast<Module&>(*any_cast<const Module*>(code)));
}

}  // namespace

}  // namespace simt::observe

extern "C" LLVM_ATTRIBUTE_WEAK llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "simt-observe", LLVM_VERSION_STRING,
          [](llvm::PassBuilder& builder) {
            builder.registerPipelineStartEPCallback(
                [](llvm::ModulePassManager& all, llvm::OptimizationLevel) {
                  all.addPass(simt::observe::before_optimiser());
                });
            builder.getPassInstrumentationCallbacks()->registerAfterPassCallback(
                simt::observe::after_pass);
          }};
}
