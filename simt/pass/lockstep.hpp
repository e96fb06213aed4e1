// Volatile accesses of a warp's converged lanes, one statement after the other: all lanes load,
// then all store, as code from before Volta takes for granted.
#pragma once

#include <string>

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace simt::pass {

/// Puts meetings of lanes in place of the calls that note volatile accesses: before each access
/// that has to come behind another one of another lane, where nothing else orders the two. Returns
/// where the first is that relies on it, "file.cu:7", or "".
std::string meet_at_volatiles(llvm::Function& f, llvm::FunctionAnalysisManager& analyses);

}  // namespace simt::pass
