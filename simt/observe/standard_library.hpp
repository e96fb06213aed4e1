// The standard library's inline functions stay in the file: the linker would else take the copy
// with callbacks for host code, for the machine and for the C++ library itself.
//
//   define linkonce_odr … @_ZNSt…    define internal …
#pragma once

#include <llvm/IR/Module.h>

namespace simt::observe {

void keep_standard_library(llvm::Module& m);

}  // namespace simt::observe
