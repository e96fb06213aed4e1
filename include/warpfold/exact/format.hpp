// The bits of f32 and f64, taken apart and put together: exactly one way, correctly rounded.
#pragma once

#include <cstdint>
#include <cstring>

#include "warpfold/exact/fixed_point.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

template <class T>
struct format;
template <>
struct format<float> {
  using bits_type = std::uint32_t;
  static constexpr int precision = 24, bias = 127, top_field = 255;
  static constexpr const char* name = "f32";
  /// 2^-150 to 2^202: products of 2^64 and any value.
  using sum_type = fixed_point<-150, 11>;
};
template <>
struct format<double> {
  using bits_type = std::uint64_t;
  static constexpr int precision = 53, bias = 1023, top_field = 2047;
  static constexpr const char* name = "f64";
  /// 2^-1075 to 2^1101.
  using sum_type = fixed_point<-1075, 68>;
};

template <class T>
concept summable = requires { format<T>::precision; };

template <class T>
__host__ __device__ inline typename format<T>::bits_type bits_of(T value) {
  typename format<T>::bits_type bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
template <class T>
__host__ __device__ inline T from_bits(typename format<T>::bits_type bits) {
  T value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/// value = units * 2^exponent, unless `field` is top_field: then it is infinite or NaN.
template <class T>
struct float_fields {
  std::int64_t units;
  int field;

  __host__ __device__ explicit float_fields(T value) {
    using f = format<T>;
    const auto bits = bits_of(value);
    field = static_cast<int>(bits >> (f::precision - 1)) & f::top_field;
    const auto fraction =
        static_cast<std::int64_t>(bits & ((typename f::bits_type{1} << (f::precision - 1)) - 1));
    const std::int64_t size =
        field == 0 ? fraction : fraction | std::int64_t{1} << (f::precision - 1);
    units = bits >> (sizeof(bits) * 8 - 1) != 0 ? -size : size;
  }
  [[nodiscard]] __host__ __device__ int exponent() const {
    return (field == 0 ? 1 : field) - format<T>::bias - (format<T>::precision - 1);
  }
};

/// The value of T nearest to the magnitude times 2^(base - 32); of two as near, the even one.
template <class T, unsigned Count>
__host__ __device__ T rounded(const magnitude<Count>& m, int base) {
  using f = format<T>;
  using bits_type = typename f::bits_type;
  constexpr int lowest =
      1 - f::bias - (f::precision - 1);  // the exponent of the least bit there is
  const int low = base - 32;
  const int length = static_cast<int>(m.length());
  const int wanted = low + length - f::precision;
  const int unit = wanted < lowest ? lowest : wanted;  // of the result's last bit
  constexpr bits_type infinity = bits_type{f::top_field} << (f::precision - 1);
  bits_type bits = 0;
  if (unit + f::precision - 1 > f::bias) {
    bits = infinity;
  } else {
    const int cut = unit - low;
    std::uint64_t fraction = 0;
    bool up = false;
    if (cut <= 0) {
      fraction = m.bits(0) << -cut;
    } else {
      const auto at = static_cast<unsigned>(cut);
      fraction = cut < length ? m.bits(at) : 0;
      const bool inexact = m.inexact || m.any_below(at - 1);
      up = m.bit(at - 1) && (inexact || (fraction & 1) != 0);
    }
    // The field's 1 is the fraction's hidden bit, and a carry out of the fraction is the next
    // field.
    const auto field = static_cast<bits_type>(unit - lowest);
    bits = (field << (f::precision - 1)) + static_cast<bits_type>(fraction) + (up ? 1 : 0);
  }
  if (m.negative) bits |= bits_type{1} << (sizeof(bits_type) * 8 - 1);
  return from_bits<T>(bits);
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
