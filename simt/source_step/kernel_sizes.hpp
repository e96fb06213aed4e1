// What each kernel of a file takes, put into a section of its object: its address, the bytes of its
// __shared__ variables, which cudaFuncGetAttributes tells, and those of its local ones, for which a
// device makes room before it launches.
#pragma once

#include <string>
#include <string_view>

namespace simt::source_step {

/// LLVM's assembly after the optimiser, with the section. Functions of other files that a kernel
/// calls are not looked into.
std::string with_kernel_sizes(std::string_view assembly);

}  // namespace simt::source_step
