// Marks where a thread passes a barrier of its block, whether or not it arrived at it. Instrumented
// code calls the machine at both places:
//
//   if (mine) {                        if (mine) {
//     __syncthreads();                   simt_comes_to(barrier); __syncthreads();
//   }                                  }
//   …                                  simt_passes(barrier); …
//
// A barrier that every thread reaches unless it returns has no such calls.
#pragma once

#include <llvm/IR/Module.h>

namespace simt::pass {

void mark_passing(llvm::Module& m);

}  // namespace simt::pass
