// Loops over a warp's lanes whose accesses are too far apart for vectors.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace simt::pass {

/// Leaves loops over a warp's lanes without vectors where lanes read or write in many places apart:
/// each would be as many instructions as a vector has lanes.
void spare_scattered(llvm::Function& f, llvm::FunctionAnalysisManager& analyses);

}  // namespace simt::pass
