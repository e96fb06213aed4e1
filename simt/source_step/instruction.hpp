// One instruction of LLVM's assembly, taken apart.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace simt::source_step {

/// A line of LLVM's assembly: `%to = call float @sqrtf(float %1)`.
struct instruction {
  std::string_view to, opcode, rest;

  explicit instruction(std::string_view line) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (const auto comment = line.find(", !"); comment != std::string_view::npos)
      line = line.substr(0, comment);
    if (line.starts_with("%")) {
      const auto end = line.find(" = ");
      if (end == std::string_view::npos) return;
      to = line.substr(0, end);
      line.remove_prefix(end + 3);
    }
    for (const std::string_view marker : {"tail ", "musttail ", "notail "}) {
      if (line.starts_with(marker)) line.remove_prefix(marker.size());
    }
    const auto end = std::min(line.find(' '), line.size());
    opcode = line.substr(0, end);
    rest = line.substr(end);
  }

  [[nodiscard]] bool has(std::string_view word) const {
    return rest.find(word) != std::string_view::npos;
  }
  [[nodiscard]] bool is(std::initializer_list<std::string_view> opcodes) const {
    return std::find(opcodes.begin(), opcodes.end(), opcode) != opcodes.end();
  }
  /// Of 64 bits; pointers are of as many.
  [[nodiscard]] bool is_wide() const { return has(" i64 ") || has("* ") || has(" ptr "); }
  /// The last operand, if it is a number.
  [[nodiscard]] std::optional<std::int64_t> constant() const {
    const auto at = rest.rfind(", ");
    if (at == std::string_view::npos) return {};
    std::int64_t value = 0;
    const std::string_view text = rest.substr(at + 2);
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc{}) return {};
    return value;
  }
};

/// The name that begins with the % at `at`.
inline std::string_view name_from(std::string_view text, std::size_t at) {
  return text.substr(at, std::min(text.find_first_of(" ,()[]{}*>", at), text.size()) - at);
}

/// The first pointer among the operands, behind all types; "" if it is no named value.
inline std::string_view pointer_in(std::string_view operands) {
  auto at = operands.find("* %");
  at = at != operands.npos ? at + 2 : operands.find("ptr %");
  if (at == operands.npos) return {};
  return name_from(operands, operands.find('%', at));
}

/// Calls `f(name)` for each value that stands in the text.
template <class F>
void for_each_value(std::string_view text, F f) {
  for (auto at = text.find('%'); at != text.npos; at = text.find('%', at + 1))
    f(name_from(text, at));
}

/// The callback of a basic block, and the block's number in its function.
inline constexpr std::string_view guard_call = "@__sanitizer_cov_trace_pc_guard(";
inline std::size_t number_of(std::string_view line) {
  constexpr std::string_view offset = "to i64), i64 ";
  std::size_t bytes = 0;
  if (const auto at = line.find(offset); at != std::string_view::npos) {
    const std::string_view digits = line.substr(at + offset.size());
    std::from_chars(digits.data(), digits.data() + digits.size(), bytes);
  }
  return bytes / sizeof(std::uint32_t);
}

}  // namespace simt::source_step
