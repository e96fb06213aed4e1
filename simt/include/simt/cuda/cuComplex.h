/* Complex numbers in pairs of components. */
#pragma once

#include <math.h>

#include "cuda_runtime.h"

#define SIMT_COMPLEX(complex, real, f, maker, hypotenuse, fused)                             \
  static inline complex maker(real x, real y) {                                              \
    complex z;                                                                               \
    z.x = x;                                                                                 \
    z.y = y;                                                                                 \
    return z;                                                                                \
  }                                                                                          \
  static inline real cuCreal##f(complex z) { return z.x; }                                   \
  static inline real cuCimag##f(complex z) { return z.y; }                                   \
  static inline complex cuConj##f(complex z) { return maker(z.x, -z.y); }                    \
  static inline complex cuCadd##f(complex a, complex b) {                                    \
    return maker(a.x + b.x, a.y + b.y);                                                      \
  }                                                                                          \
  static inline complex cuCsub##f(complex a, complex b) {                                    \
    return maker(a.x - b.x, a.y - b.y);                                                      \
  }                                                                                          \
  static inline complex cuCmul##f(complex a, complex b) {                                    \
    return maker(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                              \
  }                                                                                          \
  /* Scaled, so that no square overflows. */                                                 \
  static inline complex cuCdiv##f(complex a, complex b) {                                    \
    const real s = 1 / ((b.x < 0 ? -b.x : b.x) + (b.y < 0 ? -b.y : b.y));                    \
    const real ax = a.x * s, ay = a.y * s, bx = b.x * s, by = b.y * s;                       \
    const real by_square = 1 / (bx * bx + by * by);                                          \
    return maker((ax * bx + ay * by) * by_square, (ay * bx - ax * by) * by_square);          \
  }                                                                                          \
  static inline real cuCabs##f(complex z) { return hypotenuse(z.x, z.y); }                   \
  static inline complex fused(complex a, complex b, complex c) {                             \
    return cuCadd##f(cuCmul##f(a, b), c);                                                    \
  }
typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;
SIMT_COMPLEX(cuFloatComplex, float, f, make_cuFloatComplex, hypotf, cuCfmaf)
SIMT_COMPLEX(cuDoubleComplex, double, , make_cuDoubleComplex, hypot, cuCfma)
#undef SIMT_COMPLEX

static inline cuComplex make_cuComplex(float x, float y) { return make_cuFloatComplex(x, y); }
static inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) {
  return make_cuFloatComplex((float)z.x, (float)z.y);
}
static inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) {
  return make_cuDoubleComplex(z.x, z.y);
}
