// Where a thread has passed by a barrier of its block that it did not come to. Calls of the machine
// tell it of both, in the code that observers look on at:
//
//   if (mine) {                        if (mine) {
//     __syncthreads();                   simt_comes_to(barrier); __syncthreads();
//   }                                  }
//   …                                  simt_passes(barrier); …
//
// A barrier that all come to who go on has no such calls.
#pragma once

#include <llvm/IR/Module.h>

namespace simt::pass {

void tell_of_passing(llvm::Module& m);

}  // namespace simt::pass
