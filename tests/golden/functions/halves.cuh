// CUDA's functions on __half, __nv_bfloat16, their pairs, and on the formats of eight bits.
#pragma once

#include "floats.cuh"

namespace probe {
namespace {

#define PROBE_HALF_2(N, P, name, name2) PROBE_ALIKE_2(name, N) PROBE_ALIKE_2(name2, P)
#define PROBE_HALF_3(N, P, name, name2) PROBE_ALIKE_3(name, N) PROBE_ALIKE_3(name2, P)
#define PROBE_HALF_1(N, P, name, name2) PROBE_1(name, N, N) PROBE_1(name2, P, P)
#define PROBE_HALVES(N, P)                      \
  PROBE_HALF_2(N, P, __hadd, __hadd2)           \
  PROBE_HALF_2(N, P, __hadd_rn, __hadd2_rn)     \
  PROBE_HALF_2(N, P, __hadd_sat, __hadd2_sat)   \
  PROBE_HALF_2(N, P, __hsub, __hsub2)           \
  PROBE_HALF_2(N, P, __hsub_rn, __hsub2_rn)     \
  PROBE_HALF_2(N, P, __hsub_sat, __hsub2_sat)   \
  PROBE_HALF_2(N, P, __hmul, __hmul2)           \
  PROBE_HALF_2(N, P, __hmul_rn, __hmul2_rn)     \
  PROBE_HALF_2(N, P, __hmul_sat, __hmul2_sat)   \
  PROBE_HALF_2(N, P, __hdiv, __h2div)           \
  PROBE_HALF_3(N, P, __hfma, __hfma2)           \
  PROBE_HALF_3(N, P, __hfma_sat, __hfma2_sat)   \
  PROBE_HALF_3(N, P, __hfma_relu, __hfma2_relu) \
  PROBE_ALIKE_3(__hcmadd, P)                    \
  PROBE_HALF_1(N, P, __hneg, __hneg2)           \
  PROBE_HALF_1(N, P, __habs, __habs2)           \
  PROBE_HALF_2(N, P, __hmax, __hmax2)           \
  PROBE_HALF_2(N, P, __hmin, __hmin2)           \
  PROBE_HALF_2(N, P, __hmax_nan, __hmax2_nan)   \
  PROBE_HALF_2(N, P, __hmin_nan, __hmin2_nan)   \
  PROBE_1(__hisnan, bool, N)                    \
  PROBE_1(__hisinf, int, N)                     \
  PROBE_1(__hisnan2, P, P)                      \
  PROBE_HALF_1(N, P, hceil, h2ceil)             \
  PROBE_HALF_1(N, P, hfloor, h2floor)           \
  PROBE_HALF_1(N, P, htrunc, h2trunc)           \
  PROBE_HALF_1(N, P, hrint, h2rint)             \
  PROBE_HALF_1(N, P, hsqrt, h2sqrt)             \
  PROBE_HALF_1(N, P, hrcp, h2rcp)               \
  PROBE_HALF_1(N, P, hrsqrt, h2rsqrt)
PROBE_HALVES(__half, __half2)
PROBE_HALVES(__nv_bfloat16, __nv_bfloat162)

#define PROBE_COMPARISON(N, P, how) \
  PROBE_2(__h##how, bool, N, N)     \
  PROBE_2(__h##how##2, P, P, P)     \
  PROBE_2(__hb##how##2, bool, P, P) \
  PROBE_2(__h##how##2_mask, unsigned, P, P)
#define PROBE_COMPARISONS(N, P) \
  PROBE_COMPARISON(N, P, eq)    \
  PROBE_COMPARISON(N, P, equ)   \
  PROBE_COMPARISON(N, P, ne)    \
  PROBE_COMPARISON(N, P, neu)   \
  PROBE_COMPARISON(N, P, lt)    \
  PROBE_COMPARISON(N, P, ltu)   \
  PROBE_COMPARISON(N, P, le)    \
  PROBE_COMPARISON(N, P, leu)   \
  PROBE_COMPARISON(N, P, gt)    \
  PROBE_COMPARISON(N, P, gtu)   \
  PROBE_COMPARISON(N, P, ge)    \
  PROBE_COMPARISON(N, P, geu)
PROBE_COMPARISONS(__half, __half2)
PROBE_COMPARISONS(__nv_bfloat16, __nv_bfloat162)

// Conversions.
#define PROBE_HALF_INTEGER(mode, N, n, name, T) \
  PROBE_1(__##n##2##name##_##mode, T, N)        \
  PROBE_1(__##name##2##n##_##mode, N, T)
#define PROBE_HALF_CONVERSIONS(N, P, n, n2)               \
  PROBE_MODES(PROBE_HALF_INTEGER, N, n, int, int)         \
  PROBE_MODES(PROBE_HALF_INTEGER, N, n, uint, unsigned)   \
  PROBE_MODES(PROBE_HALF_INTEGER, N, n, short, short)     \
  PROBE_MODES(PROBE_HALF_INTEGER, N, n, ushort, ushort_t) \
  PROBE_MODES(PROBE_HALF_INTEGER, N, n, ll, ll)           \
  PROBE_MODES(PROBE_HALF_INTEGER, N, n, ull, ull)         \
  PROBE_1(__##n##2char_rz, signed char, N)                \
  PROBE_1(__##n##2uchar_rz, unsigned char, N)             \
  PROBE_1(__##n##2float, float, N)                        \
  PROBE_SWEPT(__float2##n, N)                             \
  PROBE_SWEPT(__float2##n##_rn, N)                        \
  PROBE_SWEPT(__float2##n##_rz, N)                        \
  PROBE_SWEPT(__float2##n##_ru, N)                        \
  PROBE_SWEPT(__float2##n##_rd, N)                        \
  PROBE_1(__double2##n, N, double)                        \
  PROBE_1(__##n##_as_short, short, N)                     \
  PROBE_1(__##n##_as_ushort, ushort_t, N)                 \
  PROBE_1(__short_as_##n, N, short)                       \
  PROBE_1(__ushort_as_##n, N, ushort_t)                   \
  PROBE_1(__##n##2##n2, P, N)                             \
  PROBE_2(make_##n2, P, N, N)                             \
  PROBE_2(__halves2##n2, P, N, N)                         \
  PROBE_1(__float2##n2##_rn, P, float)                    \
  PROBE_2(__floats2##n2##_rn, P, float, float)            \
  PROBE_1(__float22##n2##_rn, P, float2)                  \
  PROBE_1(__low2float, float, P)                          \
  PROBE_1(__high2float, float, P)                         \
  PROBE_1(__low2##n, N, P)                                \
  PROBE_1(__high2##n, N, P)                               \
  PROBE_1(__low2##n2, P, P)                               \
  PROBE_1(__high2##n2, P, P)                              \
  PROBE_2(__lows2##n2, P, P, P)                           \
  PROBE_2(__highs2##n2, P, P, P)                          \
  PROBE_1(__lowhigh2highlow, P, P)
PROBE_HALF_CONVERSIONS(__half, __half2, half, half2)
PROBE_HALF_CONVERSIONS(__nv_bfloat16, __nv_bfloat162, bfloat16, bfloat162)
PROBE_1(__half22float2, float2, __half2)
PROBE_1(__bfloat1622float2, float2, __nv_bfloat162)

// Eight bits. A NaN of theirs is compared as it is.
#define PROBE_FP8(which, saturation)                                                               \
  PROBE("__nv_cvt_float_to_fp8(" #which " " #saturation ")", unsigned, (float a),                  \
        return __nv_cvt_float_to_fp8(a, saturation, which);)                                       \
  PROBE("__nv_cvt_double_to_fp8(" #which " " #saturation ")", unsigned, (double a),                \
        return __nv_cvt_double_to_fp8(a, saturation, which);)                                      \
  PROBE("__nv_cvt_halfraw_to_fp8(" #which " " #saturation ")", unsigned, (__half a),               \
        return __nv_cvt_halfraw_to_fp8(static_cast<__half_raw>(a), saturation, which);)            \
  PROBE("__nv_cvt_bfloat16raw_to_fp8(" #which " " #saturation ")", unsigned, (__nv_bfloat16 a),    \
        return __nv_cvt_bfloat16raw_to_fp8(static_cast<__nv_bfloat16_raw>(a), saturation, which);) \
  PROBE("__nv_cvt_halfraw2_to_fp8x2(" #which " " #saturation ")", unsigned, (__half2 a),           \
        return __nv_cvt_halfraw2_to_fp8x2(static_cast<__half2_raw>(a), saturation, which);)        \
  PROBE("__nv_cvt_bfloat16raw2_to_fp8x2(" #which " " #saturation ")", unsigned,                    \
        (__nv_bfloat162 a),                                                                        \
        return __nv_cvt_bfloat16raw2_to_fp8x2(static_cast<__nv_bfloat162_raw>(a), saturation,      \
                                              which);)                                             \
  PROBE("__nv_cvt_float2_to_fp8x2(" #which " " #saturation ")", unsigned, (float2 a),              \
        return __nv_cvt_float2_to_fp8x2(a, saturation, which);)                                    \
  PROBE("__nv_cvt_double2_to_fp8x2(" #which " " #saturation ")", unsigned, (double a, double b),   \
        return __nv_cvt_double2_to_fp8x2(make_double2(a, b), saturation, which);)
PROBE_FP8(__NV_E4M3, __NV_SATFINITE)
PROBE_FP8(__NV_E4M3, __NV_NOSAT)
PROBE_FP8(__NV_E5M2, __NV_SATFINITE)
PROBE_FP8(__NV_E5M2, __NV_NOSAT)
#define PROBE_FROM_FP8(which, type)                                                               \
  PROBE("__nv_cvt_fp8_to_halfraw(" #which ")", __half, (unsigned char a),                         \
        return __half(__nv_cvt_fp8_to_halfraw(a, which));)                                        \
  PROBE("__nv_cvt_fp8x2_to_halfraw2(" #which ")", __half2, (ushort_t a),                          \
        return __half2(__nv_cvt_fp8x2_to_halfraw2(a, which));)                                    \
  PROBE("float(" #type ")", float, (unsigned char a), type v; v.__x = a;                          \
        return static_cast<float>(v);)                                                            \
  PROBE("int(" #type ")", int, (unsigned char a), type v; v.__x = a; return static_cast<int>(v);) \
  PROBE("bool(" #type ")", bool, (unsigned char a), type v; v.__x = a;                            \
        return static_cast<bool>(v);)                                                             \
  PROBE(#type "(int)", unsigned, (int a), return type(a).__x;)                                    \
  PROBE(#type "(ull)", unsigned, (ull a), return type(a).__x;)
PROBE_FROM_FP8(__NV_E4M3, __nv_fp8_e4m3)
PROBE_FROM_FP8(__NV_E5M2, __nv_fp8_e5m2)

}  // namespace
}  // namespace probe
