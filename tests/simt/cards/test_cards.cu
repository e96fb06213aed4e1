// The machine shaped like a card, which SIMT_DEVICE names: what it says of itself, and what it
// refuses. The numbers are those of the table of compute capabilities in NVIDIA's CUDA C++
// Programming Guide.
#include <algorithm>
#include <cstdlib>
#include <string>

#include <cooperative_groups.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simt/launch.hpp"
#include "warpfold/platform.hpp"

namespace {

using testing::AllOf;
using testing::HasSubstr;

struct limits {
  const char* name;
  int major, minor, processors, threads, blocks;  // of a multiprocessor
  std::size_t shared_kib, shared_kib_per_block;

  bool is_9_0() const { return major >= 9; }
};

constexpr limits cards[] = {
    {"v100", 7, 0, 80, 2048, 32, 96, 96},      {"t4", 7, 5, 40, 1024, 16, 64, 64},
    {"a100", 8, 0, 108, 2048, 32, 164, 163},   {"a10", 8, 6, 72, 1536, 16, 100, 99},
    {"rtx3090", 8, 6, 82, 1536, 16, 100, 99},  {"l4", 8, 9, 58, 1536, 24, 100, 99},
    {"rtx4090", 8, 9, 128, 1536, 24, 100, 99}, {"l40s", 8, 9, 142, 1536, 24, 100, 99},
    {"h100", 9, 0, 132, 2048, 32, 228, 227},   {"h200", 9, 0, 132, 2048, 32, 228, 227},
    {"gh200", 9, 0, 132, 2048, 32, 228, 227},  {"b200", 10, 0, 148, 2048, 32, 228, 227},
    {"rtx5090", 12, 0, 170, 1536, 24, 100, 99}};

const limits& the_card() {
  const char* const asked = std::getenv("SIMT_DEVICE");
  const std::string name = asked != nullptr ? asked : "h100";
  return *std::find_if(std::begin(cards), std::end(cards),
                       [&](const limits& c) { return name == c.name; });
}

std::size_t most_shared() { return the_card().shared_kib_per_block * 1024; }

__global__ void nothing() {}
__global__ void with_shared_of_its_own(int* out) {
  __shared__ int own[256];
  own[threadIdx.x] = 1;
  *out = own[0];
}
__global__ void in_clusters(unsigned* out) {
  *out = cooperative_groups::this_cluster().block_rank();
}

/// The machine's words behind the last status.
std::string why(const simt::observe& scope) {
  return scope.errors.empty() ? std::string() : scope.errors.back();
}

cudaLaunchConfig_t clusters_of(unsigned blocks, cudaLaunchAttribute& attribute) {
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {blocks, 1, 1};
  return {.gridDim = blocks, .blockDim = 32, .attrs = &attribute, .numAttrs = 1};
}

TEST(cards, say_what_they_are) {
  const limits& card = the_card();
  cudaDeviceProp p;
  ASSERT_EQ(cudaGetDeviceProperties(&p, 0), cudaSuccess);
  EXPECT_EQ(p.major, card.major);
  EXPECT_EQ(p.minor, card.minor);
  EXPECT_EQ(p.multiProcessorCount, card.processors);
  EXPECT_EQ(p.maxThreadsPerMultiProcessor, card.threads);
  EXPECT_EQ(p.maxBlocksPerMultiProcessor, card.blocks);
  EXPECT_EQ(p.regsPerMultiprocessor, 65536);
  EXPECT_EQ(p.sharedMemPerBlock, 48U * 1024);
  EXPECT_EQ(p.sharedMemPerMultiprocessor, card.shared_kib * 1024);
  EXPECT_EQ(p.sharedMemPerBlockOptin, most_shared());
  EXPECT_EQ(p.reservedSharedMemPerBlock, card.major >= 8 ? 1024U : 0U);
  EXPECT_EQ(p.clusterLaunch, card.is_9_0() ? 1 : 0);
  EXPECT_EQ(p.accessPolicyMaxWindowSize > 0, card.major >= 8);
  int optin = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&optin, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0),
            cudaSuccess);
  EXPECT_EQ(static_cast<std::size_t>(optin), most_shared());
}

TEST(cards, run_a_block_with_all_the_shared_memory_that_it_may_have) {
  const std::size_t most = most_shared();
  nothing<<<1, 32, 48 * 1024>>>();
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  nothing<<<1, 32, 48 * 1024 + 4>>>();
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue) << "nobody asked for it";
  ASSERT_EQ(cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(most)),
            cudaSuccess);
  nothing<<<1, 32, most>>>();
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  int blocks = 0;
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 32, most), cudaSuccess);
  EXPECT_EQ(blocks, 1);
  // Half of a multiprocessor's, less what CUDA keeps of each block's, is there twice.
  const std::size_t half = the_card().shared_kib * 512 - (the_card().major >= 8 ? 1024 : 0);
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 32, half), cudaSuccess);
  EXPECT_EQ(blocks, 2);
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 32, half + 4),
            cudaSuccess);
  EXPECT_EQ(blocks, 1);
}

TEST(cards, refuse_more_shared_memory_than_they_have) {
  const simt::observe scope({});
  const int more = static_cast<int>(most_shared()) + 4;
  EXPECT_EQ(cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, more),
            cudaErrorInvalidValue);
  EXPECT_THAT(why(scope),
              AllOf(HasSubstr("the " + std::to_string(the_card().shared_kib) + " KiB of a "),
                    HasSubstr("SIMT_DEVICE=" + std::string(the_card().name) + ")")));
  // A kernel's own counts, too.
  EXPECT_EQ(cudaFuncSetAttribute(with_shared_of_its_own,
                                 cudaFuncAttributeMaxDynamicSharedMemorySize, more - 1024),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(with_shared_of_its_own,
                                 cudaFuncAttributeMaxDynamicSharedMemorySize, more - 1028),
            cudaSuccess);
  EXPECT_THROW(simt::launch({.grid = 1, .block = 32, .shared_bytes = most_shared() + 4}, nothing),
               simt::launch_error);
}

TEST(cards, hold_as_many_threads_as_a_multiprocessor_has) {
  int blocks = 0;
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 1024, 0), cudaSuccess);
  EXPECT_EQ(blocks, the_card().threads / 1024);
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 32, 0), cudaSuccess);
  EXPECT_EQ(blocks, the_card().blocks);
}

TEST(cards, have_clusters_from_9_0_on) {
  const simt::observe scope({});
  unsigned* out = nullptr;
  ASSERT_EQ(cudaMalloc(&out, sizeof *out), cudaSuccess);
  cudaLaunchAttribute attribute;
  cudaLaunchConfig_t config = clusters_of(2, attribute);
  int clusters = -1;
  if (the_card().is_9_0()) {
    EXPECT_EQ(cudaLaunchKernelEx(&config, in_clusters, out), cudaSuccess);
    EXPECT_EQ(cudaOccupancyMaxActiveClusters(&clusters, in_clusters, &config), cudaSuccess);
    EXPECT_GT(clusters, 0);
  } else {
    EXPECT_EQ(cudaLaunchKernelEx(&config, in_clusters, out), cudaErrorInvalidClusterSize);
    EXPECT_THAT(why(scope), HasSubstr("need compute capability 9.0"));
    EXPECT_NE(cudaOccupancyMaxActiveClusters(&clusters, in_clusters, &config), cudaSuccess);
  }
  cudaGetLastError();
  cudaFree(out);
}

TEST(cards, take_sixteen_blocks_in_a_cluster_if_asked) {
  if (!the_card().is_9_0()) GTEST_SKIP() << "there are no clusters";
  unsigned* out = nullptr;
  ASSERT_EQ(cudaMalloc(&out, sizeof *out), cudaSuccess);
  cudaLaunchAttribute attribute;
  cudaLaunchConfig_t config = clusters_of(16, attribute);
  int clusters = -1, most = 0;
  EXPECT_EQ(cudaLaunchKernelEx(&config, in_clusters, out), cudaErrorInvalidClusterSize);
  EXPECT_EQ(cudaOccupancyMaxActiveClusters(&clusters, in_clusters, &config), cudaSuccess);
  EXPECT_EQ(clusters, 0);
  EXPECT_EQ(cudaFuncSetAttribute(in_clusters, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
            cudaSuccess);
  EXPECT_EQ(cudaLaunchKernelEx(&config, in_clusters, out), cudaSuccess);
  EXPECT_EQ(cudaOccupancyMaxActiveClusters(&clusters, in_clusters, &config), cudaSuccess);
  EXPECT_GT(clusters, 0);
  EXPECT_EQ(cudaOccupancyMaxPotentialClusterSize(&most, in_clusters, &config), cudaSuccess);
  EXPECT_EQ(most, 16);
  EXPECT_EQ(cudaFuncSetAttribute(in_clusters, cudaFuncAttributeNonPortableClusterSizeAllowed, 0),
            cudaSuccess);
  EXPECT_EQ(cudaLaunchKernelEx(&config, in_clusters, out), cudaErrorInvalidClusterSize);
  cudaGetLastError();
  cudaFree(out);
}

TEST(cards, have_programmatic_launches_from_9_0_on) {
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  const cudaLaunchConfig_t config{.gridDim = 1, .blockDim = 32, .attrs = &attribute, .numAttrs = 1};
  EXPECT_EQ(cudaLaunchKernelEx(&config, nothing),
            the_card().is_9_0() ? cudaSuccess : cudaErrorNotSupported);
  cudaGetLastError();
  attribute.val.programmaticStreamSerializationAllowed = 0;
  EXPECT_EQ(cudaLaunchKernelEx(&config, nothing), cudaSuccess);
}

__global__ void copy_in_bulk(const uint4* in, uint4* out) {
  auto& barrier = warpfold::detail::shared_storage<warpfold::detail::copy_barrier>();
  auto* const rows = warpfold::detail::dynamic_shared<uint4>();
  if (threadIdx.x == 0) {
    barrier.init();
    barrier.expect(sizeof *in);
    barrier.copy(rows, in, sizeof *in);
  }
  __syncthreads();
  barrier.wait(0);
  if (threadIdx.x == 0) *out = *rows;
}
__global__ void begin_a_cluster() { warpfold::detail::cluster_begins(); }

std::string what_ends(void (*kernel)(const uint4*, uint4*)) {
  uint4* words = nullptr;
  cudaMalloc(&words, 2 * sizeof *words);
  cudaMemset(words, 1, 2 * sizeof *words);
  std::string what;
  try {
    simt::launch({.grid = 1, .block = 32, .shared_bytes = 16}, kernel, words, words + 1);
  } catch (const simt::kernel_error& e) {
    what = e.what();
  }
  cudaFree(words);
  return what;
}

TEST(cards, have_the_librarys_instructions_from_9_0_on) {
  EXPECT_EQ(warpfold::detail::current_device().capability,
            static_cast<unsigned>(10 * the_card().major + the_card().minor));
  const warpfold::detail::launch_config in_16{.grid = 16, .block = 32, .cluster = 16};
  EXPECT_EQ(warpfold::detail::fits(in_16, begin_a_cluster), the_card().is_9_0());
  const std::string copied = what_ends(copy_in_bulk);
  if (the_card().is_9_0()) {
    EXPECT_EQ(copied, "");
    EXPECT_NO_THROW(simt::launch({.grid = 1, .block = 32}, begin_a_cluster));
  } else {
    EXPECT_THAT(
        copied,
        HasSubstr("uses bulk copies, which need compute capability 9.0; the device is NVIDIA "));
    EXPECT_THROW(simt::launch({.grid = 1, .block = 32}, begin_a_cluster), simt::kernel_error);
  }
}

}  // namespace
