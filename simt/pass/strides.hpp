// Loops that a warp's lanes go round together: those in which each lane reads far from where it
// read in the round before, and near to where its neighbours do.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

namespace simt::pass {

struct strided_loop {
  llvm::BasicBlock* header;
  /// Each lane's is likely to be one more than that of the lane before.
  llvm::SmallVector<llvm::PHINode*, 2> lines;
};

llvm::SmallVector<strided_loop, 4> strided_loops(llvm::Function& f,
                                                 llvm::FunctionAnalysisManager& analyses);

}  // namespace simt::pass
