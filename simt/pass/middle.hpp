// Takes the threads of a block that pass all bounds (`if (i < n)`) out of its loops: a loop of
// their own asks nothing, so it is vectorised as the loop that one would write by hand.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace simt::pass {

/// Reads parameters once for the block, whichever of its threads use them.
void hoist_parameters(llvm::Function& f);

/// Splits innermost loops over threads: a middle part, in which each comparison with a bound has
/// one result and no index wraps, and the loop as it was for what is left on both sides.
void split_off_middles(llvm::Function& f, llvm::FunctionAnalysisManager& analyses);

}  // namespace simt::pass
