/* CUDA's short vectors for C, where simt/vector_types.hpp can't be had. */
#pragma once

typedef struct uint3 {
  unsigned x, y, z;
} uint3;
typedef struct dim3 {
  unsigned x, y, z;
} dim3;

#define SIMT_VECTORS(name, type, align2, align4)                               \
  typedef struct name##1 { type x; }                                           \
  name##1;                                                                     \
  typedef struct __attribute__((aligned(align2))) name##2 { type x, y; }       \
  name##2;                                                                     \
  typedef struct __attribute__((aligned(align4))) name##4 { type x, y, z, w; } \
  name##4;
#define SIMT_VECTOR3(name, type)           \
  typedef struct name##3 { type x, y, z; } \
  name##3;
SIMT_VECTORS(char, signed char, 2, 4)
SIMT_VECTORS(uchar, unsigned char, 2, 4)
SIMT_VECTORS(short, short, 4, 8)
SIMT_VECTORS(ushort, unsigned short, 4, 8)
SIMT_VECTORS(int, int, 8, 16)
SIMT_VECTORS(uint, unsigned, 8, 16)
SIMT_VECTORS(long, long, 16, 16)
SIMT_VECTORS(ulong, unsigned long, 16, 16)
SIMT_VECTORS(longlong, long long, 16, 16)
SIMT_VECTORS(ulonglong, unsigned long long, 16, 16)
SIMT_VECTORS(float, float, 8, 16)
SIMT_VECTORS(double, double, 16, 16)
SIMT_VECTOR3(char, signed char)
SIMT_VECTOR3(uchar, unsigned char)
SIMT_VECTOR3(short, short)
SIMT_VECTOR3(ushort, unsigned short)
SIMT_VECTOR3(int, int)
SIMT_VECTOR3(long, long)
SIMT_VECTOR3(ulong, unsigned long)
SIMT_VECTOR3(longlong, long long)
SIMT_VECTOR3(ulonglong, unsigned long long)
SIMT_VECTOR3(float, float)
SIMT_VECTOR3(double, double)
#undef SIMT_VECTORS
#undef SIMT_VECTOR3
