// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace simt::detail {

/// 1234567: "1,234,567".
std::string with_separators(std::uint64_t value);
/// With this many decimals.
std::string fixed(double value, int decimals);
/// The same, but with none where they would be zeros.
std::string decimal(double value, int decimals);
/// Filled with blanks on the left; every character counts as one column.
std::string right(std::string text, std::size_t width);

/// "transpose.cu" of a path.
std::string base_name(const std::string& path);

}  // namespace simt::detail
