// What each kernel of a file takes, put into a section of its object: its address, the bytes of its
// __shared__ variables, which cudaFuncGetAttributes tells, and those of its local ones, for which a
// device makes room before it launches.
#pragma once

#include <llvm/IR/Module.h>

namespace simt::observe {

/// Functions of other files that a kernel calls are not looked into.
void put_kernel_sizes(llvm::Module& m);

}  // namespace simt::observe
