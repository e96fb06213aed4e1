// Numbers of two bytes in kernels: loads, shuffles, atomics.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simt/report.hpp"

namespace {

/// A dot product, two at a time, as samples write it.
__global__ void dot(const half2* a, const half2* b, float* result, size_t n) {
  __shared__ half2 partials[128];
  half2 sum = __float2half2_rn(0.f);
  for (size_t i = threadIdx.x; i < n; i += blockDim.x) sum = __hfma2(a[i], b[i], sum);
  partials[threadIdx.x] = sum;
  __syncthreads();
  for (int i = 64; i >= 1; i /= 2) {
    if ((int)threadIdx.x < i) partials[threadIdx.x] += partials[threadIdx.x + i];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    *result = __low2float(partials[0]) + __high2float(partials[0]);
  }
}

TEST(halves, a_dot_product) {
  half2 *a = nullptr, *b = nullptr;
  float* result = nullptr;
  cudaMallocManaged(&a, 1024 * sizeof(half2));
  cudaMallocManaged(&b, 1024 * sizeof(half2));
  cudaMallocManaged(&result, sizeof(float));
  float wanted = 0;
  for (int i = 0; i < 1024; ++i) {
    a[i] = __floats2half2_rn(static_cast<float>(i % 3), 1);
    b[i] = __floats2half2_rn(1, static_cast<float>(i % 2));
    wanted += static_cast<float>(i % 3) + static_cast<float>(i % 2);
  }
  const simt::report r = simt::inspect([&] { dot<<<1, 128>>>(a, b, result, 1024); });
  EXPECT_THAT(r.findings(), testing::IsEmpty()) << r.text();
  EXPECT_EQ(*result, wanted);
  EXPECT_EQ(r.total().global_load.requests, 2 * 1024 / 32U) << "4 bytes a lane at once";
  EXPECT_EQ(r.total().global_load.sectors, 2 * 1024 / 8U);
  cudaFree(a);
  cudaFree(b);
  cudaFree(result);
}

__global__ void exchange(half* sums, __nv_bfloat16* brain, half2* pairs, __nv_fp8_e4m3* eights) {
  half h = __ushort2half_rn(static_cast<unsigned short>(threadIdx.x));
  for (int delta = 16; delta >= 1; delta /= 2) h += __shfl_down_sync(~0u, h, delta);
  if (threadIdx.x == 0) sums[0] = h;
  atomicAdd(sums + 1, __float2half(0.5f));
  atomicAdd(brain, __float2bfloat16(2.0f));
  atomicAdd(pairs, __floats2half2_rn(1, 0.25f));
  const half2 other = __shfl_xor_sync(~0u, __floats2half2_rn(threadIdx.x, 7), 1);
  if (threadIdx.x == 4) pairs[1] = other;
  eights[threadIdx.x] = __nv_fp8_e4m3(__ldg(&sums[2]));
}

TEST(halves, shuffles_and_atomics) {
  half* sums = nullptr;
  __nv_bfloat16* brain = nullptr;
  half2* pairs = nullptr;
  __nv_fp8_e4m3* eights = nullptr;
  cudaMallocManaged(&sums, 3 * sizeof(half));
  cudaMallocManaged(&brain, sizeof(__nv_bfloat16));
  cudaMallocManaged(&pairs, 2 * sizeof(half2));
  cudaMallocManaged(&eights, 32);
  sums[1] = 0.0f;
  sums[2] = 3.14f;
  *brain = 1.0f;
  pairs[0] = __float2half2_rn(0);
  const simt::report r = simt::inspect([&] { exchange<<<1, 32>>>(sums, brain, pairs, eights); });
  EXPECT_THAT(r.findings(), testing::IsEmpty()) << r.text();
  EXPECT_EQ(static_cast<float>(sums[0]), 496);
  EXPECT_EQ(static_cast<float>(sums[1]), 16);
  EXPECT_EQ(static_cast<float>(*brain), 65);
  EXPECT_EQ(__low2float(pairs[0]), 32);
  EXPECT_EQ(__high2float(pairs[0]), 8);
  EXPECT_EQ(__low2float(pairs[1]), 5);
  EXPECT_EQ(static_cast<float>(eights[9]), 3.25F);
  cudaFree(sums);
  cudaFree(brain);
  cudaFree(pairs);
  cudaFree(eights);
}

}  // namespace
