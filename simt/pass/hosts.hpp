// Code of the host in a file of kernels: nobody asks what it does.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/Module.h>

namespace simt::pass {

/// Lets functions that no kernel can come to go without callbacks: `main`, what the file alone can
/// call and its kernels don't, and, if no other file's kernels call this one's functions (`alone`),
/// all but those that files have in common.
void spare_host_code(llvm::Module& m, llvm::ArrayRef<llvm::Function*> kernels, bool alone);

}  // namespace simt::pass
