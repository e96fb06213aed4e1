// Floating-point numbers of one and two bytes, and what rounds to them.
#pragma once

#include <cstdint>

#include "simt/bits.hpp"

namespace simt::detail {

enum class small_format : std::uint8_t { half, bfloat16, tf32, e4m3, e5m2 };
/// How to round: `nearest` takes the even one of two as near, `away` the greater one.
enum class rounding : std::uint8_t { nearest, zero, down, up, away };

/// The format's number for `v`, rounded once. Every NaN is the format's own. What is too large is
/// infinite, or NaN where there is no infinity, or with `saturates` the largest number.
std::uint32_t encode(small_format f, double v, rounding r = rounding::nearest,
                     bool saturates = false);
/// Exactly.
float decode(small_format f, std::uint32_t bits);

// Rounded to odd: when it is rounded again, to far fewer digits, that is as if it had been rounded
// once.
double sum_to_odd(double a, double b);
double to_odd(long long v);
double to_odd(unsigned long long v);

/// The bits of `v` that a tensor core reads of a tf32.
[[gnu::always_inline]] inline float as_tf32(float v) {
  return bit_cast<float>(bit_cast<std::uint32_t>(v) & ~0x1fffU);
}

}  // namespace simt::detail
