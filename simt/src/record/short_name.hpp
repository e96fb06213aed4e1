// Names of kernels as a person wants them.
#pragma once

#include <string>
#include <string_view>

namespace simt::detail {

/// Without namespaces, and with what a wrapper that only counts stands for:
/// "a::kernel<int, b::counting_operator<b::plus, c> >" is "kernel<int, plus>".
std::string short_name(std::string_view full);

}  // namespace simt::detail
