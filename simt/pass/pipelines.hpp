// What LLVM's own passes do with plain kernels, and that they leave finished ones alone.
#pragma once

#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>

namespace simt::pass {

struct passes {
  llvm::FunctionPassManager clean, simplify, unroll, simplify_loops, simplify_lanes, tidy,
      vectorise, vectorise_lanes;

  explicit passes(llvm::PassBuilder& builder);
};

/// What else compiles its file leaves the kernel as it is.
void hold(llvm::Function& f);

/// The compiler's back end takes them as any other.
struct let_go_of_plain_kernels : llvm::PassInfoMixin<let_go_of_plain_kernels> {
  static bool isRequired() { return true; }
  static llvm::PreservedAnalyses run(llvm::Module& m, llvm::ModuleAnalysisManager& analyses);
};

}  // namespace simt::pass
