// From and to __half and __nv_bfloat16.
#pragma once

#include "simt/half.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the names are CUDA's

namespace simt::detail {

template <class Int>
inline double exact_or_odd(Int v) {
  if constexpr (sizeof(Int) < 8) {
    return v;
  } else {
    return to_odd(v);
  }
}

}  // namespace simt::detail

// `n` and `n2` are the names of the format and of its pair in those of the functions.
#define SIMT_FROM_ROUNDED(N, n, from, type, how, mode)                   \
  inline N __##from##2##n##how(type v) {                                 \
    return simt::detail::rounded_to<N>(v, simt::detail::rounding::mode); \
  }
#define SIMT_INTEGER_ROUNDED(N, n, name, type, how, mode, function)   \
  inline N __##name##2##n##_##how(type v) {                           \
    return simt::detail::rounded_to<N>(simt::detail::exact_or_odd(v), \
                                       simt::detail::rounding::mode); \
  }                                                                   \
  inline type __##n##2##name##_##how(N v) {                           \
    return simt::detail::saturated<type>(function(v.value()));        \
  }
#define SIMT_INTEGER(N, n, name, type)                       \
  SIMT_INTEGER_ROUNDED(N, n, name, type, rn, nearest, rintf) \
  SIMT_INTEGER_ROUNDED(N, n, name, type, rz, zero, truncf)   \
  SIMT_INTEGER_ROUNDED(N, n, name, type, rd, down, floorf)   \
  SIMT_INTEGER_ROUNDED(N, n, name, type, ru, up, ceilf)

#define SIMT_HALF_CONVERSIONS(N, P, n, n2)                                             \
  SIMT_FROM_ROUNDED(N, n, float, float, , nearest)                                     \
  SIMT_FROM_ROUNDED(N, n, float, float, _rn, nearest)                                  \
  SIMT_FROM_ROUNDED(N, n, float, float, _rz, zero)                                     \
  SIMT_FROM_ROUNDED(N, n, float, float, _rd, down)                                     \
  SIMT_FROM_ROUNDED(N, n, float, float, _ru, up)                                       \
  SIMT_FROM_ROUNDED(N, n, double, double, , nearest)                                   \
  SIMT_INTEGER(N, n, int, int)                                                         \
  SIMT_INTEGER(N, n, uint, unsigned)                                                   \
  SIMT_INTEGER(N, n, short, short)                                                     \
  SIMT_INTEGER(N, n, ushort, unsigned short)                                           \
  SIMT_INTEGER(N, n, ll, long long)                                                    \
  SIMT_INTEGER(N, n, ull, unsigned long long)                                          \
  inline signed char __##n##2char_rz(N v) {                                            \
    return simt::detail::saturated<signed char>(truncf(v.value()));                    \
  }                                                                                    \
  inline unsigned char __##n##2uchar_rz(N v) {                                         \
    return simt::detail::saturated<unsigned char>(truncf(v.value()));                  \
  }                                                                                    \
  inline float __##n##2float(N v) { return v.value(); }                                \
  inline short __##n##_as_short(N v) { return static_cast<short>(v.bits()); }          \
  inline unsigned short __##n##_as_ushort(N v) { return v.bits(); }                    \
  inline N __short_as_##n(short v) {                                                   \
    return simt::detail::number_of<N>(static_cast<unsigned short>(v));                 \
  }                                                                                    \
  inline N __ushort_as_##n(unsigned short v) { return simt::detail::number_of<N>(v); } \
  inline P __##n##2##n2(N v) { return {v, v}; }                                        \
  inline P make_##n2(N x, N y) { return {x, y}; }                                      \
  inline P __halves2##n2(N x, N y) { return {x, y}; }                                  \
  inline P __float2##n2##_rn(float v) { return {N(v), N(v)}; }                         \
  inline P __floats2##n2##_rn(float x, float y) { return {N(x), N(y)}; }               \
  inline P __float22##n2##_rn(float2 v) { return {N(v.x), N(v.y)}; }                   \
  inline float2 __##n2##2float2(P v) { return {v.x.value(), v.y.value()}; }            \
  inline float __low2float(P v) { return v.x.value(); }                                \
  inline float __high2float(P v) { return v.y.value(); }                               \
  inline N __low2##n(P v) { return v.x; }                                              \
  inline N __high2##n(P v) { return v.y; }                                             \
  inline P __low2##n2(P v) { return {v.x, v.x}; }                                      \
  inline P __high2##n2(P v) { return {v.y, v.y}; }                                     \
  inline P __lows2##n2(P v, P w) { return {v.x, w.x}; }                                \
  inline P __highs2##n2(P v, P w) { return {v.y, w.y}; }                               \
  inline P __lowhigh2highlow(P v) { return {v.y, v.x}; }
SIMT_HALF_CONVERSIONS(__half, __half2, half, half2)
SIMT_HALF_CONVERSIONS(__nv_bfloat16, __nv_bfloat162, bfloat16, bfloat162)
#undef SIMT_HALF_CONVERSIONS
#undef SIMT_INTEGER
#undef SIMT_INTEGER_ROUNDED
#undef SIMT_FROM_ROUNDED
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
