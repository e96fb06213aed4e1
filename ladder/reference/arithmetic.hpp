// The kernels' arithmetic on the host, for references, and its error bounds.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "ladder/rung.hpp"
#include "warpfold/error.hpp"

namespace warpfold::ladder {

/// Throws usage_error for a bitwise operator on a floating type.
inline void check_operation(operation op, value_type type) {
  if (!is_bitwise(op) || !is_floating(type)) return;
  throw usage_error("--op " + std::string(name_of(op)) +
                    ": needs an integer --type (i32, i64), not " + std::string(name_of(type)));
}

template <class T>
T apply(operation op, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using wrapping = std::make_unsigned_t<T>;
    const auto x = static_cast<wrapping>(a);
    const auto y = static_cast<wrapping>(b);
    switch (op) {
      case operation::sum:
      case operation::mean: return static_cast<T>(x + y);
      case operation::product: return static_cast<T>(x * y);
      case operation::min: return a < b ? a : b;
      case operation::max: return b < a ? a : b;
      case operation::bit_and: return a & b;
      case operation::bit_or: return a | b;
      case operation::bit_xor: return a ^ b;
      default: break;
    }
  } else {
    switch (op) {
      case operation::sum:
      case operation::mean: return a + b;
      case operation::product: return a * b;
      case operation::min: return a < b || a != a ? a : b;
      case operation::max: return b < a || a != a ? a : b;
      default: break;
    }
  }
  throw usage_error("the operator " + std::string(name_of(op)) + " needs an integer type");
}

template <class T>
T identity(operation op) {
  using limits = std::numeric_limits<T>;
  switch (op) {
    case operation::product: return T{1};
    case operation::min: return limits::has_infinity ? limits::infinity() : limits::max();
    case operation::max: return limits::has_infinity ? -limits::infinity() : limits::lowest();
    case operation::bit_and: return static_cast<T>(-1);
    default: return T{0};
  }
}

/// Whether results must equal the reference to the bit.
constexpr bool is_exact(operation op, value_type type) {
  return !is_floating(type) || op == operation::min || op == operation::max;
}

inline double unit_roundoff(value_type type) {
  return std::ldexp(1.0, type == value_type::f32 ? -24 : -53);
}

/// Higham's gamma: the relative error that this many roundings in a row can come to.
inline double gamma(double roundings, value_type type) {
  const double error = roundings * unit_roundoff(type);
  return error < 1 ? error / (1 - error) : 1;
}

inline double smallest(value_type type) {
  return type == value_type::f32 ? std::numeric_limits<float>::denorm_min()
                                 : std::numeric_limits<double>::denorm_min();
}

}  // namespace warpfold::ladder
