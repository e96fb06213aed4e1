// Loops that a warp's lanes go round together: those in which each lane reads far from where it read
// in the round before, and near to where its neighbours do.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace simt::pass {

/// Their headers.
llvm::SmallVector<llvm::BasicBlock*, 8> loops_to_cut(llvm::Function& f,
                                                     llvm::FunctionAnalysisManager& analyses);

}  // namespace simt::pass
