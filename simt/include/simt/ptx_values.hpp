// PTX's instructions on values. T is the type that the instruction names.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <math.h>

#include "simt/bits.hpp"
#include "simt/directed.hpp"
#include "simt/math.hpp"
#include "simt/small_float.hpp"
#include "simt/word_of.hpp"

#define SIMT_PTX [[gnu::always_inline]] inline

namespace simt::detail::ptx {

/// A number of two bytes.
template <small_format Format>
struct small {
  std::uint16_t bits;
  [[nodiscard]] double value() const { return decode(Format, bits); }
};
/// Two of them.
template <small_format Format>
struct small_pair {
  small<Format> low, high;
};
using f16 = small<small_format::half>;
using bf16 = small<small_format::bfloat16>;
using f16x2 = small_pair<small_format::half>;
using bf16x2 = small_pair<small_format::bfloat16>;

template <class T>
struct kind_of {
  static constexpr bool is_small = false, is_pair = false;
};
template <small_format Format>
struct kind_of<small<Format>> {
  static constexpr bool is_small = true, is_pair = false;
  static constexpr small_format format = Format;
};
template <small_format Format>
struct kind_of<small_pair<Format>> {
  static constexpr bool is_small = false, is_pair = true;
};
template <class T>
inline constexpr bool is_small = kind_of<T>::is_small;
template <class T>
inline constexpr bool is_pair = kind_of<T>::is_pair;
template <class T>
inline constexpr bool is_integer = std::is_integral_v<T> || sizeof(T) == 16;

/// A register's bits as T; of a wider one the low ones.
template <class T, class Register>
SIMT_PTX T as(Register r) {
  if constexpr (std::is_same_v<T, bool> || std::is_same_v<Register, bool>) {
    return static_cast<T>(r);
  } else if constexpr (sizeof(T) == sizeof(Register)) {
    return bit_cast<T>(r);
  } else if constexpr (is_integer<T> && is_integer<Register>) {
    return static_cast<T>(r);
  } else {
    return bit_cast<T>(static_cast<word_of<sizeof(T)>>(r));
  }
}
template <class T, class Number>
SIMT_PTX T constant(Number n) {
  if constexpr (is_small<T> || is_pair<T>) {
    return bit_cast<T>(static_cast<word_of<sizeof(T)>>(n));
  } else {
    return static_cast<T>(n);
  }
}
/// Into a register, a wider one with its sign.
template <class Register, class T>
SIMT_PTX void put(Register& r, T value) {
  if constexpr (std::is_same_v<T, bool> || std::is_same_v<Register, bool>) {
    r = static_cast<Register>(value);
  } else if constexpr (sizeof(T) == sizeof(Register)) {
    r = bit_cast<Register>(value);
  } else if constexpr (is_integer<T>) {
    r = static_cast<Register>(value);
  } else {
    r = static_cast<Register>(bit_cast<word_of<sizeof(T)>>(value));
  }
}

template <class T>
SIMT_PTX T rounded(double v, rounding r = rounding::nearest) {
  return T{static_cast<std::uint16_t>(encode(kind_of<T>::format, v, r))};
}
template <class T>
SIMT_PTX std::uint64_t wide(T v) {
  return static_cast<std::uint64_t>(v);
}

// One of two or three numbers, for each of a pair, for numbers of two bytes, for others.
#define SIMT_ARITHMETIC_2(name, of_small, of_float, of_integer) \
  template <class T>                                            \
  SIMT_PTX T name(T a, T b) {                                   \
    if constexpr (is_pair<T>) {                                 \
      return {name(a.low, b.low), name(a.high, b.high)};        \
    } else if constexpr (is_small<T>) {                         \
      return of_small;                                          \
    } else if constexpr (std::is_floating_point_v<T>) {         \
      return of_float;                                          \
    } else {                                                    \
      return static_cast<T>(of_integer);                        \
    }                                                           \
  }
SIMT_ARITHMETIC_2(sum, rounded<T>(sum_to_odd(a.value(), b.value())), a + b, wide(a) + wide(b))
SIMT_ARITHMETIC_2(difference, rounded<T>(sum_to_odd(a.value(), -b.value())), a - b,
                  wide(a) - wide(b))
SIMT_ARITHMETIC_2(product, rounded<T>(a.value() * b.value()), a* b, wide(a) * wide(b))
SIMT_ARITHMETIC_2(quotient, rounded<T>(a.value() / b.value()), a / b, b == 0 ? T(-1) : a / b)
SIMT_ARITHMETIC_2(least, rounded<T>(simt::detail::least(a.value(), b.value())),
                  simt::detail::least(a, b), b < a ? b : a)
SIMT_ARITHMETIC_2(greatest, rounded<T>(simt::detail::greatest(a.value(), b.value())),
                  simt::detail::greatest(a, b), a < b ? b : a)
#undef SIMT_ARITHMETIC_2

template <class T>
SIMT_PTX T fma(T a, T b, T c) {
  if constexpr (is_pair<T>) {
    return {fma(a.low, b.low, c.low), fma(a.high, b.high, c.high)};
  } else if constexpr (is_small<T>) {
    return rounded<T>(sum_to_odd(a.value() * b.value(), c.value()));
  } else if constexpr (std::is_same_v<T, float>) {
    return ::fmaf(a, b, c);
  } else {
    return ::fma(a, b, c);
  }
}
template <class T>
SIMT_PTX T least_nan(T a, T b) {
  if constexpr (is_pair<T>) {
    return {least_nan(a.low, b.low), least_nan(a.high, b.high)};
  } else if constexpr (is_small<T>) {
    const double x = a.value(), y = b.value();
    return rounded<T>(x != x || y != y ? NAN : simt::detail::least(x, y));
  } else {
    return a != a || b != b ? static_cast<T>(NAN) : simt::detail::least(a, b);
  }
}
template <class T>
SIMT_PTX T negative(T v) {
  if constexpr (is_pair<T>) {
    return {negative(v.low), negative(v.high)};
  } else if constexpr (is_small<T>) {
    return {static_cast<std::uint16_t>(v.bits ^ 0x8000)};
  } else if constexpr (std::is_floating_point_v<T>) {
    return -v;
  } else {
    return static_cast<T>(0 - wide(v));
  }
}
template <class T>
SIMT_PTX T greatest_nan(T a, T b) {
  return negative(least_nan(negative(a), negative(b)));
}
template <class T>
SIMT_PTX T magnitude(T v) {
  if constexpr (is_pair<T>) {
    return {magnitude(v.low), magnitude(v.high)};
  } else if constexpr (is_small<T>) {
    return {static_cast<std::uint16_t>(v.bits & 0x7fff)};
  } else if constexpr (std::is_floating_point_v<T>) {
    return fabs(v);
  } else {
    return v < 0 ? negative(v) : v;
  }
}
/// Not below 0; NaN stays.
template <class T>
SIMT_PTX T rectified(T v) {
  return greatest_nan(v, T{});
}
template <class T>
inline constexpr double least_normal = 0x1p-126;
template <>
inline constexpr double least_normal<f16> = 0x1p-14;
template <>
inline constexpr double least_normal<double> = 0x1p-1022;
template <class T>
inline constexpr float flush_scale = 0x1p64F;
template <>
inline constexpr float flush_scale<f16> = 0x1p14F;

/// What is too small for all of its bits is a zero of the same sign.
template <class T>
SIMT_PTX T flushed(T v) {
  if constexpr (is_pair<T>) {
    return {flushed(v.low), flushed(v.high)};
  } else if constexpr (is_small<T>) {
    const double x = v.value();
    return std::abs(x) < least_normal<T> ? rounded<T>(x * 0) : v;
  } else {
    return std::abs(v) < std::numeric_limits<T>::min() ? v * 0 : v;
  }
}
/// A result is flushed where it is too small when it is rounded to all of its bits: `scaled` is
/// that result, times flush_scale.
template <class T>
SIMT_PTX T flushed_as(T v, T scaled) {
  if constexpr (is_pair<T>) {
    return {flushed_as(v.low, scaled.low), flushed_as(v.high, scaled.high)};
  } else if constexpr (is_small<T>) {
    return std::abs(scaled.value()) < least_normal<T> * flush_scale<T> ? rounded<T>(v.value() * 0)
                                                                       : v;
  } else {
    return std::abs(scaled) < least_normal<T> * flush_scale<T> ? v * 0 : v;
  }
}
/// Between 0 and 1; NaN is 0.
template <class T>
SIMT_PTX T saturated(T v) {
  if constexpr (is_pair<T>) {
    return {saturated(v.low), saturated(v.high)};
  } else if constexpr (is_small<T>) {
    const double x = v.value();
    return x > 0 ? (x < 1 ? v : rounded<T>(1)) : T{};
  } else {
    return v > 0 ? (v < 1 ? v : T{1}) : T{0};
  }
}

template <class T>
SIMT_PTX T remainder(T a, T b) {
  return b == 0 ? a : static_cast<T>(a % b);
}
template <class T>
SIMT_PTX T bit_and(T a, T b) {
  return static_cast<T>(a & b);
}
template <class T>
SIMT_PTX T bit_or(T a, T b) {
  return static_cast<T>(a | b);
}
template <class T>
SIMT_PTX T bit_xor(T a, T b) {
  return static_cast<T>(a ^ b);
}
template <class T>
SIMT_PTX T bit_not(T v) {
  if constexpr (std::is_same_v<T, bool>) {
    return !v;
  } else {
    return static_cast<T>(~v);
  }
}
template <class T>
SIMT_PTX T is_zero(T v) {
  return static_cast<T>(v == 0);
}
template <class T>
SIMT_PTX T sad(T a, T b, T c) {
  return static_cast<T>(wide(c) + (a < b ? wide(b) - wide(a) : wide(a) - wide(b)));
}
template <class T>
SIMT_PTX T with_sign(T sign_of, T v) {
  return copysign(v, sign_of);
}

// In a direction; and what flushed_as asks for.
#define SIMT_DIRECTED_2(name, of_float)        \
  template <class T>                           \
  SIMT_PTX T name##_to(rounding r, T a, T b) { \
    return of_float;                           \
  }
SIMT_DIRECTED_2(sum, directed_sum(r, a, b))
SIMT_DIRECTED_2(difference, directed_sum(r, a, -b))
SIMT_DIRECTED_2(product, directed_product(r, a, b))
SIMT_DIRECTED_2(quotient, directed_quotient(r, a, b))
#undef SIMT_DIRECTED_2
template <class T>
SIMT_PTX T fma_to(rounding r, T a, T b, T c) {
  return directed_fma(r, a, b, c);
}
template <class T>
SIMT_PTX T fma_scaled(rounding r, T a, T b, T c) {
  if constexpr (is_pair<T>) {
    return {fma_scaled(r, a.low, b.low, c.low), fma_scaled(r, a.high, b.high, c.high)};
  } else if constexpr (is_small<T>) {
    return rounded<T>(sum_to_odd(a.value() * b.value(), c.value()) * flush_scale<T>, r);
  } else {
    const bool first = std::abs(a) < std::abs(b);
    return directed_fma(r, first ? a * flush_scale<T> : a, first ? b : b * flush_scale<T>,
                        c * flush_scale<T>);
  }
}
template <class T>
SIMT_PTX T product_scaled(rounding r, T a, T b) {
  return fma_scaled(r, a, b, T{});
}
template <class T>
SIMT_PTX T quotient_scaled(rounding r, T a, T b) {
  return directed_quotient(r, a * flush_scale<T>, b);
}
template <class T>
SIMT_PTX T root_to(rounding r, T v) {
  return directed_root(r, v);
}
template <class T>
SIMT_PTX T reciprocal_to(rounding r, T v) {
  return directed_quotient(r, T{1}, v);
}

// Approximations are as exact here as they can be.
#define SIMT_FUNCTION(name, expression)   \
  template <class T>                      \
  SIMT_PTX T name(T v) {                  \
    if constexpr (is_pair<T>) {           \
      return {name(v.low), name(v.high)}; \
    } else if constexpr (is_small<T>) {   \
      return rounded<T>(name(v.value())); \
    } else {                              \
      return static_cast<T>(expression);  \
    }                                     \
  }
SIMT_FUNCTION(reciprocal, 1 / v)
SIMT_FUNCTION(root, sqrt(v))
SIMT_FUNCTION(reciprocal_root, 1 / sqrt(v))
SIMT_FUNCTION(sine, sin(v))
SIMT_FUNCTION(cosine, cos(v))
SIMT_FUNCTION(logarithm, log2(v))
SIMT_FUNCTION(power, exp2(v))
SIMT_FUNCTION(tangent, tanh(v))
#undef SIMT_FUNCTION

}  // namespace simt::detail::ptx

#undef SIMT_PTX
