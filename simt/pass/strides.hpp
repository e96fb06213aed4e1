// Loops in which all threads of a block go through memory side by side, as those over a grid's
// stride: their rounds are made by all threads, one after the other, so that neighbours are touched
// together. Otherwise each thread would go through all of the memory before the next one begins.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace simt::pass {

/// Puts a vote on whether anybody goes on in front of each round. True if it has found such a loop.
/// Only of a kernel whose threads are to be loops.
bool go_side_by_side(llvm::Function& f, llvm::FunctionAnalysisManager& analyses);

}  // namespace simt::pass
