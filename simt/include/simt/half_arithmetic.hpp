// Arithmetic, comparisons and functions of __half and __nv_bfloat16, one and two at a time.
#pragma once

#include "simt/half.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the names are CUDA's

namespace simt::detail {

template <class Number>
inline Number half_sum(Number a, Number b) {
  return rounded_to<Number>(sum_to_odd(a.value(), b.value()));
}
template <class Number>
inline Number half_product(Number a, Number b) {
  return rounded_to<Number>(static_cast<double>(a.value()) * b.value());
}
/// Double precision has more than twice the digits: rounding twice is as rounding once.
template <class Number>
inline Number half_quotient(Number a, Number b) {
  return rounded_to<Number>(static_cast<double>(a.value()) / b.value());
}
template <class Number>
inline Number half_fma(Number a, Number b, Number c) {
  return rounded_to<Number>(sum_to_odd(static_cast<double>(a.value()) * b.value(), c.value()));
}
template <class Number>
inline Number half_negated(Number a) {
  return number_of<Number>(a.bits() ^ 0x8000U);
}
template <class Number>
inline bool half_is_nan(Number a) {
  return a.value() != a.value();
}
/// Between 0 and 1; NaN is 0.
template <class Number>
inline Number half_saturated(Number a) {
  const float v = a.value();
  return v >= 1 ? Number(1.0F) : v > 0 ? a : number_of<Number>(0);
}
/// Not below 0; NaN stays.
template <class Number>
inline Number half_rectified(Number a) {
  return half_is_nan(a) ? number_of<Number>(0x7fff) : a.value() > 0 ? a : number_of<Number>(0);
}
/// The one that `takes_a` says; of a number and NaN the number, unless `keeps_nan`.
template <class Number>
inline Number half_chosen(Number a, Number b, bool takes_a, bool keeps_nan) {
  const bool a_is = half_is_nan(a), b_is = half_is_nan(b);
  const bool is_nan = keeps_nan ? a_is | b_is : a_is & b_is;
  const Number chosen = a_is | (!b_is & !takes_a) ? b : a;
  return is_nan ? number_of<Number>(0x7fff) : chosen;
}
/// -0 is below +0.
template <class Number>
inline bool half_is_below(Number a, Number b) {
  return a.value() < b.value() || (a.value() == b.value() && (a.bits() & 0x8000U) != 0);
}
template <class Number>
inline Number half_of_bool(bool is) {
  return Number(is ? 1.0F : 0.0F);
}

}  // namespace simt::detail

// Each of these for both formats.
#define SIMT_HALF_1(N, P, name, name2, expression)        \
  inline N name(N a) { return simt::detail::expression; } \
  inline P name2(P v) { return {name(v.x), name(v.y)}; }
#define SIMT_HALF_2(N, P, name, name2, expression)             \
  inline N name(N a, N b) { return simt::detail::expression; } \
  inline P name2(P v, P w) { return {name(v.x, w.x), name(v.y, w.y)}; }
#define SIMT_HALF_3(N, P, name, name2, expression)                  \
  inline N name(N a, N b, N c) { return simt::detail::expression; } \
  inline P name2(P u, P v, P w) { return {name(u.x, v.x, w.x), name(u.y, v.y, w.y)}; }

#define SIMT_HALF_ARITHMETIC(N, P)                                                                \
  SIMT_HALF_2(N, P, __hadd, __hadd2, half_sum(a, b))                                              \
  SIMT_HALF_2(N, P, __hadd_rn, __hadd2_rn, half_sum(a, b))                                        \
  SIMT_HALF_2(N, P, __hadd_sat, __hadd2_sat, half_saturated(half_sum(a, b)))                      \
  SIMT_HALF_2(N, P, __hsub, __hsub2, half_sum(a, half_negated(b)))                                \
  SIMT_HALF_2(N, P, __hsub_rn, __hsub2_rn, half_sum(a, half_negated(b)))                          \
  SIMT_HALF_2(N, P, __hsub_sat, __hsub2_sat, half_saturated(half_sum(a, half_negated(b))))        \
  SIMT_HALF_2(N, P, __hmul, __hmul2, half_product(a, b))                                          \
  SIMT_HALF_2(N, P, __hmul_rn, __hmul2_rn, half_product(a, b))                                    \
  SIMT_HALF_2(N, P, __hmul_sat, __hmul2_sat, half_saturated(half_product(a, b)))                  \
  SIMT_HALF_2(N, P, __hdiv, __h2div, half_quotient(a, b))                                         \
  SIMT_HALF_3(N, P, __hfma, __hfma2, half_fma(a, b, c))                                           \
  SIMT_HALF_3(N, P, __hfma_sat, __hfma2_sat, half_saturated(half_fma(a, b, c)))                   \
  SIMT_HALF_3(N, P, __hfma_relu, __hfma2_relu, half_rectified(half_fma(a, b, c)))                 \
  SIMT_HALF_1(N, P, __hneg, __hneg2, half_negated(a))                                             \
  SIMT_HALF_1(N, P, __habs, __habs2, number_of<N>(a.bits() & 0x7fffU))                            \
  SIMT_HALF_2(N, P, __hmax, __hmax2, half_chosen(a, b, !half_is_below(a, b), false))              \
  SIMT_HALF_2(N, P, __hmin, __hmin2, half_chosen(a, b, half_is_below(a, b), false))               \
  SIMT_HALF_2(N, P, __hmax_nan, __hmax2_nan, half_chosen(a, b, !half_is_below(a, b), true))       \
  SIMT_HALF_2(N, P, __hmin_nan, __hmin2_nan, half_chosen(a, b, half_is_below(a, b), true))        \
  inline bool __hisnan(N a) { return simt::detail::half_is_nan(a); }                              \
  inline P __hisnan2(P v) {                                                                       \
    return {simt::detail::half_of_bool<N>(__hisnan(v.x)),                                         \
            simt::detail::half_of_bool<N>(__hisnan(v.y))};                                        \
  }                                                                                               \
  inline int __hisinf(N a) { return fabsf(a.value()) != HUGE_VALF ? 0 : a.value() > 0 ? 1 : -1; } \
  /** (a.x + i a.y) (b.x + i b.y) + c */                                                          \
  inline P __hcmadd(P a, P b, P c) {                                                              \
    const N x = __hfma(a.x, b.x, c.x), y = __hfma(a.x, b.y, c.y);                                 \
    return {__hfma(__hneg(a.y), b.y, x), __hfma(a.y, b.x, y)};                                    \
  }
SIMT_HALF_ARITHMETIC(__half, __half2)
SIMT_HALF_ARITHMETIC(__nv_bfloat16, __nv_bfloat162)
#undef SIMT_HALF_ARITHMETIC

// With a `u` behind the name NaN makes it true.
#define SIMT_HALF_COMPARISON(N, P, name, ordered, op)                                        \
  inline bool __h##name(N a, N b) {                                                          \
    const float x = a.value(), y = b.value();                                                \
    const bool are_numbers = (x == x) & (y == y);                                            \
    return (ordered) ? (x op y)&are_numbers : (x op y) | !are_numbers;                       \
  }                                                                                          \
  inline P __h##name##2(P v, P w) {                                                          \
    return {simt::detail::half_of_bool<N>(__h##name(v.x, w.x)),                              \
            simt::detail::half_of_bool<N>(__h##name(v.y, w.y))};                             \
  }                                                                                          \
  inline bool __hb##name##2(P v, P w) { return __h##name(v.x, w.x) && __h##name(v.y, w.y); } \
  inline unsigned __h##name##2_mask(P v, P w) {                                              \
    return (__h##name(v.x, w.x) ? 0xffffU : 0U) | (__h##name(v.y, w.y) ? 0xffff0000U : 0U);  \
  }
#define SIMT_HALF_COMPARISONS(N, P, name, op) \
  SIMT_HALF_COMPARISON(N, P, name, true, op)  \
  SIMT_HALF_COMPARISON(N, P, name##u, false, op)
#define SIMT_BOTH_COMPARISONS(name, op)            \
  SIMT_HALF_COMPARISONS(__half, __half2, name, op) \
  SIMT_HALF_COMPARISONS(__nv_bfloat16, __nv_bfloat162, name, op)
SIMT_BOTH_COMPARISONS(eq, ==)
SIMT_BOTH_COMPARISONS(ne, !=)
SIMT_BOTH_COMPARISONS(lt, <)
SIMT_BOTH_COMPARISONS(le, <=)
SIMT_BOTH_COMPARISONS(gt, >)
SIMT_BOTH_COMPARISONS(ge, >=)
#undef SIMT_BOTH_COMPARISONS
#undef SIMT_HALF_COMPARISONS
#undef SIMT_HALF_COMPARISON

// Functions are those of single precision, rounded.
#define SIMT_HALF_FUNCTION(name, function)                           \
  SIMT_HALF_1(__half, __half2, h##name, h2##name,                    \
              rounded_to<__half>(simt::detail::function(a.value()))) \
  SIMT_HALF_1(__nv_bfloat16, __nv_bfloat162, h##name, h2##name,      \
              rounded_to<__nv_bfloat16>(simt::detail::function(a.value())))
namespace simt::detail {
inline double half_reciprocal(double v) { return 1 / v; }
inline double half_root(double v) { return sqrt(v); }
inline double half_reciprocal_root(double v) { return 1 / sqrt(v); }
inline double half_power_of_10(double v) { return pow(10, v); }
inline double half_of_exp(double v) { return exp(v); }
inline double half_of_exp2(double v) { return exp2(v); }
inline double half_of_log(double v) { return log(v); }
inline double half_of_log2(double v) { return log2(v); }
inline double half_of_log10(double v) { return log10(v); }
inline double half_of_sin(double v) { return sin(v); }
inline double half_of_cos(double v) { return cos(v); }
inline double half_of_tanh(double v) { return tanh(v); }
inline double half_of_ceil(double v) { return ceil(v); }
inline double half_of_floor(double v) { return floor(v); }
inline double half_of_trunc(double v) { return trunc(v); }
inline double half_of_rint(double v) { return rint(v); }
}  // namespace simt::detail
SIMT_HALF_FUNCTION(rcp, half_reciprocal)
SIMT_HALF_FUNCTION(sqrt, half_root)
SIMT_HALF_FUNCTION(rsqrt, half_reciprocal_root)
SIMT_HALF_FUNCTION(exp, half_of_exp)
SIMT_HALF_FUNCTION(exp2, half_of_exp2)
SIMT_HALF_FUNCTION(exp10, half_power_of_10)
SIMT_HALF_FUNCTION(log, half_of_log)
SIMT_HALF_FUNCTION(log2, half_of_log2)
SIMT_HALF_FUNCTION(log10, half_of_log10)
SIMT_HALF_FUNCTION(sin, half_of_sin)
SIMT_HALF_FUNCTION(cos, half_of_cos)
SIMT_HALF_FUNCTION(tanh, half_of_tanh)
SIMT_HALF_FUNCTION(tanh_approx, half_of_tanh)
SIMT_HALF_FUNCTION(ceil, half_of_ceil)
SIMT_HALF_FUNCTION(floor, half_of_floor)
SIMT_HALF_FUNCTION(trunc, half_of_trunc)
SIMT_HALF_FUNCTION(rint, half_of_rint)
#undef SIMT_HALF_FUNCTION
#undef SIMT_HALF_1
#undef SIMT_HALF_2
#undef SIMT_HALF_3

#define SIMT_HALF_OPERATOR(T, op, name)                               \
  inline T operator op(const T& a, const T& b) { return name(a, b); } \
  inline T& operator op##=(T& a, const T& b) { return a = name(a, b); }
#define SIMT_HALF_OPERATORS(N, P)                                           \
  SIMT_HALF_OPERATOR(N, +, __hadd)                                          \
  SIMT_HALF_OPERATOR(N, -, __hsub)                                          \
  SIMT_HALF_OPERATOR(N, *, __hmul)                                          \
  SIMT_HALF_OPERATOR(N, /, __hdiv)                                          \
  SIMT_HALF_OPERATOR(P, +, __hadd2)                                         \
  SIMT_HALF_OPERATOR(P, -, __hsub2)                                         \
  SIMT_HALF_OPERATOR(P, *, __hmul2)                                         \
  SIMT_HALF_OPERATOR(P, /, __h2div)                                         \
  inline N operator+(const N& a) { return a; }                              \
  inline N operator-(const N& a) { return __hneg(a); }                      \
  inline P operator+(const P& a) { return a; }                              \
  inline P operator-(const P& a) { return __hneg2(a); }                     \
  inline N& operator++(N& a) { return a += N(1.0F); }                       \
  inline N& operator--(N& a) { return a -= N(1.0F); }                       \
  inline N operator++(N& a, int) {                                          \
    const N was = a;                                                        \
    ++a;                                                                    \
    return was;                                                             \
  }                                                                         \
  inline N operator--(N& a, int) {                                          \
    const N was = a;                                                        \
    --a;                                                                    \
    return was;                                                             \
  }                                                                         \
  inline P& operator++(P& a) { return a += P(N(1.0F), N(1.0F)); }           \
  inline P& operator--(P& a) { return a -= P(N(1.0F), N(1.0F)); }           \
  inline bool operator==(const N& a, const N& b) { return __heq(a, b); }    \
  inline bool operator!=(const N& a, const N& b) { return __hneu(a, b); }   \
  inline bool operator<(const N& a, const N& b) { return __hlt(a, b); }     \
  inline bool operator<=(const N& a, const N& b) { return __hle(a, b); }    \
  inline bool operator>(const N& a, const N& b) { return __hgt(a, b); }     \
  inline bool operator>=(const N& a, const N& b) { return __hge(a, b); }    \
  inline bool operator==(const P& a, const P& b) { return __hbeq2(a, b); }  \
  inline bool operator!=(const P& a, const P& b) { return __hbneu2(a, b); } \
  inline bool operator<(const P& a, const P& b) { return __hblt2(a, b); }   \
  inline bool operator<=(const P& a, const P& b) { return __hble2(a, b); }  \
  inline bool operator>(const P& a, const P& b) { return __hbgt2(a, b); }   \
  inline bool operator>=(const P& a, const P& b) { return __hbge2(a, b); }
SIMT_HALF_OPERATORS(__half, __half2)
SIMT_HALF_OPERATORS(__nv_bfloat16, __nv_bfloat162)
#undef SIMT_HALF_OPERATORS
#undef SIMT_HALF_OPERATOR
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
