// Where basic blocks lie in the source.
//
// The compiler gives a block's callback the line of the block's first instruction, which may be
// arithmetic that the optimiser moved there from another line, or have no line at all. What stays
// where the source has it is a call, a load or a store, and how the block ends.
#pragma once

#include <llvm/IR/Module.h>

namespace simt::observe {

void place_blocks(llvm::Module& m);

}  // namespace simt::observe
