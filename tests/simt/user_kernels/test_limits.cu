// What a kernel's attributes say of its launches: __launch_bounds__, __cluster_dims__ and the like.
#include <numeric>
#include <vector>

#include <cooperative_groups.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using testing::Each;

template <int Most>
__global__ void __launch_bounds__(Most, 2) bounded(int* out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
__global__ void unbounded(int* out) { out[threadIdx.x] = 1; }
__launch_bounds__(64, 1, 2) __global__ void in_small_clusters(int* out) {
  out[blockIdx.x] = static_cast<int>(cooperative_groups::this_cluster().num_blocks());
}

/// Managed: the host reads it, too.
struct numbers {
  int* p = nullptr;
  int count;
  explicit numbers(int n) : count(n) {
    cudaMallocManaged(&p, n * sizeof(int));
    cudaMemset(p, 0, n * sizeof(int));
  }
  ~numbers() { cudaFree(p); }
  std::vector<int> values() const { return {p, p + count}; }
};

TEST(limits, a_block_beyond_its_launch_bounds_does_not_start) {
  const numbers out(256);
  bounded<64><<<2, 64>>>(out.p);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  bounded<64><<<1, 65>>>(out.p + 128);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  bounded<64><<<1, dim3(8, 4, 4)>>>(out.p + 128);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  bounded<2048><<<1, 1025>>>(out.p);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue) << "no device has such blocks";
  int* at = out.p + 128;
  void* arguments[] = {&at};
  EXPECT_EQ(cudaLaunchKernel(bounded<96>, 1, 97, arguments), cudaErrorInvalidValue);
  EXPECT_EQ(cudaLaunchKernel((void*)bounded<64>, 1, 97, arguments), cudaErrorInvalidValue);
  cudaGetLastError();
  EXPECT_THAT((std::vector<int>{out.p, out.p + 128}), Each(1));
  EXPECT_THAT((std::vector<int>{out.p + 128, out.p + 256}), Each(0));
}

TEST(limits, a_captured_launch_is_bounded_too) {
  const numbers out(128);
  cudaStream_t stream;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  bounded<64><<<1, 128, 0, stream>>>(out.p);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  cudaGraph_t graph = nullptr;
  cudaStreamEndCapture(stream, &graph);
  if (graph != nullptr) cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  EXPECT_THAT(out.values(), Each(0));
}

TEST(limits, are_what_the_runtime_says_of_a_kernel) {
  cudaFuncAttributes a{};
  ASSERT_EQ(cudaFuncGetAttributes(&a, bounded<96>), cudaSuccess);
  EXPECT_EQ(a.maxThreadsPerBlock, 96);
  EXPECT_EQ(a.clusterDimMustBeSet, 0);
  ASSERT_EQ(cudaFuncGetAttributes(&a, unbounded), cudaSuccess);
  EXPECT_EQ(a.maxThreadsPerBlock, 1024);
  int grid = 0, block = 0;
  ASSERT_EQ(cudaOccupancyMaxPotentialBlockSize(&grid, &block, bounded<96>), cudaSuccess);
  EXPECT_EQ(block, 64) << "21 blocks of 96 are fewer threads than 32 of 64";
  ASSERT_EQ(cudaOccupancyMaxPotentialBlockSize(&grid, &block, bounded<700>), cudaSuccess);
  EXPECT_EQ(block, 512);
  ASSERT_EQ(cudaOccupancyMaxPotentialBlockSize(&grid, &block, unbounded), cudaSuccess);
  EXPECT_EQ(block, 1024);
  int blocks = -1;
  const auto active = [&](int threads, std::size_t shared_bytes) {
    EXPECT_EQ(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded<64>, threads, shared_bytes),
        cudaSuccess);
    return blocks;
  };
  EXPECT_EQ(active(64, 0), 32);
  EXPECT_EQ(active(128, 0), 16) << "launch bounds don't count here";
  EXPECT_EQ(active(1025, 0), 0);
  EXPECT_EQ(active(64, 60000), 0) << "more than the kernel may have";
}

/// Of each block: its rank in the cluster, the cluster's extents, and what it reads from its
/// neighbour's shared memory.
__global__ void __cluster_dims__(2, 2, 1) meet(int4* out) {
  __shared__ int number;
  namespace cg = cooperative_groups;
  const cg::cluster_group cluster = cg::this_cluster();
  const int own = static_cast<int>(blockIdx.y * gridDim.x + blockIdx.x);
  if (threadIdx.x == 0) number = own;
  cluster.sync();
  const unsigned next = cluster.block_rank() ^ 3U;  // across
  const int read = *cluster.map_shared_rank(&number, next);
  unsigned x, y, cluster_y;
  asm("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(x));
  asm("mov.u32 %0, %%cluster_ctaid.y;" : "=r"(y));
  asm("mov.u32 %0, %%clusterid.y;" : "=r"(cluster_y));
  const dim3 all = cluster.dim_blocks(), at = cluster.block_index();
  const bool same = at.x == x && at.y == y && all.x == 2 && all.y == 2 && all.z == 1;
  if (threadIdx.x == 0) {
    out[own] = make_int4(same ? static_cast<int>(cluster.block_rank()) : -1,
                         static_cast<int>(cluster.num_blocks()), read, static_cast<int>(cluster_y));
  }
  cluster.sync();
}

TEST(limits, a_kernel_starts_in_its_clusters) {
  const numbers memory(4 * 4 * 6);
  auto* const out = reinterpret_cast<int4*>(memory.p);
  meet<<<dim3(4, 6), 32>>>(out);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (int y = 0; y < 6; ++y) {
    for (int x = 0; x < 4; ++x) {
      const int4 got = out[4 * y + x];
      EXPECT_EQ(got.x, y % 2 * 2 + x % 2) << x << ' ' << y;
      EXPECT_EQ(got.y, 4);
      EXPECT_EQ(got.z, 4 * (y ^ 1) + (x ^ 1)) << x << ' ' << y;
      EXPECT_EQ(got.w, y / 2);
    }
  }
}

TEST(limits, a_grid_must_be_of_whole_clusters) {
  const numbers memory(4 * 16);
  auto* const out = reinterpret_cast<int4*>(memory.p);
  meet<<<dim3(4, 3), 32>>>(out);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidClusterSize);
  meet<<<3, 32>>>(out);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidClusterSize);
  EXPECT_THAT(memory.values(), Each(0));
}

TEST(limits, clusters_are_those_that_the_kernel_asks_for) {
  cudaFuncAttributes a{};
  ASSERT_EQ(cudaFuncGetAttributes(&a, meet), cudaSuccess);
  EXPECT_EQ(a.clusterDimMustBeSet, 1);
  EXPECT_EQ(a.requiredClusterWidth, 2);
  EXPECT_EQ(a.requiredClusterHeight, 2);
  EXPECT_EQ(a.requiredClusterDepth, 1);

  const numbers memory(4 * 16);
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {4, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(4, 4);
  config.blockDim = 32;
  config.attrs = &attribute;
  config.numAttrs = 1;
  EXPECT_EQ(cudaLaunchKernelEx(&config, meet, reinterpret_cast<int4*>(memory.p)),
            cudaErrorInvalidClusterSize);
  int count = 0;
  EXPECT_EQ(cudaOccupancyMaxActiveClusters(&count, meet, &config), cudaErrorInvalidClusterSize);
  EXPECT_EQ(cudaOccupancyMaxPotentialClusterSize(&count, meet, &config),
            cudaErrorInvalidClusterSize);
  EXPECT_EQ(count, 0);
  attribute.val.clusterDim = {2, 2, 1};
  EXPECT_EQ(cudaOccupancyMaxPotentialClusterSize(&count, meet, &config), cudaSuccess);
  EXPECT_EQ(count, 8);
  EXPECT_EQ(cudaLaunchKernelEx(&config, meet, reinterpret_cast<int4*>(memory.p)), cudaSuccess);

  config.gridDim = dim3(8);
  EXPECT_EQ(cudaLaunchKernelEx(&config, in_small_clusters, memory.p), cudaErrorInvalidClusterSize)
      << "four blocks, and two are allowed";
  attribute.val.clusterDim = {2, 1, 1};
  EXPECT_EQ(cudaLaunchKernelEx(&config, in_small_clusters, memory.p), cudaSuccess);
  EXPECT_THAT((std::vector<int>{memory.p, memory.p + 8}), Each(2));
  cudaGetLastError();
}

__global__ void __block_size__((32, 2, 1), (2, 1, 1)) counts_clusters(int* out) {
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    out[blockIdx.x] = static_cast<int>(gridDim.x * 100 + blockDim.x + blockDim.y +
                                       1000 * cooperative_groups::this_cluster().num_blocks());
  }
}
__global__ void __block_size__((16, 1, 1)) of_sixteen(int* out) { out[threadIdx.x] = blockDim.x; }
__global__ void __maxnreg__(32) of_few_registers(int* out) { out[threadIdx.x] = 3; }

TEST(limits, a_block_size_is_the_kernels_own) {
  const numbers out(16);
  counts_clusters<<<3>>>(out.p);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_THAT((std::vector<int>{out.p, out.p + 6}), Each(2000 + 600 + 34));
  EXPECT_EQ(out.p[6], 0);
  of_sixteen<<<1, 16>>>(out.p);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_THAT(out.values(), Each(16));
  of_few_registers<<<1, 16>>>(out.p);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_THAT(out.values(), Each(3));
}

}  // namespace
