// CUDA's functions on numbers: those of <math.h> in the global namespace, and the device's own.
// Fast ones (`__expf`) are as exact here as the others.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include <math.h>
#include <stdlib.h>

#include "simt/bits.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the names are CUDA's

namespace simt::detail {

/// Of a number and NaN the number. -0 is below +0: numbers that are equal differ in that bit at
/// most.
template <class Float, class Bits>
constexpr Float least_number(Float a, Float b) {
  if (a == b) {
    return __builtin_bit_cast(Float, __builtin_bit_cast(Bits, a) | __builtin_bit_cast(Bits, b));
  }
  return a < b || b != b ? a : b;
}
template <class Float, class Bits>
constexpr Float greatest_number(Float a, Float b) {
  if (a == b) {
    return __builtin_bit_cast(Float, __builtin_bit_cast(Bits, a) & __builtin_bit_cast(Bits, b));
  }
  return b < a || b != b ? a : b;
}
constexpr float least(float a, float b) { return least_number<float, std::uint32_t>(a, b); }
constexpr double least(double a, double b) { return least_number<double, std::uint64_t>(a, b); }
constexpr float greatest(float a, float b) { return greatest_number<float, std::uint32_t>(a, b); }
constexpr double greatest(double a, double b) {
  return greatest_number<double, std::uint64_t>(a, b);
}
// Rounded once or twice, where the C library has no such function or one that is farther off.
double exact_cbrt(double v) noexcept;
double exact_rcbrt(double v) noexcept;
double exact_tanh(double v) noexcept;
double exact_exp10(double v) noexcept;
double exact_sinpi(double v) noexcept;
double exact_cospi(double v) noexcept;
double exact_j0(double v) noexcept;
double exact_j1(double v) noexcept;
double exact_y0(double v) noexcept;
double exact_y1(double v) noexcept;
double exact_norm(double a, double b, double c, double d) noexcept;
double exact_rnorm(double a, double b, double c, double d) noexcept;
double exact_normcdf(double v) noexcept;
double exact_normcdfinv(double v) noexcept;
double exact_erfinv(double v) noexcept;
double exact_erfcinv(double v) noexcept;
double exact_erfcx(double v) noexcept;
double exact_cyl_bessel_i0(double v) noexcept;
double exact_cyl_bessel_i1(double v) noexcept;

}  // namespace simt::detail

// Overloads, no templates: they win over std::min where a file says `using namespace std`.
#define SIMT_MIN_MAX(type, a_type, b_type)                                     \
  constexpr type min(a_type a, b_type b) {                                     \
    return static_cast<type>(b) < static_cast<type>(a) ? static_cast<type>(b)  \
                                                       : static_cast<type>(a); \
  }                                                                            \
  constexpr type max(a_type a, b_type b) {                                     \
    return static_cast<type>(a) < static_cast<type>(b) ? static_cast<type>(b)  \
                                                       : static_cast<type>(a); \
  }
#define SIMT_MIN_MAX_SIGNED(type)                           \
  SIMT_MIN_MAX(type, type, type)                            \
  SIMT_MIN_MAX(unsigned type, unsigned type, unsigned type) \
  SIMT_MIN_MAX(unsigned type, type, unsigned type)          \
  SIMT_MIN_MAX(unsigned type, unsigned type, type)
SIMT_MIN_MAX_SIGNED(int)
SIMT_MIN_MAX_SIGNED(long)
SIMT_MIN_MAX_SIGNED(long long)
#undef SIMT_MIN_MAX_SIGNED
#undef SIMT_MIN_MAX
#define SIMT_MIN_MAX(type, a_type, b_type)                                                 \
  constexpr type min(a_type a, b_type b) { return simt::detail::least(type{a}, type{b}); } \
  constexpr type max(a_type a, b_type b) { return simt::detail::greatest(type{a}, type{b}); }
SIMT_MIN_MAX(float, float, float)
SIMT_MIN_MAX(double, double, double)
SIMT_MIN_MAX(double, float, double)
SIMT_MIN_MAX(double, double, float)
#undef SIMT_MIN_MAX

// Bits and integers.
inline int __popc(unsigned v) { return simt::detail::popcount(v); }
inline int __popcll(unsigned long long v) { return simt::detail::popcount(v); }
inline int __clz(int v) { return simt::detail::leading_zeros(static_cast<unsigned>(v)); }
inline int __clzll(long long v) {
  return simt::detail::leading_zeros(static_cast<unsigned long long>(v));
}
inline int __ffs(int v) { return __builtin_ffs(v); }
inline int __ffsll(long long v) { return __builtin_ffsll(v); }
inline unsigned __brev(unsigned v) { return __builtin_bitreverse32(v); }
inline unsigned long long __brevll(unsigned long long v) { return __builtin_bitreverse64(v); }
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const std::uint64_t bytes = std::uint64_t{y} << 32 | x;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned from = selector >> 4 * i & 7;
    result |= (static_cast<unsigned>(bytes >> 8 * from) & 255) << 8 * i;
  }
  return result;
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>(((std::uint64_t{high} << 32 | low) << (shift & 31)) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((std::uint64_t{high} << 32 | low) >> (shift & 31));
}
inline int __mul24(int a, int b) {
  return static_cast<int>(static_cast<unsigned>(a << 8 >> 8) * static_cast<unsigned>(b << 8 >> 8));
}
inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffffU) * (b & 0xffffffU); }
inline int __mulhi(int a, int b) { return static_cast<int>(std::int64_t{a} * b >> 32); }
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(std::uint64_t{a} * b >> 32);
}
inline long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
inline int __hadd(int a, int b) { return static_cast<int>((std::int64_t{a} + b) >> 1); }
inline int __rhadd(int a, int b) { return static_cast<int>((std::int64_t{a} + b + 1) >> 1); }
inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return (a < b ? b - a : a - b) + c; }
inline unsigned __sad(int a, int b, unsigned c) {
  return static_cast<unsigned>(a < b ? std::int64_t{b} - a : std::int64_t{a} - b) + c;
}
inline int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 32; i += 8) {
    c += static_cast<std::int8_t>(a >> i) * static_cast<std::int8_t>(b >> i);
  }
  return c;
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 32; i += 8) c += (a >> i & 255) * (b >> i & 255);
  return c;
}

// The same bits as another type.
inline int __float_as_int(float v) { return simt::detail::bit_cast<int>(v); }
inline unsigned __float_as_uint(float v) { return simt::detail::bit_cast<unsigned>(v); }
inline float __int_as_float(int v) { return simt::detail::bit_cast<float>(v); }
inline float __uint_as_float(unsigned v) { return simt::detail::bit_cast<float>(v); }
inline long long __double_as_longlong(double v) { return simt::detail::bit_cast<long long>(v); }
inline double __longlong_as_double(long long v) { return simt::detail::bit_cast<double>(v); }
inline int __double2hiint(double v) {
  return static_cast<int>(simt::detail::bit_cast<std::uint64_t>(v) >> 32);
}
inline int __double2loint(double v) {
  return static_cast<int>(simt::detail::bit_cast<std::uint64_t>(v));
}
inline double __hiloint2double(int high, int low) {
  return simt::detail::bit_cast<double>(std::uint64_t{static_cast<unsigned>(high)} << 32 |
                                        static_cast<unsigned>(low));
}

namespace simt::detail {

/// As the device converts: beyond the ends it is the end. NaN is 0, but where one of the two types
/// has 8 bytes the highest bit alone.
template <class Int, class Float>
inline Int saturated(Float v) {
  using limits = std::numeric_limits<Int>;
  if (v != v) {
    return sizeof(Int) == 8 || sizeof(Float) == 8 ? static_cast<Int>(1ULL << (sizeof(Int) * 8 - 1))
                                                  : 0;
  }
  if (v >= static_cast<Float>(limits::max())) return limits::max();
  if (v <= static_cast<Float>(limits::min())) return limits::min();
  return static_cast<Int>(v);
}

}  // namespace simt::detail

// Functions of <math.h> whose results differ from the device's. With such an attribute clang takes
// a declaration for an overload of the one in <math.h>, and prefers it.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgcc-compat"  // GCC has no such attribute
#define SIMT_PREFERRED __attribute__((enable_if(true, "the device's")))
#define SIMT_CHOICE(name, function)                                                            \
  SIMT_PREFERRED constexpr float name##f(float a, float b) noexcept { return function(a, b); } \
  SIMT_PREFERRED constexpr float name(float a, float b) noexcept { return function(a, b); }    \
  SIMT_PREFERRED constexpr double name(double a, double b) noexcept { return function(a, b); }
SIMT_CHOICE(fmin, simt::detail::least)
SIMT_CHOICE(fmax, simt::detail::greatest)
#undef SIMT_CHOICE
#define SIMT_ROUNDED(type, name, function)                                 \
  SIMT_PREFERRED inline type name##f(float v) noexcept {                   \
    return simt::detail::saturated<type>(function##f(v));                  \
  }                                                                        \
  SIMT_PREFERRED inline type name(float v) noexcept { return name##f(v); } \
  SIMT_PREFERRED inline type name(double v) noexcept {                     \
    return simt::detail::saturated<type>(function(v));                     \
  }
SIMT_ROUNDED(long, lrint, rint)
SIMT_ROUNDED(long, lround, round)
SIMT_ROUNDED(long long, llrint, rint)
SIMT_ROUNDED(long long, llround, round)
#undef SIMT_ROUNDED
#define SIMT_EXACT(name) \
  SIMT_PREFERRED inline double name(double v) noexcept { return simt::detail::exact_##name(v); }
SIMT_EXACT(cbrt)
SIMT_EXACT(tanh)
SIMT_EXACT(exp10)
SIMT_EXACT(j0)
SIMT_EXACT(j1)
SIMT_EXACT(y0)
SIMT_EXACT(y1)
#undef SIMT_EXACT
#undef SIMT_PREFERRED
#pragma clang diagnostic pop
namespace std {
using ::cbrt;
using ::fmax;
using ::fmaxf;
using ::fmin;
using ::fminf;
using ::llrint;
using ::llrintf;
using ::llround;
using ::llroundf;
using ::lrint;
using ::lrintf;
using ::lround;
using ::lroundf;
using ::tanh;
}  // namespace std

#define SIMT_TO_INTEGER(from, to, type)                                                        \
  inline type __##from##2##to##_rn(from v) { return simt::detail::saturated<type>(rint(v)); }  \
  inline type __##from##2##to##_rz(from v) { return simt::detail::saturated<type>(trunc(v)); } \
  inline type __##from##2##to##_ru(from v) { return simt::detail::saturated<type>(ceil(v)); }  \
  inline type __##from##2##to##_rd(from v) { return simt::detail::saturated<type>(floor(v)); }
SIMT_TO_INTEGER(float, int, int)
SIMT_TO_INTEGER(float, uint, unsigned)
SIMT_TO_INTEGER(float, ll, long long)
SIMT_TO_INTEGER(float, ull, unsigned long long)
SIMT_TO_INTEGER(double, int, int)
SIMT_TO_INTEGER(double, uint, unsigned)
SIMT_TO_INTEGER(double, ll, long long)
SIMT_TO_INTEGER(double, ull, unsigned long long)
#undef SIMT_TO_INTEGER
inline float __int2float_rn(int v) { return static_cast<float>(v); }
inline float __uint2float_rn(unsigned v) { return static_cast<float>(v); }
inline float __ll2float_rn(long long v) { return static_cast<float>(v); }
inline float __double2float_rn(double v) { return static_cast<float>(v); }
inline double __int2double_rn(int v) { return v; }
inline double __uint2double_rn(unsigned v) { return v; }
inline double __ll2double_rn(long long v) { return static_cast<double>(v); }

// Rounded to nearest, which is what C++ does.
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline float __frcp_rn(float v) { return 1 / v; }
inline float __fsqrt_rn(float v) { return sqrtf(v); }
inline float __frsqrt_rn(float v) {
  const double wide = v;
  const auto near = static_cast<float>(1 / sqrt(wide));
  if (!(v > 0 && v < __builtin_inff())) return near;
  // The root lies beyond the middle between two floats if its square times v does, which is exact.
  const auto beside = [&](int by) {
    return simt::detail::bit_cast<float>(simt::detail::bit_cast<int>(near) + by);
  };
  const auto excess = [&](float other) {
    const double middle = (double{near} + other) / 2;
    return fma(wide, middle * middle, -1.0);
  };
  if (excess(beside(1)) < 0) return beside(1);
  return excess(beside(-1)) > 0 ? beside(-1) : near;
}
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
inline double __drcp_rn(double v) { return 1 / v; }
inline double __dsqrt_rn(double v) { return sqrt(v); }

inline float __expf(float v) { return expf(v); }
inline float __exp10f(float v) { return powf(10, v); }
inline float __logf(float v) { return logf(v); }
inline float __log2f(float v) { return log2f(v); }
inline float __log10f(float v) { return log10f(v); }
inline float __sinf(float v) { return sinf(v); }
inline float __cosf(float v) { return cosf(v); }
inline float __tanf(float v) { return tanf(v); }
inline float __powf(float a, float b) { return powf(a, b); }
inline float __fdividef(float a, float b) { return a / b; }
inline float __saturatef(float v) { return v > 0 ? fminf(v, 1) : 0; }  // NaN is 0
inline void __sincosf(float v, float* s, float* c) {
  *s = sinf(v);
  *c = cosf(v);
}

inline double rsqrt(double v) { return 1 / sqrt(v); }
inline float rsqrtf(float v) { return 1 / sqrtf(v); }
inline float rsqrt(float v) { return rsqrtf(v); }
inline double rhypot(double a, double b) { return simt::detail::exact_rnorm(a, b, 0, 0); }
inline double norm3d(double a, double b, double c) { return simt::detail::exact_norm(a, b, c, 0); }
inline double rnorm3d(double a, double b, double c) {
  return simt::detail::exact_rnorm(a, b, c, 0);
}
inline double norm4d(double a, double b, double c, double d) {
  return simt::detail::exact_norm(a, b, c, d);
}
inline double rnorm4d(double a, double b, double c, double d) {
  return simt::detail::exact_rnorm(a, b, c, d);
}
inline float rhypotf(float a, float b) { return static_cast<float>(rhypot(a, b)); }
inline float norm3df(float a, float b, float c) { return static_cast<float>(norm3d(a, b, c)); }
inline float rnorm3df(float a, float b, float c) { return static_cast<float>(rnorm3d(a, b, c)); }
inline float norm4df(float a, float b, float c, float d) {
  return static_cast<float>(norm4d(a, b, c, d));
}
inline float rnorm4df(float a, float b, float c, float d) {
  return static_cast<float>(rnorm4d(a, b, c, d));
}
#define SIMT_EXACT(name)                                                 \
  inline double name(double v) { return simt::detail::exact_##name(v); } \
  inline float name##f(float v) {                                        \
    return static_cast<float>(simt::detail::exact_##name(double{v}));    \
  }
SIMT_EXACT(rcbrt)
SIMT_EXACT(sinpi)
SIMT_EXACT(cospi)
SIMT_EXACT(normcdf)
SIMT_EXACT(normcdfinv)
SIMT_EXACT(erfinv)
SIMT_EXACT(erfcinv)
SIMT_EXACT(erfcx)
SIMT_EXACT(cyl_bessel_i0)
SIMT_EXACT(cyl_bessel_i1)
#undef SIMT_EXACT
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
