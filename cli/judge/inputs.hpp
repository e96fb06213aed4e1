// The values that a hand-in is tried with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ladder/kind.hpp"

namespace warpfold::cli::judge {

enum class input_kind : std::uint8_t {
  random,  // of a select: every second one is kept
  one_value,
  few_values,
  beyond,  // one of four is in no bin
  none_kept,
  all_kept,
  few_kept
};
constexpr std::string_view name_of(input_kind k) {
  constexpr std::string_view names[] = {"random",         "one value", "8 different values",
                                        "some of no bin", "none kept", "all kept",
                                        "1 % kept"};
  return names[static_cast<std::size_t>(k)];
}

/// The kinds that a ladder is tried with beside random values.
std::span<const input_kind> further_inputs(ladder::ladder_kind kind);

template <class F>
auto with_type(std::string_view name, F&& f) {
  if (name == "i32") return f(std::int32_t{});
  if (name == "u32") return f(std::uint32_t{});
  if (name == "i64") return f(std::int64_t{});
  if (name == "f32") return f(float{});
  if (name == "f64") return f(double{});
  throw std::invalid_argument("there is no type " + std::string(name));
}

struct input_shape {
  std::string_view type;
  std::size_t n = 0;
  input_kind kind = input_kind::random;
  unsigned bins = 0;  // of a histogram
};
/// Throws std::invalid_argument for an unknown type.
std::vector<std::byte> input_of(ladder::ladder_kind kind, const input_shape& s, std::uint64_t seed);

}  // namespace warpfold::cli::judge
