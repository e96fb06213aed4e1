// CUDA's functions on float and double whose results are defined to the last bit, and conversions.
#pragma once

#include "integers.cuh"

namespace probe {
namespace {

#define PROBE_SWEPT(name, R) \
  PROBE_WITH(__COUNTER__, add_swept, #name "(float)", R, (float a), return name(a);)
#define PROBE_MODES(of, ...) \
  of(rn, __VA_ARGS__) of(rz, __VA_ARGS__) of(ru, __VA_ARGS__) of(rd, __VA_ARGS__)
#define PROBE_ARITHMETIC(mode, l, T, fma) \
  PROBE_ALIKE_2(__##l##add_##mode, T)     \
  PROBE_ALIKE_2(__##l##sub_##mode, T)     \
  PROBE_ALIKE_2(__##l##mul_##mode, T)     \
  PROBE_ALIKE_2(__##l##div_##mode, T)     \
  PROBE_ALIKE_3(__##fma##_##mode, T)
PROBE_MODES(PROBE_ARITHMETIC, f, float, fmaf)
PROBE_MODES(PROBE_ARITHMETIC, d, double, fma)
#define PROBE_ROOTS(mode, unused)        \
  PROBE_SWEPT(__frcp_##mode, float)      \
  PROBE_SWEPT(__fsqrt_##mode, float)     \
  PROBE_1(__drcp_##mode, double, double) \
  PROBE_1(__dsqrt_##mode, double, double)
PROBE_MODES(PROBE_ROOTS, )
PROBE_SWEPT(__frsqrt_rn, float)
PROBE_SWEPT(__saturatef, float)
PROBE("a+b(float)", float, (float a, float b), return a + b;)
PROBE("a*b(float)", float, (float a, float b), return a * b;)
PROBE("a/b(float)", float, (float a, float b), return a / b;)
PROBE("a+b(double)", double, (double a, double b), return a + b;)
PROBE("a*b(double)", double, (double a, double b), return a * b;)
PROBE("a/b(double)", double, (double a, double b), return a / b;)
PROBE("a<b(float)", bool, (float a, float b), return a < b;)
PROBE("a==b(double)", bool, (double a, double b), return a == b;)

// Those of <math.h> that are exact, of both types.
#define PROBE_SINGLE(name, R) PROBE_SWEPT(name##f, R) PROBE_1(name, R##_of_double, double)
using float_of_double = double;
using ll_of_double = ll;
using int_of_double = int;
PROBE_SINGLE(ceil, float)
PROBE_SINGLE(floor, float)
PROBE_SINGLE(trunc, float)
PROBE_SINGLE(round, float)
PROBE_SINGLE(rint, float)
PROBE_SINGLE(nearbyint, float)
PROBE_SINGLE(fabs, float)
PROBE_SINGLE(sqrt, float)
PROBE_SINGLE(logb, float)
PROBE_SINGLE(ilogb, int)
PROBE_SINGLE(lrint, ll)
PROBE_SINGLE(llrint, ll)
PROBE_SINGLE(lround, ll)
PROBE_SINGLE(llround, ll)
#define PROBE_PAIR(name) PROBE_ALIKE_2(name##f, float) PROBE_ALIKE_2(name, double)
PROBE_PAIR(fmin)
PROBE_PAIR(fmax)
PROBE_PAIR(fdim)
PROBE_PAIR(fmod)
PROBE_PAIR(remainder)
PROBE_PAIR(copysign)
PROBE_PAIR(nextafter)
PROBE_ALIKE_2(min, float)
PROBE_ALIKE_2(max, float)
PROBE_ALIKE_2(min, double)
PROBE_ALIKE_2(max, double)
PROBE_2(min, double, float, double)
PROBE_2(max, double, double, float)
PROBE_ALIKE_3(fmaf, float)
PROBE_ALIKE_3(fma, double)
PROBE_2(ldexpf, float, float, int)
PROBE_2(ldexp, double, double, int)
PROBE_2(scalbnf, float, float, int)
PROBE_2(scalbn, double, double, int)
PROBE_2(scalblnf, float, float, ll)
PROBE_2(scalbln, double, double, ll)
PROBE("frexpf", ull, (float a), int e = 0; const float m = frexpf(a, &e);
      return result_of(m) | static_cast<ull>(a - a == 0 ? e : 0) << 32;)
PROBE("frexp", double, (double a), int e = 0; const double m = frexp(a, &e); return m;)
PROBE("frexp.exponent", int, (double a), int e = 0; frexp(a, &e); return a - a == 0 ? e : 0;)
PROBE("modff", float2, (float a), float i = 0; const float m = modff(a, &i);
      return make_float2(m, i);)
PROBE("modf", double, (double a), double i = 0; return modf(a, &i);)
PROBE("modf.integer", double, (double a), double i = 0; modf(a, &i); return i;)
PROBE("remquof", float, (float a, float b), int q = 0; return remquof(a, b, &q);)
PROBE("remquo", double, (double a, double b), int q = 0; return remquo(a, b, &q);)
PROBE("remquof.quotient", int, (float a, float b), int q = 0;
      return remquof(a, b, &q) == 0 || b == b ? (a - a == 0 && b != 0 && b == b ? q % 8 : 0) : 0;)
PROBE("isnan(float)", bool, (float a), return isnan(a);)
PROBE("isinf(double)", bool, (double a), return isinf(a);)
PROBE("isfinite(float)", bool, (float a), return isfinite(a);)
PROBE("signbit(float)", bool, (float a), return signbit(a) != 0;)

// Conversions.
#define PROBE_TO_INTEGER(mode, from, to, R) PROBE_1(__##from##2##to##_##mode, R, from)
#define PROBE_SWEPT_TO_INTEGER(mode, to, R) PROBE_SWEPT(__float2##to##_##mode, R)
PROBE_MODES(PROBE_SWEPT_TO_INTEGER, int, int)
PROBE_MODES(PROBE_SWEPT_TO_INTEGER, uint, unsigned)
PROBE_MODES(PROBE_SWEPT_TO_INTEGER, ll, ll)
PROBE_MODES(PROBE_SWEPT_TO_INTEGER, ull, ull)
PROBE_MODES(PROBE_TO_INTEGER, double, int, int)
PROBE_MODES(PROBE_TO_INTEGER, double, uint, unsigned)
PROBE_MODES(PROBE_TO_INTEGER, double, ll, ll)
PROBE_MODES(PROBE_TO_INTEGER, double, ull, ull)
PROBE_MODES(PROBE_TO_INTEGER, double, float, float)
#define PROBE_FROM_INTEGER(mode, from, A, to) PROBE_1(__##from##2##to##_##mode, to, A)
PROBE_MODES(PROBE_FROM_INTEGER, int, int, float)
PROBE_MODES(PROBE_FROM_INTEGER, uint, unsigned, float)
PROBE_MODES(PROBE_FROM_INTEGER, ll, ll, float)
PROBE_MODES(PROBE_FROM_INTEGER, ull, ull, float)
PROBE_MODES(PROBE_FROM_INTEGER, ll, ll, double)
PROBE_MODES(PROBE_FROM_INTEGER, ull, ull, double)
PROBE_1(__int2double_rn, double, int)
PROBE_1(__uint2double_rn, double, unsigned)
PROBE_1(__float_as_int, int, float)
PROBE_1(__float_as_uint, unsigned, float)
PROBE_1(__int_as_float, float, int)
PROBE_1(__uint_as_float, float, unsigned)
PROBE_1(__double_as_longlong, ll, double)
PROBE_1(__longlong_as_double, double, ll)
PROBE_1(__double2hiint, int, double)
PROBE_1(__double2loint, int, double)
PROBE_2(__hiloint2double, double, int, int)
#define PROBE_CAST(A, R) PROBE("(" #R ") " #A, R, (A a), return static_cast<R>(a);)
PROBE_CAST(float, int)
PROBE_CAST(float, unsigned)
PROBE_CAST(float, ll)
PROBE_CAST(float, ull)
PROBE_CAST(double, int)
PROBE_CAST(double, unsigned)
PROBE_CAST(double, ll)
PROBE_CAST(double, ull)
PROBE_CAST(double, float)
PROBE_CAST(ull, float)
PROBE_CAST(ll, float)
PROBE_CAST(ull, double)

}  // namespace
}  // namespace probe
