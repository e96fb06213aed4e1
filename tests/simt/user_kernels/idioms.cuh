// A header as CUDA projects have them: macros, functions for both sides, kernels in templates.
#pragma once

#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

#ifdef __CUDACC__
#define HOST_DEVICE __host__ __device__
#else
#define HOST_DEVICE
#endif

#define CUDA_CHECK(call)                                                                    \
  do {                                                                                      \
    const cudaError_t status_ = (call);                                                     \
    if (status_ != cudaSuccess) {                                                           \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
      std::abort();                                                                         \
    }                                                                                       \
  } while (0)

#define LAUNCH(kernel, n, ...) kernel<<<((n) + 127) / 128, 128>>>(__VA_ARGS__)

struct point {
  float x, y, z;
  HOST_DEVICE float dot(const point& o) const { return x * o.x + y * o.y + z * o.z; }
};

HOST_DEVICE inline int side() {
#ifdef __CUDA_ARCH__
  return __CUDA_ARCH__;
#else
  return 0;
#endif
}

template <typename T, int Block>
__global__ void __launch_bounds__(Block)
    block_sum(const T* __restrict__ in, T* __restrict__ out, const size_t n) {
  __shared__ T partial[Block / 32];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const size_t i = blockIdx.x * size_t(Block) + threadIdx.x;
  T value = i < n ? in[i] : T(0);
#pragma unroll
  for (int offset = 16; offset; offset >>= 1) value += __shfl_down_sync(~0u, value, offset);
  if (!lane) partial[warp] = value;
  __syncthreads();
  if (warp == 0) {
    value = lane < Block / 32 ? partial[lane] : T(0);
    for (int offset = 16; offset; offset >>= 1) value += __shfl_down_sync(~0u, value, offset);
    if (lane == 0) atomicAdd(out, value);
  }
}

template <class F>
__global__ void for_each_index(int n, F f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) f(i);
}
