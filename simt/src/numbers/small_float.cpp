#include "simt/small_float.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace simt::detail {

namespace {

struct small_layout {
  int exponent_bits, mantissa_bits;
  std::uint32_t largest, infinity, nan;  // e4m3 has no infinity: NaN is in its place
};

constexpr small_layout layout_of(small_format f) {
  switch (f) {
    case small_format::half: return {5, 10, 0x7bff, 0x7c00, 0x7fff};
    case small_format::bfloat16: return {8, 7, 0x7f7f, 0x7f80, 0x7fff};
    case small_format::tf32: return {8, 10, 0x3fbff, 0x3fc00, 0x3ffff};
    case small_format::e4m3: return {4, 3, 0x7e, 0x7f, 0x7f};
    case small_format::e5m2: return {5, 2, 0x7b, 0x7c, 0x7f};
  }
  return {};
}

constexpr int lowest_exponent(const small_layout& l) { return 2 - (1 << (l.exponent_bits - 1)); }

constexpr int double_digits = 52;
constexpr std::uint64_t double_fraction = (std::uint64_t{1} << double_digits) - 1;

/// Whether what is cut off, `rest` of `2 * half`, makes the magnitude `kept` one greater.
bool rounds_up(rounding r, bool negative, std::uint64_t kept, std::uint64_t rest,
               std::uint64_t half) {
  switch (r) {
    case rounding::nearest: return rest > half || (rest == half && kept % 2 != 0);
    case rounding::away: return rest >= half;
    case rounding::zero: return false;
    case rounding::down: return negative && rest != 0;
    case rounding::up: return !negative && rest != 0;
  }
  return false;
}

std::uint32_t too_large(const small_layout& l, rounding r, bool negative, bool saturates) {
  const bool to_infinity = r == rounding::nearest || r == rounding::away ||
                           r == (negative ? rounding::down : rounding::up);
  return to_infinity && !saturates ? l.infinity : l.largest;
}

}  // namespace

std::uint32_t encode(small_format f, double v, rounding r, bool saturates) {
  const small_layout l = layout_of(f);
  if (std::isnan(v)) return l.nan;
  const auto bits = std::bit_cast<std::uint64_t>(v);
  const bool negative = bits >> 63 != 0;
  const std::uint32_t sign = negative ? 1U << (l.exponent_bits + l.mantissa_bits) : 0;
  if (std::isinf(v)) return sign | (saturates ? l.largest : l.infinity);

  const auto field = static_cast<int>(bits >> double_digits & 0x7ff);
  const int exponent = field == 0 ? -1022 : field - 1023;
  const std::uint64_t mantissa = (bits & double_fraction) | (field == 0 ? 0 : double_fraction + 1);
  const int lowest = lowest_exponent(l);
  int cut = double_digits - l.mantissa_bits;
  if (exponent < lowest) cut = std::min(cut + lowest - exponent, 63);
  const std::uint64_t rest = mantissa & ((std::uint64_t{1} << cut) - 1);
  std::uint64_t magnitude = mantissa >> cut;
  if (rounds_up(r, negative, magnitude, rest, std::uint64_t{1} << (cut - 1))) ++magnitude;
  if (exponent > lowest) {  // the leading digit adds the last one to the exponent
    magnitude += static_cast<std::uint64_t>(exponent - lowest) << l.mantissa_bits;
  }
  if (magnitude > l.largest) return sign | too_large(l, r, negative, saturates);
  return sign | static_cast<std::uint32_t>(magnitude);
}

float decode(small_format f, std::uint32_t bits) {
  const small_layout l = layout_of(f);
  const std::uint32_t sign = 1U << (l.exponent_bits + l.mantissa_bits);
  const std::uint32_t magnitude = bits & (sign - 1);
  float value = 0;
  if (magnitude > l.infinity || (magnitude == l.nan)) {
    value = std::numeric_limits<float>::quiet_NaN();
  } else if (magnitude == l.infinity) {
    value = std::numeric_limits<float>::infinity();
  } else {
    const auto field = static_cast<int>(magnitude >> l.mantissa_bits);
    const std::uint32_t one = 1U << l.mantissa_bits;
    const std::uint32_t digits = (magnitude & (one - 1)) | (field == 0 ? 0 : one);
    value = std::ldexp(static_cast<float>(digits),
                       lowest_exponent(l) - l.mantissa_bits + std::max(field - 1, 0));
  }
  return (bits & sign) != 0 ? -value : value;
}

double sum_to_odd(double a, double b) {
  const double sum = a + b;
  if (!std::isfinite(sum)) return sum;
  const double of_b = sum - a;
  const double lost = (a - (sum - of_b)) + (b - of_b);
  const auto bits = std::bit_cast<std::uint64_t>(sum);
  if (lost == 0 || bits % 2 != 0) return sum;
  const bool outward = (lost > 0) == (sum > 0);
  return std::bit_cast<double>(outward ? bits + 1 : bits - 1);
}

double to_odd(unsigned long long v) {
  constexpr unsigned long long beyond = (1ULL << 11) - 1;
  if (v >> 53 != 0) v = (v & ~beyond) | ((v & beyond) != 0 ? beyond + 1 : 0);
  return static_cast<double>(v);
}

double to_odd(long long v) {
  const double magnitude =
      to_odd(v < 0 ? 0 - static_cast<unsigned long long>(v) : static_cast<unsigned long long>(v));
  return v < 0 ? -magnitude : magnitude;
}

}  // namespace simt::detail
