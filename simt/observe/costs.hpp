// What each basic block of a kernel file costs a device, put beside its place in clang's table of
// basic blocks.
#pragma once

#include <vector>

#include <llvm/IR/Module.h>

#include "simt/abi/block_costs.hpp"

namespace simt::observe {

/// One function's blocks, in the order of their callbacks.
std::vector<instruction_counts> costs_of(llvm::Function& f);

void put_costs(llvm::Module& m);

}  // namespace simt::observe
