// CUDA's functions on numbers that <math.h> has not, in directions of rounding, and by older names.
#pragma once

#include "simt/directed.hpp"
#include "simt/math.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the names are CUDA's

/// Of a vector of so many numbers.
inline double norm(int n, const double* v) {
  double length = 0;
  for (int i = 0; i < n; ++i) length = hypot(length, v[i]);
  return length;
}
inline float normf(int n, const float* v) {
  float length = 0;
  for (int i = 0; i < n; ++i) length = hypotf(length, v[i]);
  return length;
}
inline double rnorm(int n, const double* v) { return 1 / norm(n, v); }
inline float rnormf(int n, const float* v) { return 1 / normf(n, v); }
inline void sincospi(double v, double* s, double* c) {
  *s = sinpi(v);
  *c = cospi(v);
}
inline void sincospif(float v, float* s, float* c) {
  *s = sinpif(v);
  *c = cospif(v);
}
inline float fdividef(float a, float b) { return a / b; }
inline float __tanhf(float v) { return tanhf(v); }
inline float __frsqrt_rz(float v) {
  return simt::detail::directed_float(simt::detail::rounding::zero,
                                      1 / sqrt(static_cast<double>(v)));
}

#define SIMT_ARITHMETIC(type, letter, fma, mode, direction)                                    \
  inline type __##letter##add_##mode(type a, type b) {                                         \
    return simt::detail::directed_sum(simt::detail::rounding::direction, a, b);                \
  }                                                                                            \
  inline type __##letter##sub_##mode(type a, type b) { return __##letter##add_##mode(a, -b); } \
  inline type __##letter##mul_##mode(type a, type b) {                                         \
    return simt::detail::directed_product(simt::detail::rounding::direction, a, b);            \
  }                                                                                            \
  inline type __##letter##div_##mode(type a, type b) {                                         \
    return simt::detail::directed_quotient(simt::detail::rounding::direction, a, b);           \
  }                                                                                            \
  inline type __##letter##rcp_##mode(type v) { return __##letter##div_##mode(1, v); }          \
  inline type __##fma##_##mode(type a, type b, type c) {                                       \
    return simt::detail::directed_fma(simt::detail::rounding::direction, a, b, c);             \
  }                                                                                            \
  inline type __##letter##sqrt_##mode(type v) {                                                \
    return simt::detail::directed_root(simt::detail::rounding::direction, v);                  \
  }
#define SIMT_DIRECTED(mode, direction)                                           \
  SIMT_ARITHMETIC(float, f, fmaf, mode, direction)                               \
  SIMT_ARITHMETIC(double, d, fma, mode, direction)                               \
  SIMT_FROM(int, float, int, long long, mode, direction)                         \
  SIMT_FROM(uint, float, unsigned, unsigned long long, mode, direction)          \
  SIMT_FROM(ll, float, long long, long long, mode, direction)                    \
  SIMT_FROM(ull, float, unsigned long long, unsigned long long, mode, direction) \
  SIMT_FROM(double, float, double, double, mode, direction)                      \
  SIMT_FROM(ll, double, long long, long long, mode, direction)                   \
  SIMT_FROM(ull, double, unsigned long long, unsigned long long, mode, direction)
#define SIMT_FROM(from, to, type, widest, mode, direction)                                         \
  inline to __##from##2##to##_##mode(type v) {                                                     \
    return simt::detail::directed_##to(simt::detail::rounding::direction, static_cast<widest>(v)); \
  }
SIMT_DIRECTED(rz, zero)
SIMT_DIRECTED(rd, down)
SIMT_DIRECTED(ru, up)
#undef SIMT_FROM
#undef SIMT_DIRECTED
#undef SIMT_ARITHMETIC
inline float __ull2float_rn(unsigned long long v) { return static_cast<float>(v); }
inline double __ull2double_rn(unsigned long long v) { return static_cast<double>(v); }

// Older names. Templates, so that a program may have its own functions of these names.
#define SIMT_MIN_MAX(prefix, type)             \
  template <class = void>                      \
  constexpr type prefix##min(type a, type b) { \
    return b < a ? b : a;                      \
  }                                            \
  template <class = void>                      \
  constexpr type prefix##max(type a, type b) { \
    return a < b ? b : a;                      \
  }
SIMT_MIN_MAX(u, unsigned)
SIMT_MIN_MAX(ll, long long)
SIMT_MIN_MAX(ull, unsigned long long)
#undef SIMT_MIN_MAX
template <class = void>
inline int mulhi(int a, int b) {
  return __mulhi(a, b);
}
template <class = void>
inline unsigned umulhi(unsigned a, unsigned b) {
  return __umulhi(a, b);
}
template <class = void>
inline int mul24(int a, int b) {
  return __mul24(a, b);
}
template <class = void>
inline unsigned umul24(unsigned a, unsigned b) {
  return __umul24(a, b);
}
template <class = void>
inline int float_as_int(float v) {
  return __float_as_int(v);
}
template <class = void>
inline float int_as_float(int v) {
  return __int_as_float(v);
}
template <class = void>
inline float saturate(float v) {
  return __saturatef(v);
}

inline unsigned __uhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((std::uint64_t{a} + b) >> 1);
}
inline unsigned __urhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((std::uint64_t{a} + b + 1) >> 1);
}
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}
/// Two numbers of 16 bits by two of 8, the low or the high ones of `b`.
#define SIMT_DOT2(name, first)                                                                \
  inline int name(int a, int b, int c) {                                                      \
    return c + static_cast<std::int16_t>(a) * static_cast<std::int8_t>(b >> (first)) +        \
           static_cast<std::int16_t>(a >> 16) * static_cast<std::int8_t>(b >> ((first) + 8)); \
  }                                                                                           \
  inline unsigned name(unsigned a, unsigned b, unsigned c) {                                  \
    return c + (a & 0xffff) * (b >> (first)&255) + (a >> 16) * (b >> ((first) + 8) & 255);    \
  }
SIMT_DOT2(__dp2a_lo, 0)
SIMT_DOT2(__dp2a_hi, 16)
#undef SIMT_DOT2
/// Of the bits of `mask` the `offset`-th from `base` on, 1 for itself, upward or, below 0,
/// downward; ~0 where there is none.
inline unsigned __fns(unsigned mask, unsigned base, int offset) {
  if (offset == 0) return (mask >> base & 1) != 0 ? base : ~0U;
  const int step = offset > 0 ? 1 : -1;
  int left = offset * step;
  for (int at = static_cast<int>(base); at >= 0 && at < 32; at += step) {
    if ((mask >> at & 1) != 0 && --left == 0) return static_cast<unsigned>(at);
  }
  return ~0U;
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
