// Constructors of __shared__ variables, which nobody runs.
#pragma once

#include <string>
#include <string_view>

namespace simt::source_step {

/// A warning for each __shared__ variable whose constructor does something, by the optimised
/// assembly; the file and the line are those of its declaration in the `rewritten` source.
std::string warnings_of_constructors(std::string_view assembly, std::string_view rewritten);

}  // namespace simt::source_step
