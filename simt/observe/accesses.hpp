// What clang's coverage callbacks leave out of a kernel file: a struct that is copied whole is one
// intrinsic, which they do not see, and neither do they see accesses of three bytes, five or 32.
//
//   call void @llvm.memcpy…(to, from, bytes, …)   call void @simt_copy(to, from, bytes, width)
//   call void @llvm.memset…(to, value, bytes, …)  call void @simt_fill(to, value, bytes, width)
//   store i24 …, p                                call void @simt_store_parts(p, …); store …
//
// The optimiser makes one access of several small ones, at an address that may be no multiple of
// its size. A device would not: such an access is told in parts.
#pragma once

#include <llvm/IR/Module.h>

namespace simt::observe {

void add_accesses(llvm::Module& m);

}  // namespace simt::observe
