// The text of LLVM's assembly, taken apart.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

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

/// The name that begins behind the @ or $ at `at`, quoted or not.
inline std::string_view name_at(std::string_view line, std::size_t at) {
  const auto begin = at + 1;
  if (line.substr(begin, 1) == "\"")
    return line.substr(begin, line.find('"', begin + 1) + 1 - begin);
  const auto end = line.find_first_of(" (),", begin);
  return line.substr(begin, std::min(end, line.size()) - begin);
}

/// The arguments between the bracket at `open` and its closing one; `end` is behind that.
inline std::vector<std::string_view> arguments_at(std::string_view line, std::size_t open,
                                                  std::size_t& end) {
  std::vector<std::string_view> all;
  std::size_t depth = 0, begin = open + 1;
  bool quoted = false;
  for (end = open; end < line.size(); ++end) {
    const char c = line[end];
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '(' || c == '[' || c == '{' || c == '<') ++depth;
    if (c == ')' || c == ']' || c == '}' || c == '>') --depth;
    if (depth > 1 || (depth == 1 && c != ',')) continue;
    if (depth == 0 || c == ',') {
      all.push_back(line.substr(begin, end - begin));
      begin = end + 2;  // behind the blank
    }
    if (depth == 0) break;
  }
  ++end;
  return all;
}

}  // namespace simt::source_step
