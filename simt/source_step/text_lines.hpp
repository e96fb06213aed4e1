// A text, line by line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace simt::source_step {

inline constexpr auto npos = std::string_view::npos;

/// Calls `f(line)` for each line, which has no end of line.
template <class F>
void for_each_line(std::string_view text, F f) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    f(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace simt::source_step
