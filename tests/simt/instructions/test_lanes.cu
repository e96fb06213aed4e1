// Shuffles of values of any size and of old code, and questions about addresses.
#include <cooperative_groups.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simt/report.hpp"

namespace {

namespace cg = cooperative_groups;

struct particle {
  double x, y;
  int id;
};

__global__ void wide(particle* out, float4* vectors, double* doubles) {
  const int lane = threadIdx.x;
  particle p{lane * 1.0, lane * 2.0, lane};
  p = __shfl_down_sync(0xffffffffu, p, 1);
  out[lane] = p;
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  vectors[lane] = tile.shfl(make_float4(lane, 1, 2, lane + 0.5f), 3);
  doubles[lane] = __shfl_xor_sync(~0u, lane * 0.5, 2);
}

TEST(lanes, shuffles_of_any_size) {
  particle* out = nullptr;
  float4* vectors = nullptr;
  double* doubles = nullptr;
  cudaMallocManaged(&out, 32 * sizeof(particle));
  cudaMallocManaged(&vectors, 32 * sizeof(float4));
  cudaMallocManaged(&doubles, 32 * sizeof(double));
  wide<<<1, 32>>>(out, vectors, doubles);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(out[6].id, 7);
  EXPECT_EQ(out[6].y, 14);
  EXPECT_EQ(out[31].id, 31);
  EXPECT_EQ(vectors[13].x, 11);
  EXPECT_EQ(vectors[13].w, 11.5F);
  EXPECT_EQ(doubles[5], 3.5);
  cudaFree(out);
  cudaFree(vectors);
  cudaFree(doubles);
}

__global__ void without_masks(int* out) {
  int v = threadIdx.x;
  for (int delta = 16; delta > 0; delta >>= 1) v += __shfl_down(v, delta);
  if (threadIdx.x == 0) out[0] = v;
  if (threadIdx.x < 8) {
    out[1 + threadIdx.x] =
        __shfl_xor(static_cast<int>(threadIdx.x), 1, 8) + 100 * __popc(__ballot(1));
  }
  const int all = __all(1), any = __any(threadIdx.x == 3);
  if (threadIdx.x == 0) out[9] = __shfl(5, 0) + all + any;
}

TEST(lanes, old_code_names_no_lanes) {
  int* out = nullptr;
  cudaMallocManaged(&out, 10 * sizeof(int));
  const simt::report r = simt::inspect([&] { without_masks<<<1, 32>>>(out); });
  EXPECT_THAT(r.findings(), testing::IsEmpty()) << r.text();
  EXPECT_EQ(out[0], 496);
  EXPECT_EQ(out[3], 803);
  EXPECT_EQ(out[9], 7);
  cudaFree(out);
}

__constant__ int fixed;
__device__ int everybodys;

__global__ void spaces(unsigned* out, const int* heap) {
  __shared__ int tile[4];
  int own = 3;
  out[0] = __isShared(tile) | __isGlobal(heap) << 1 | __isLocal(&own) << 2 |
           __isConstant(&fixed) << 3 | __isGlobal(&everybodys) << 4;
  out[1] =
      __isGlobal(tile) | __isShared(&own) | __isLocal(heap) | __isShared(heap) | __isConstant(heap);
  out[2] = __cvta_shared_to_generic(__cvta_generic_to_shared(tile + 1)) == tile + 1;
}

TEST(lanes, an_address_is_in_one_space) {
  unsigned* out = nullptr;
  cudaMallocManaged(&out, 3 * sizeof(unsigned));
  spaces<<<1, 1>>>(out, reinterpret_cast<int*>(out));
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(out[0], 31U);
  EXPECT_EQ(out[1], 0U);
  EXPECT_EQ(out[2], 1U);
  cudaFree(out);
}

}  // namespace
