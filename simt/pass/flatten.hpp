// A kernel and all that it calls as one function, and what keeps it from being run block by block.
#pragma once

#include <string>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace simt::pass {

struct flat_kernel {
  std::string waits;      // why its threads need the machine's time slices, or ""
  bool meets = false;     // lanes of its warps do
  std::string switches;   // what lets another thread run in the midst of it, or ""
  std::string relies_at;  // the place where lanes must be in lockstep, or ""
};

/// Whether what decides when the loop ends is made of constants, parameters and the loop's own
/// variables: then nobody else's doing ends it.
bool ends_by_itself(const llvm::Loop& l);

/// Puts the code of what `f` calls into `f`, simplifies it, and says what is left. Operations of a
/// warp are meetings of its lanes where `lanes` is set, else they let other threads run; loops
/// around them are unrolled if that makes no more than `most_meetings`.
flat_kernel flatten(llvm::Function& f, llvm::FunctionAnalysisManager& analyses,
                    llvm::FunctionPassManager& clean, llvm::FunctionPassManager& simplify,
                    bool lanes, unsigned most_meetings);

}  // namespace simt::pass
