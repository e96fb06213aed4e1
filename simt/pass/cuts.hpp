// Where all threads of a block come to before any goes on: barriers, and branches that all take the
// same way, for the sake of the barriers behind them. What lives across a cut is put into memory.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

namespace simt::pass {

struct cut {
  llvm::BasicBlock* at = nullptr;                  // in which nothing else is
  llvm::CallInst* barrier = nullptr;               // or a branch
  llvm::AllocaInst* brought = nullptr;             // a vote's predicate, the branch's condition
  llvm::AllocaInst* taken = nullptr;               // the vote's result
  llvm::SmallVector<llvm::BasicBlock*, 2> starts;  // where threads go on
};

struct cut_kernel {
  llvm::SmallVector<cut, 8> cuts;
  llvm::SmallVector<llvm::AllocaInst*, 16> joint;  // memory of values that all threads share
  llvm::SmallVector<llvm::AllocaInst*, 16> own;    // of which every thread has one
};

cut_kernel cut_at_barriers(llvm::Function& f, llvm::FunctionAnalysisManager& analyses);

}  // namespace simt::pass
