/* CUDA's short vectors. For C, too. A copy is one access as wide as the vector, as on the device: the
   source step sees to it (simt/source_step/wide_copies.hpp). Three components have no such load. */
#pragma once

#ifndef __cplusplus
typedef struct dim3 {
  unsigned x, y, z;
} dim3;
#endif

#define SIMT_LEAST(a, b) ((a) < (b) ? (a) : (b))
#define SIMT_VECTORS(name, type)                                                         \
  struct name##1 { type x; };                                                            \
  struct __attribute__((aligned(2 * sizeof(type)))) name##2 { type x, y; };              \
  struct name##3 { type x, y, z; };                                                      \
  struct __attribute__((aligned(SIMT_LEAST(4 * sizeof(type), 16)))) name##4 { type x, y, z, w; }; \
  typedef struct name##1 name##1;                                                        \
  typedef struct name##2 name##2;                                                        \
  typedef struct name##3 name##3;                                                        \
  typedef struct name##4 name##4;
#define SIMT_ALL_VECTORS(X)             \
  X(char, signed char)                  \
  X(uchar, unsigned char)               \
  X(short, short)                       \
  X(ushort, unsigned short)             \
  X(int, int)                           \
  X(uint, unsigned)                     \
  X(long, long)                         \
  X(ulong, unsigned long)               \
  X(longlong, long long)                \
  X(ulonglong, unsigned long long)      \
  X(float, float)                       \
  X(double, double)
SIMT_ALL_VECTORS(SIMT_VECTORS)
#undef SIMT_VECTORS
#undef SIMT_LEAST
