// CUDA's functions that are not rounded correctly, each with the bound that CUDA's documentation
// gives and what is exact, in the host's long double.
#pragma once

#include <cmath>

#include "ptx.cuh"

namespace probe {
namespace {

const real pi = 3.14159265358979323846264338327950288L,
           root2 = 1.41421356237309504880168872420969808L, infinity = INFINITY;

// What the host's library has not. Arguments near a multiple of a half are reduced exactly.
inline real exact_sinpi(real x, real quarter = 0) {
  if (!(std::fabs(x) < infinity)) return NAN;
  const real halves = std::rint(2 * x), rest = (x - halves / 2) * pi;
  const int turn = (static_cast<int>(std::fmod(halves, 4.0L)) + static_cast<int>(quarter)) & 3;
  const real v = turn % 2 != 0 ? std::cos(rest) : std::sin(rest);
  return turn > 1 ? -v : v;
}
inline real exact_cospi(real x) { return exact_sinpi(x, 1); }
real exact_erfinv(real y);
inline real exact_erfcinv(real y) {
  if (!(y >= 0 && y <= 2)) return NAN;
  if (y > 1.5L) return -exact_erfcinv(2 - y);
  if (y > 0.5L) return exact_erfinv(1 - y);
  if (y == 0) return infinity;
  const real t = std::sqrt(-2 * std::log(y / 2));
  real x = (t - (2.30753L + t * 0.27061L) / (1 + t * (0.99229L + t * 0.04481L))) / root2;
  for (int step = 0; step < 5; ++step) {
    const real miss = (std::erfc(x) - y) * std::sqrt(pi) / (-2 * std::exp(-x * x));
    x -= miss / (1 + x * miss);
  }
  return x;
}
inline real exact_erfinv(real y) {
  if (!(std::fabs(y) <= 1)) return NAN;
  if (std::fabs(y) > 0.5L) return std::copysign(exact_erfcinv(1 - std::fabs(y)), y);
  real x = y * std::sqrt(pi) / 2;
  for (int step = 0; step < 5; ++step) {
    const real miss = (std::erf(x) - y) * std::sqrt(pi) / (2 * std::exp(-x * x));
    x -= miss / (1 + x * miss);
  }
  return y == 0 ? y : x;
}
inline real exact_normcdfinv(real p) {
  return p > 0.25L && p < 0.75L ? root2 * exact_erfinv(2 * p - 1) : -root2 * exact_erfcinv(2 * p);
}
inline real exact_erfcx(real x) {
  if (x < -1000) return infinity;
  if (x < 10) {  // x x in two parts, so that the power keeps its digits
    const real high = static_cast<float>(x), low = x - high;
    return std::exp(high * high) * std::exp(low * (high + x)) * std::erfc(x);
  }
  real f = 0;
  for (int k = 200; k > 0; --k) f = k / 2.0L / (x + f);
  return 1 / ((x + f) * std::sqrt(pi));
}
inline real exact_bessel_i(int order, real x) {
  const real v = std::fabs(x);
  if (v != v) return v;
  if (v > 2000) return order != 0 && x < 0 ? -infinity : infinity;
  real term = order == 0 ? 1 : v / 2, sum = 0;
  for (int k = 1; sum + term != sum; ++k) {
    sum += term;
    term *= v / 2 * (v / 2) / (static_cast<real>(k) * (k + order));
  }
  return order == 0 ? sum : std::copysign(sum, x);
}
inline real exact_lgamma(real x) {
  return x <= 0 && x == std::floor(x) ? infinity : std::lgamma(x);
}
inline real exact_length(real x, real y, real z, real w = 0) {
  return std::hypot(std::hypot(x, y), std::hypot(z, w));
}

template <class F>
bool add_near(const char* name, unit in, const char* text) {
  add<F>(name);
  table().back().near = {F::exact, F::most, F::value, in, signature_for<F>::numbers(), text};
  return true;
}

// PROBE_NEAR("name", result, (parameters), statements, unit, bound, exact): of x, y, z and w.
#define PROBE_NEAR_WITH(id, name, R, parameters, call, in, bound, expression)                    \
  struct PROBE_JOINED(function_, id) {                                                           \
    static __device__ R at parameters { call }                                                   \
    static real exact([[maybe_unused]] real x, [[maybe_unused]] real y, [[maybe_unused]] real z, \
                      [[maybe_unused]] real w) {                                                 \
      return expression;                                                                         \
    }                                                                                            \
    static real most([[maybe_unused]] real x, [[maybe_unused]] real y) { return bound; }         \
    static number value(word w) { return number_of<R>(w); }                                      \
  };                                                                                             \
  [[maybe_unused]] const bool PROBE_JOINED(added_, id) =                                         \
      add_near<PROBE_JOINED(function_, id)>(name, unit::in, #bound);
#define PROBE_NEAR(...) PROBE_NEAR_WITH(__COUNTER__, __VA_ARGS__)
#define PROBE_NEAR_1(name, T, bound, exact) \
  PROBE_NEAR(#name "(" #T ")", T, (T a), return name(a);, ulp, bound, exact)
#define PROBE_NEAR_2(name, T, bound, exact) \
  PROBE_NEAR(#name "(" #T ")", T, (T a, T b), return name(a, b);, ulp, bound, exact)
#define PROBE_NEAR_3(name, T, bound, exact) \
  PROBE_NEAR(#name "(" #T ")", T, (T a, T b, T c), return name(a, b, c);, ulp, bound, exact)
#define PROBE_NEAR_4(name, T, bound, exact) \
  PROBE_NEAR(#name "(" #T ")", T, (T a, T b, T c, T d), return name(a, b, c, d);, ulp, bound, exact)
// With the bounds of float and of double.
#define PROBE_BOTH(n, name, of_float, of_double, exact) \
  PROBE_NEAR_##n(name##f, float, of_float, exact) PROBE_NEAR_##n(name, double, of_double, exact)

PROBE_BOTH(1, rsqrt, 2, 1, 1 / std::sqrt(x))
PROBE_BOTH(1, cbrt, 1, 1, std::cbrt(x))
PROBE_BOTH(1, rcbrt, 1, 1, 1 / std::cbrt(x))
// Documented as 1 of float: at some arguments a card is 2 from what is rounded correctly.
PROBE_BOTH(1, exp, 2, 1, std::exp(x))
PROBE_BOTH(1, exp2, 2, 1, std::exp2(x))
PROBE_BOTH(1, exp10, 2, 1, std::pow(10.0L, x))
PROBE_BOTH(1, expm1, 1, 1, std::expm1(x))
PROBE_BOTH(1, log, 1, 1, std::log(x))
PROBE_BOTH(1, log2, 1, 1, std::log2(x))
PROBE_BOTH(1, log10, 2, 1, std::log10(x))
PROBE_BOTH(1, log1p, 1, 1, std::log1p(x))
PROBE_BOTH(1, sin, 2, 2, std::sin(x))
PROBE_BOTH(1, cos, 2, 2, std::cos(x))
PROBE_BOTH(1, tan, 4, 2, std::tan(x))
PROBE_BOTH(1, sinpi, 1, 2, exact_sinpi(x))
PROBE_BOTH(1, cospi, 1, 2, exact_cospi(x))
PROBE_BOTH(1, asin, 2, 2, std::asin(x))
PROBE_BOTH(1, acos, 2, 2, std::acos(x))
PROBE_BOTH(1, atan, 2, 2, std::atan(x))
PROBE_BOTH(2, atan2, 3, 2, std::atan2(x, y))
PROBE_BOTH(1, sinh, 3, 2, std::sinh(x))
PROBE_BOTH(1, cosh, 2, 1, std::cosh(x))
PROBE_BOTH(1, tanh, 2, 1, std::tanh(x))
PROBE_BOTH(1, asinh, 3, 3, std::asinh(x))
PROBE_BOTH(1, acosh, 4, 3, std::acosh(x))
PROBE_BOTH(1, atanh, 3, 2, std::atanh(x))
PROBE_BOTH(2, pow, 4, 2, std::pow(x, y))
PROBE_BOTH(1, erf, 2, 2, std::erf(x))
PROBE_BOTH(1, erfc, 4, 5, std::erfc(x))
PROBE_BOTH(1, erfinv, 2, 5, exact_erfinv(x))
PROBE_BOTH(1, erfcinv, 4, 6, exact_erfcinv(x))
PROBE_BOTH(1, erfcx, 4, 4, exact_erfcx(x))
PROBE_BOTH(1, normcdf, 5, 5, std::erfc(-x / root2) / 2)
PROBE_BOTH(1, normcdfinv, 5, 8, exact_normcdfinv(x))
PROBE_BOTH(1, lgamma, x > -10.001L && x < -2.264L ? -1 : 6, x > -23.0001L && x < -2.2637L ? -1 : 4,
           exact_lgamma(x))
PROBE_BOTH(1, tgamma, 5, 10, std::tgamma(x))
PROBE_BOTH(1, cyl_bessel_i0, 6, 6, exact_bessel_i(0, x))
PROBE_BOTH(1, cyl_bessel_i1, 6, 6, exact_bessel_i(1, x))
PROBE_BOTH(1, j0, std::fabs(x) < 8 ? 9 : -1, std::fabs(x) < 8 ? 7 : -1, j0l(x))
PROBE_BOTH(1, j1, std::fabs(x) < 8 ? 9 : -1, std::fabs(x) < 8 ? 7 : -1, j1l(x))
PROBE_BOTH(1, y0, x < 8 ? 9 : -1, x < 8 ? 7 : -1, y0l(x))
PROBE_BOTH(1, y1, x < 8 ? 9 : -1, x < 8 ? 7 : -1, y1l(x))
// Documented for n = 128. For arguments near 0 CUDA's recurrence overflows, and gives a NaN.
PROBE_NEAR("jnf(128 float)", float, (float a), return jnf(128, a);
           , absolute, std::fabs(x) < 1e-12L ? -1 : 2.2e-6L, jnl(128, x))
PROBE_NEAR("jn(128 double)", double, (double a), return jn(128, a);
           , absolute, std::fabs(x) < 1e-14L ? -1 : 5e-12L, jnl(128, x))
PROBE_NEAR("ynf(3 float)", float, (float a), return ynf(3, a);, ulp, x < 3 ? 10 : -1, ynl(3, x))
PROBE_BOTH(2, hypot, 3, 2, std::hypot(x, y))
PROBE_BOTH(2, rhypot, 2, 1, 1 / std::hypot(x, y))
PROBE_BOTH(3, norm3d, 3, 2, exact_length(x, y, z))
PROBE_BOTH(3, rnorm3d, 2, 1, 1 / exact_length(x, y, z))
PROBE_BOTH(4, norm4d, 3, 2, exact_length(x, y, z, w))
PROBE_BOTH(4, rnorm4d, 2, 1, 1 / exact_length(x, y, z, w))
#define PROBE_OUT_2(name, T, bound, first, second)                                          \
  PROBE_NEAR(#name ".1", T, (T a), T s; T c; name(a, &s, &c); return s;, ulp, bound, first) \
  PROBE_NEAR(#name ".2", T, (T a), T s; T c; name(a, &s, &c); return c;, ulp, bound, second)
PROBE_OUT_2(sincosf, float, 2, std::sin(x), std::cos(x))
PROBE_OUT_2(sincos, double, 2, std::sin(x), std::cos(x))
PROBE_OUT_2(sincospif, float, 1, exact_sinpi(x), exact_cospi(x))
PROBE_OUT_2(sincospi, double, 2, exact_sinpi(x), exact_cospi(x))

// The fast ones.
#define PROBE_IN_RANGE(low, high, bound) (x >= (low) && x <= (high) ? (bound) : -1)
#define PROBE_FAST(name, in, bound, exact) \
  PROBE_NEAR(#name "(float)", float, (float a), return name(a);, in, bound, exact)
PROBE_FAST(__expf, ulp, PROBE_IN_RANGE(-87, 88, 2 + std::floor(std::fabs(1.173L * x))), std::exp(x))
PROBE_FAST(__exp10f, ulp, PROBE_IN_RANGE(-37, 38, 2 + std::floor(std::fabs(2.97L * x))),
           std::pow(10.0L, x))
PROBE_FAST(__logf, absolute, PROBE_IN_RANGE(0.5L, 2, std::exp2(-21.41L)), std::log(x))
PROBE_FAST(__log2f, absolute, PROBE_IN_RANGE(0.5L, 2, std::exp2(-22.0L)), std::log2(x))
PROBE_FAST(__log10f, absolute, PROBE_IN_RANGE(0.5L, 2, std::exp2(-24.0L)), std::log10(x))
PROBE_NEAR("__logf(float) elsewhere", float, (float a), return __logf(a);
           , ulp, x > 0 && x < 0.5L ? 3 : PROBE_IN_RANGE(2, 0x1p127L, 3), std::log(x))
PROBE_NEAR("__log2f(float) elsewhere", float, (float a), return __log2f(a);
           , ulp, x > 0 && x < 0.5L ? 2 : PROBE_IN_RANGE(2, 0x1p127L, 2), std::log2(x))
PROBE_NEAR("__log10f(float) elsewhere", float, (float a), return __log10f(a);
           , ulp, x > 0 && x < 0.5L ? 3 : PROBE_IN_RANGE(2, 0x1p127L, 3), std::log10(x))
PROBE_FAST(__sinf, absolute, PROBE_IN_RANGE(-pi, pi, std::exp2(-21.41L)), std::sin(x))
PROBE_FAST(__cosf, absolute, PROBE_IN_RANGE(-pi, pi, std::exp2(-21.19L)), std::cos(x))
PROBE_FAST(__tanhf, relative, std::exp2(-10.98L), std::tanh(x))
PROBE_NEAR("__fdividef(float)", float, (float a, float b), return __fdividef(a, b);
           , ulp, std::fabs(y) >= 0x1p-126L && std::fabs(y) <= 0x1p126L ? 2 : -1, x / y)

// Of two bytes.
#define PROBE_OF_HALF(name, N, P, exact)                                        \
  PROBE_NEAR("h" #name "(" #N ")", N, (N a), return h##name(a);, ulp, 1, exact) \
  PROBE_NEAR("h2" #name "(" #P ")", N, (N a), return h2##name(P(a, a)).y;, ulp, 1, exact)
#define PROBE_OF_HALVES(name, exact)          \
  PROBE_OF_HALF(name, __half, __half2, exact) \
  PROBE_OF_HALF(name, __nv_bfloat16, __nv_bfloat162, exact)
PROBE_OF_HALVES(exp, std::exp(x))
PROBE_OF_HALVES(exp2, std::exp2(x))
PROBE_OF_HALVES(exp10, std::pow(10.0L, x))
PROBE_OF_HALVES(log, std::log(x))
PROBE_OF_HALVES(log2, std::log2(x))
PROBE_OF_HALVES(log10, std::log10(x))
PROBE_OF_HALVES(sin, std::sin(x))
PROBE_OF_HALVES(cos, std::cos(x))
PROBE_OF_HALVES(tanh, std::tanh(x))
PROBE_NEAR("htanh_approx(__half)", __half, (__half a), return htanh_approx(a);
           , absolute, std::exp2(-10.987L), std::tanh(x))
PROBE_NEAR("htanh_approx(__nv_bfloat16)", __nv_bfloat16, (__nv_bfloat16 a), return htanh_approx(a);
           , absolute, std::exp2(-8.0L), std::tanh(x))

// PTX's approximations.
#define PTX_NEAR(op, t, in, bound, exact)           \
  PROBE_NEAR(op "." #t, PROBE_T(t), (PROBE_T(t) a), \
             PROBE_ASM(t, op "." #t " %0, %1;", PROBE_IN(t, a)), in, bound, exact)
#define PTX_NEAR_2(op, bound)                                                                  \
  PROBE_NEAR(op, float, (float a, float b), PROBE_ASM(f32, op " %0, %1, %2;", "f"(a), "f"(b)), \
             ulp, bound, x / y)
#define PROBE_NORMAL(v, bound) \
  (std::fabs(v) >= 0x1p-126L && std::fabs(v) <= 0x1p126L ? (bound) : -1)
PTX_NEAR("rcp.approx", f32, ulp, 1, 1 / x)
PTX_NEAR("rcp.approx.ftz", f32, ulp, PROBE_NORMAL(x, 1), 1 / x)
PTX_NEAR("rcp.approx.ftz", f64, relative, PROBE_NORMAL(x, std::exp2(-19.0L)), 1 / x)
PTX_NEAR("sqrt.approx", f32, relative, std::exp2(-23.0L) * 1.01L, std::sqrt(x))
PTX_NEAR("sqrt.approx.ftz", f32, relative, PROBE_NORMAL(x, std::exp2(-23.0L) * 1.01L), std::sqrt(x))
PTX_NEAR("rsqrt.approx", f32, relative, std::exp2(-22.9L), 1 / std::sqrt(x))
PTX_NEAR("rsqrt.approx.ftz", f32, relative, PROBE_NORMAL(x, std::exp2(-22.9L)), 1 / std::sqrt(x))
PTX_NEAR("rsqrt.approx", f64, relative, PROBE_NORMAL(x, std::exp2(-19.0L)), 1 / std::sqrt(x))
PTX_NEAR("sin.approx", f32, absolute, PROBE_IN_RANGE(-pi, pi, std::exp2(-20.5L)), std::sin(x))
PTX_NEAR("cos.approx", f32, absolute, PROBE_IN_RANGE(-pi, pi, std::exp2(-20.5L)), std::cos(x))
PTX_NEAR("lg2.approx", f32, absolute, PROBE_IN_RANGE(0.5L, 2, std::exp2(-22.0L)), std::log2(x))
PTX_NEAR("ex2.approx", f32, ulp, 2, std::exp2(x))
PTX_NEAR("ex2.approx.ftz", f32, ulp, PROBE_IN_RANGE(-125, 128, 2), std::exp2(x))
PTX_NEAR("tanh.approx", f32, relative, std::exp2(-10.98L), std::tanh(x))
PTX_NEAR("ex2.approx", f16, relative, PROBE_IN_RANGE(-13, 15, std::exp2(-9.9L)), std::exp2(x))
PTX_NEAR("tanh.approx", f16, absolute, std::exp2(-10.987L), std::tanh(x))
PTX_NEAR("ex2.approx.ftz", bf16, relative, PROBE_IN_RANGE(-125, 126, std::exp2(-7.0L)),
         std::exp2(x))
PTX_NEAR("tanh.approx", bf16, absolute, std::exp2(-8.0L), std::tanh(x))
PTX_NEAR_2("div.approx.f32", PROBE_NORMAL(y, 2))
PTX_NEAR_2("div.approx.ftz.f32",
           std::fabs(x / y) < 0x1p-126L || std::fabs(x) < 0x1p-126L ? -1 : PROBE_NORMAL(y, 2))
PTX_NEAR_2("div.full.f32", std::fabs(x) < 0x1p-126L || std::fabs(y) < 0x1p-126L ? -1 : 2)

}  // namespace
}  // namespace probe
