// CUDA's keywords for where a function or variable belongs.
#pragma once

#define __forceinline__ inline __attribute__((always_inline))
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)

// In a .cu or .cuh that simt_add_kernels compiles, these stay for its source step.
#ifndef __SIMT__
#define __host__
#define __global__ __attribute__((annotate("simt.kernel")))  // for simt/pass
#define __device__
#define __constant__
#define __launch_bounds__(...)
#define __shared__                                                                              \
  static_assert(false,                                                                          \
                "__shared__ is understood in .cu and .cuh files given to simt_add_kernels; in " \
                "other files take warpfold::detail::shared_storage<T>()");
#endif
