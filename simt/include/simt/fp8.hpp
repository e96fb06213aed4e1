// Floating-point numbers of eight bits, one, two and four at a time.
#pragma once

#include "simt/half.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the names are CUDA's

using __nv_fp8_storage_t = unsigned char;
using __nv_fp8x2_storage_t = unsigned short;
using __nv_fp8x4_storage_t = unsigned;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

namespace simt::detail {

constexpr small_format format_of(__nv_fp8_interpretation_t which) {
  return which == __NV_E4M3 ? small_format::e4m3 : small_format::e5m2;
}
/// Of two, the second one in the higher bits.
inline __nv_fp8x2_storage_t fp8_pair(double x, double y, __nv_saturation_t saturation,
                                     __nv_fp8_interpretation_t which) {
  const auto one = [&](double v) {
    return encode(format_of(which), v, rounding::nearest, saturation == __NV_SATFINITE);
  };
  return static_cast<__nv_fp8x2_storage_t>(one(x) | one(y) << 8);
}
inline __nv_fp8_storage_t fp8_of(double v, __nv_saturation_t saturation,
                                 __nv_fp8_interpretation_t which) {
  return static_cast<__nv_fp8_storage_t>(fp8_pair(v, 0, saturation, which));
}

}  // namespace simt::detail

inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(double v, __nv_saturation_t saturation,
                                                 __nv_fp8_interpretation_t which) {
  if (v == v) return simt::detail::fp8_of(v, saturation, which);
  // No instruction converts a double, and CUDA's code keeps the sign and the first bits of a NaN.
  const auto bits = simt::detail::bit_cast<std::uint64_t>(v);
  const std::uint64_t payload = which == __NV_E4M3 ? 1 : bits >> 50 & 3;
  return static_cast<__nv_fp8_storage_t>((bits >> 56 & 0x80) | 0x7e | payload);
}
inline __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 v, __nv_saturation_t saturation,
                                                      __nv_fp8_interpretation_t which) {
  return static_cast<__nv_fp8x2_storage_t>(__nv_cvt_double_to_fp8(v.x, saturation, which) |
                                           __nv_cvt_double_to_fp8(v.y, saturation, which) << 8);
}
inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(float v, __nv_saturation_t saturation,
                                                __nv_fp8_interpretation_t which) {
  return simt::detail::fp8_of(v, saturation, which);
}
inline __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 v, __nv_saturation_t saturation,
                                                     __nv_fp8_interpretation_t which) {
  return simt::detail::fp8_pair(v.x, v.y, saturation, which);
}
#define SIMT_FP8_FROM(name, raw, number)                                                     \
  inline __nv_fp8_storage_t __nv_cvt_##name##raw_to_fp8(raw v, __nv_saturation_t saturation, \
                                                        __nv_fp8_interpretation_t which) {   \
    return simt::detail::fp8_of(number(v).value(), saturation, which);                       \
  }
SIMT_FP8_FROM(half, __half_raw, __half)
SIMT_FP8_FROM(bfloat16, __nv_bfloat16_raw, __nv_bfloat16)
#undef SIMT_FP8_FROM
#define SIMT_FP8_FROM(name, raw, pair)                                                            \
  inline __nv_fp8x2_storage_t __nv_cvt_##name##raw2_to_fp8x2(raw v, __nv_saturation_t saturation, \
                                                             __nv_fp8_interpretation_t which) {   \
    const pair both(v);                                                                           \
    return simt::detail::fp8_pair(both.x.value(), both.y.value(), saturation, which);             \
  }
SIMT_FP8_FROM(half, __half2_raw, __half2)
SIMT_FP8_FROM(bfloat16, __nv_bfloat162_raw, __nv_bfloat162)
#undef SIMT_FP8_FROM
inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t v, __nv_fp8_interpretation_t which) {
  return __half(simt::detail::decode(simt::detail::format_of(which), v));
}
inline __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t v,
                                              __nv_fp8_interpretation_t which) {
  return {__nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(v & 255), which).x,
          __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(v >> 8), which).x};
}

namespace simt::detail {

template <__nv_fp8_interpretation_t Which>
struct eight_bits {
  __nv_fp8_storage_t __x;

  eight_bits() = default;
#define SIMT_FROM(type, value) \
  explicit eight_bits(type v) : __x(fp8_of(value, __NV_SATFINITE, Which)) {}
  explicit eight_bits(double v) : __x(__nv_cvt_double_to_fp8(v, __NV_SATFINITE, Which)) {}
  SIMT_FROM(float, static_cast<double>(v))
  SIMT_FROM(__half, v.value())
  SIMT_FROM(__nv_bfloat16, v.value())
  SIMT_FROM(int, v)
  SIMT_FROM(unsigned, v)
  SIMT_FROM(short, v)
  SIMT_FROM(unsigned short, v)
  SIMT_FROM(long, to_odd(static_cast<long long>(v)))
  SIMT_FROM(unsigned long, to_odd(static_cast<unsigned long long>(v)))
  SIMT_FROM(long long, to_odd(v))
  SIMT_FROM(unsigned long long, to_odd(v))
#undef SIMT_FROM
  [[nodiscard]] float value() const { return decode(format_of(Which), __x); }
  explicit operator float() const { return value(); }
  explicit operator double() const { return value(); }
  explicit operator __half() const { return value(); }
  explicit operator __nv_bfloat16() const { return value(); }
  explicit operator bool() const { return (__x & 0x7f) != 0; }
#define SIMT_TO(type) \
  explicit operator type() const { return saturated<type>(truncf(value())); }
  SIMT_TO(char)
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
};

template <__nv_fp8_interpretation_t Which>
struct eight_bits_twice {
  __nv_fp8x2_storage_t __x;

  eight_bits_twice() = default;
  explicit eight_bits_twice(float2 v) : __x(fp8_pair(v.x, v.y, __NV_SATFINITE, Which)) {}
  explicit eight_bits_twice(double2 v) : __x(fp8_pair(v.x, v.y, __NV_SATFINITE, Which)) {}
  explicit eight_bits_twice(__half2 v)
      : __x(fp8_pair(v.x.value(), v.y.value(), __NV_SATFINITE, Which)) {}
  explicit eight_bits_twice(__nv_bfloat162 v)
      : __x(fp8_pair(v.x.value(), v.y.value(), __NV_SATFINITE, Which)) {}
  explicit operator float2() const {
    return {decode(format_of(Which), __x & 255U), decode(format_of(Which), __x >> 8)};
  }
  explicit operator __half2() const { return __nv_cvt_fp8x2_to_halfraw2(__x, Which); }
};

template <__nv_fp8_interpretation_t Which>
struct eight_bits_four_times {
  __nv_fp8x4_storage_t __x;

  eight_bits_four_times() = default;
  explicit eight_bits_four_times(float4 v)
      : __x(fp8_pair(v.x, v.y, __NV_SATFINITE, Which) |
            static_cast<unsigned>(fp8_pair(v.z, v.w, __NV_SATFINITE, Which)) << 16) {}
  explicit eight_bits_four_times(double4 v)
      : __x(fp8_pair(v.x, v.y, __NV_SATFINITE, Which) |
            static_cast<unsigned>(fp8_pair(v.z, v.w, __NV_SATFINITE, Which)) << 16) {}
  eight_bits_four_times(__half2 low, __half2 high)
      : __x(fp8_pair(low.x.value(), low.y.value(), __NV_SATFINITE, Which) |
            static_cast<unsigned>(fp8_pair(high.x.value(), high.y.value(), __NV_SATFINITE, Which))
                << 16) {}
  eight_bits_four_times(__nv_bfloat162 low, __nv_bfloat162 high)
      : __x(fp8_pair(low.x.value(), low.y.value(), __NV_SATFINITE, Which) |
            static_cast<unsigned>(fp8_pair(high.x.value(), high.y.value(), __NV_SATFINITE, Which))
                << 16) {}
  explicit operator float4() const {
    const small_format f = format_of(Which);
    return {decode(f, __x & 255), decode(f, __x >> 8 & 255), decode(f, __x >> 16 & 255),
            decode(f, __x >> 24)};
  }
};

}  // namespace simt::detail

#define SIMT_FP8(name, base, which)         \
  struct name : simt::detail::base<which> { \
    using base::base;                       \
    name() = default;                       \
  };
SIMT_FP8(__nv_fp8_e4m3, eight_bits, __NV_E4M3)
SIMT_FP8(__nv_fp8_e5m2, eight_bits, __NV_E5M2)
SIMT_FP8(__nv_fp8x2_e4m3, eight_bits_twice, __NV_E4M3)
SIMT_FP8(__nv_fp8x2_e5m2, eight_bits_twice, __NV_E5M2)
SIMT_FP8(__nv_fp8x4_e4m3, eight_bits_four_times, __NV_E4M3)
SIMT_FP8(__nv_fp8x4_e5m2, eight_bits_four_times, __NV_E5M2)
#undef SIMT_FP8
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
