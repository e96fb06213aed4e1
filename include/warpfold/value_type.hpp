// The element types that files, commands and tables speak of, and the C++ type behind each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "warpfold/error.hpp"

namespace warpfold {

/// Integers with and without a sign, and floating-point numbers, by their bits.
enum class value_type : std::uint8_t { i32, i64, u8, u32, f32, f64, u64 };

/// What a type is called, and how large a value is.
struct value_type_name {
  value_type type;        ///< The type.
  std::string_view name;  ///< As commands and tables name it: "i32".
  std::size_t bytes;      ///< Of one value.
};

/// All types, in the order of the enumeration.
inline constexpr std::array<value_type_name, 7> value_types{{{value_type::i32, "i32", 4},
                                                             {value_type::i64, "i64", 8},
                                                             {value_type::u8, "u8", 1},
                                                             {value_type::u32, "u32", 4},
                                                             {value_type::f32, "f32", 4},
                                                             {value_type::f64, "f64", 8},
                                                             {value_type::u64, "u64", 8}}};

/// "i32", "f64", …
constexpr std::string_view name_of(value_type type) {
  return value_types[static_cast<std::size_t>(type)].name;
}
/// Bytes of one value.
constexpr std::size_t size_of(value_type type) {
  return value_types[static_cast<std::size_t>(type)].bytes;
}
/// Whether values are floating-point numbers.
constexpr bool is_floating(value_type type) {
  return type == value_type::f32 || type == value_type::f64;
}

/// Calls `f(std::type_identity<T>{})` with the C++ type that `type` names, and returns its result.
template <class F>
constexpr decltype(auto) visit_type(value_type type, F&& f) {
  switch (type) {
    case value_type::i32: return f(std::type_identity<std::int32_t>{});
    case value_type::i64: return f(std::type_identity<std::int64_t>{});
    case value_type::u8: return f(std::type_identity<std::uint8_t>{});
    case value_type::u32: return f(std::type_identity<std::uint32_t>{});
    case value_type::f32: return f(std::type_identity<float>{});
    case value_type::f64: return f(std::type_identity<double>{});
    case value_type::u64: return f(std::type_identity<std::uint64_t>{});
  }
  throw error("visit_type: a value_type outside the enumeration");
}

}  // namespace warpfold
