// CUDA's words as clang's own front end for CUDA has them, for the pass that checks which side
// calls what (simt/source_step/sides.hpp). It stands before all else; what it declares are the
// functions of the C library that device code may call, and that are not the host's alone.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device))
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __block_size__(...)
#define __maxnreg__(...)
#define __syncthreads simt_syncthreads  // clang has a function of that name itself

extern "C" {
__device__ int printf(const char*, ...);
__device__ int vprintf(const char*, __builtin_va_list);
__device__ void* malloc(__SIZE_TYPE__);
__device__ void free(void*);
__device__ void* memcpy(void*, const void*, __SIZE_TYPE__);
__device__ void* memset(void*, int, __SIZE_TYPE__);
__device__ long clock();
__device__ int abs(int);
__device__ long labs(long);
__device__ long long llabs(long long);
#ifndef SIMT_CLANGD
__device__ void __assert_fail(const char*, const char*, unsigned, const char*);
#endif
}
namespace std {
using ::abs;
using ::clock;
using ::free;
using ::labs;
using ::llabs;
using ::malloc;
using ::memcpy;
using ::memset;
using ::printf;
using ::vprintf;
}  // namespace std
#ifndef SIMT_CLANGD  // there clang's own headers have them
__device__ inline void* operator new(__SIZE_TYPE__, void* at) noexcept { return at; }
__device__ inline void* operator new[](__SIZE_TYPE__, void* at) noexcept { return at; }
__device__ inline void operator delete(void*, void*) noexcept {}
__device__ inline void operator delete[](void*, void*) noexcept {}
#endif
