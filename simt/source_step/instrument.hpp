// What clang's coverage callbacks leave out of a kernel file, put into its LLVM assembly after the
// optimiser: a struct that is copied whole is one intrinsic there, which they do not see, and
// neither do they see accesses of three bytes, five or 32.
//
//   call void @llvm.memcpy…(to, from, bytes, …)   call void @simt_copy(to, from, bytes, width)
//   call void @llvm.memset…(to, value, bytes, …)  call void @simt_fill(to, value, bytes, width)
//   store i24 …, p                                call void @simt_store_parts(p, …); store …
//   define linkonce_odr … @_ZNSt…                 define internal …
//
// The standard library's inline functions stay in the file: the linker would else take the copy
// with callbacks for host code, for the machine and for the C++ library itself.
#pragma once

#include <string>
#include <string_view>

namespace simt::source_step {

std::string instrument(std::string_view assembly);

}  // namespace simt::source_step
