// Constructors of __shared__ variables, which nobody runs.
#pragma once

#include <string>
#include <string_view>

namespace simt::source_step {

/// Takes what the plugin says of __shared__ variables whose constructor does something out of the
/// compiler's messages, and makes warnings of that; the file and the line are those of the
/// variable's declaration in the `rewritten` source.
std::string warnings_of_constructors(std::string& messages, std::string_view rewritten);

}  // namespace simt::source_step
