// __half and __nv_bfloat16, one and two at a time, on both sides. An operation is computed exactly
// or to odd in double precision and rounded once, as the device does it.
#pragma once

#include <cstdint>
#include <type_traits>

#include "simt/math.hpp"
#include "simt/small_float.hpp"
#include "simt/vector_types.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming,google-explicit-constructor):
// the names are CUDA's

struct __half_raw {
  unsigned short x;
};
struct __half2_raw {
  unsigned short x, y;
};
struct __nv_bfloat16_raw {
  unsigned short x;
};
struct __nv_bfloat162_raw {
  unsigned short x, y;
};

namespace simt::detail {

/// Sixteen bits of such a format.
template <small_format Format, class Raw>
class sixteen_bits {
 public:
  static constexpr small_format format = Format;

  sixteen_bits() = default;
  constexpr sixteen_bits(const Raw& bits) : bits_(bits.x) {}
  sixteen_bits(float v) : bits_(rounded(static_cast<double>(v))) {}
  sixteen_bits(double v) : bits_(rounded(v)) {}
#define SIMT_FROM(type) \
  sixteen_bits(type v) : bits_(rounded(static_cast<double>(v))) {}
  SIMT_FROM(short)
  SIMT_FROM(unsigned short)
  SIMT_FROM(int)
  SIMT_FROM(unsigned)
#undef SIMT_FROM
#define SIMT_FROM(type, wide) \
  sixteen_bits(type v) : bits_(rounded(to_odd(static_cast<wide>(v)))) {}
  SIMT_FROM(long, long long)
  SIMT_FROM(unsigned long, unsigned long long)
  SIMT_FROM(long long, long long)
  SIMT_FROM(unsigned long long, unsigned long long)
#undef SIMT_FROM

  operator Raw() const { return {bits_}; }
  operator float() const { return value(); }
  operator bool() const { return (bits_ & 0x7fff) != 0; }
#define SIMT_TO(type) \
  operator type() const { return saturated<type>(truncf(value())); }
  SIMT_TO(signed char)
  SIMT_TO(unsigned char)
  SIMT_TO(short)
  SIMT_TO(unsigned short)
  SIMT_TO(int)
  SIMT_TO(unsigned)
  SIMT_TO(long)
  SIMT_TO(unsigned long)
  SIMT_TO(long long)
  SIMT_TO(unsigned long long)
#undef SIMT_TO
  operator char() const { return saturated<char>(truncf(value())); }

  [[nodiscard]] float value() const {
    if constexpr (Format == small_format::bfloat16) {
      return bit_cast<float>(std::uint32_t{bits_} << 16);
    } else {
      // The exponent is moved, and what was at its end put back there.
      const std::uint32_t magnitude = (bits_ & 0x7fffU) << 13;
      std::uint32_t word = bit_cast<std::uint32_t>(bit_cast<float>(magnitude) * 0x1p112F);
      word |= magnitude >= 0x7c00U << 13 ? 0x7f800000U : 0U;
      return bit_cast<float>(word | (bits_ & 0x8000U) << 16);
    }
  }
  [[nodiscard]] constexpr std::uint16_t bits() const { return bits_; }

 private:
  static std::uint16_t rounded(double v) { return static_cast<std::uint16_t>(encode(Format, v)); }
  std::uint16_t bits_;
};

}  // namespace simt::detail

struct __nv_bfloat16;

struct __half : simt::detail::sixteen_bits<simt::detail::small_format::half, __half_raw> {
  using sixteen_bits::sixteen_bits;
  __half() = default;
  explicit __half(const __nv_bfloat16& v);
};
struct __nv_bfloat16
    : simt::detail::sixteen_bits<simt::detail::small_format::bfloat16, __nv_bfloat16_raw> {
  using sixteen_bits::sixteen_bits;
  __nv_bfloat16() = default;
  explicit __nv_bfloat16(const __half& v) : __nv_bfloat16(v.value()) {}
};
inline __half::__half(const __nv_bfloat16& v) : __half(v.value()) {}

struct __half2 : simt::detail::vector2<__half> {
  using vector2::vector2;
  __half2() = default;
  __half2(const __half2_raw& v) : vector2(__half_raw{v.x}, __half_raw{v.y}) {}
  operator __half2_raw() const { return {x.bits(), y.bits()}; }
};
struct __nv_bfloat162 : simt::detail::vector2<__nv_bfloat16> {
  using vector2::vector2;
  __nv_bfloat162() = default;
  __nv_bfloat162(const __nv_bfloat162_raw& v)
      : vector2(__nv_bfloat16_raw{v.x}, __nv_bfloat16_raw{v.y}) {}
  operator __nv_bfloat162_raw() const { return {x.bits(), y.bits()}; }
};

using half = __half;
using half2 = __half2;
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;
using __nv_half = __half;
using __nv_half2 = __half2;
using nv_half = __half;
using nv_half2 = __half2;

namespace simt::detail {

/// The format's number for `v`.
template <class Number>
inline Number rounded_to(double v, rounding r = rounding::nearest) {
  using raw =
      std::conditional_t<std::is_same<Number, __half>::value, __half_raw, __nv_bfloat16_raw>;
  return Number(raw{static_cast<unsigned short>(encode(Number::format, v, r))});
}
template <class Number>
constexpr Number number_of(unsigned bits) {
  using raw =
      std::conditional_t<std::is_same<Number, __half>::value, __half_raw, __nv_bfloat16_raw>;
  return Number(raw{static_cast<unsigned short>(bits)});
}

template <class Number>
struct pair_of_type;
template <>
struct pair_of_type<__half> {
  using type = __half2;
};
template <>
struct pair_of_type<__nv_bfloat16> {
  using type = __nv_bfloat162;
};
template <class Number>
using pair_of = typename pair_of_type<Number>::type;

}  // namespace simt::detail
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming,google-explicit-constructor)
