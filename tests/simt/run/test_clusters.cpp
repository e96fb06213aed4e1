// Clusters, their distributed shared memory, and bulk copies, through the library's own wrappers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/simt/machine.hpp"
#include "warpfold/platform.hpp"

namespace warpfold::tests {
namespace {

struct partial_storage {
  int partial;
  unsigned rank;
};

__global__ void sum_over_cluster(int* out, int rounds) {
  auto& s = detail::shared_storage<partial_storage>();
  const unsigned size = simt::detail::cluster_size();
  int total = 0;
  for (int round = 0; round < rounds; ++round) {
    if (threadIdx.x == 0) {
      s.partial = static_cast<int>(blockIdx.x) + round;
      s.rank = detail::cluster_rank();
    }
    detail::cluster_sync();
    for (unsigned rank = 0; rank < size; ++rank) {
      const partial_storage* const theirs = detail::in_block(&s, rank);
      if (theirs->rank == rank) total += theirs->partial;
    }
    detail::cluster_sync();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = total;
}

void expect_cluster_sums(unsigned cluster, simt::run_options options) {
  const unsigned grid = 3 * cluster, block = 40;
  const int rounds = 4;
  const device_array<int> out(grid * block);
  const auto counted = tests::counted(
      [&] {
        detail::launch({.grid = grid, .block = block, .cluster = cluster}, sum_over_cluster,
                       out.data(), rounds);
      },
      options);
  for (unsigned i = 0; i < out.size(); ++i) {
    const unsigned first = i / block / cluster * cluster;
    int expected = 0;
    for (int round = 0; round < rounds; ++round) {
      for (unsigned b = first; b < first + cluster; ++b) expected += static_cast<int>(b) + round;
    }
    EXPECT_EQ(out[i], expected) << "cluster of " << cluster << ", thread " << i;
  }
  // Two loads from each other block, by two warps; one's own is ordinary shared memory.
  EXPECT_EQ(counted.remote_shared.requests, 3ULL * cluster * rounds * (cluster - 1) * 2 * 2);
  EXPECT_EQ(counted.shared_load.requests, 3ULL * cluster * rounds * 2 * 2);
}

TEST(clusters, read_each_others_shared_memory) {
  for (const unsigned cluster : {1U, 2U, 3U, 8U, 16U}) {
    expect_cluster_sums(cluster, {});
    expect_cluster_sums(cluster, {.workers = 1, .seed = cluster});
  }
}

__global__ void leave_early(int* met) {
  if (detail::cluster_rank() == 1 && threadIdx.x == 3) return;
  atomicAdd(met, 1);
  detail::cluster_sync();
  if (threadIdx.x == 0) met[1 + blockIdx.x] = *static_cast<volatile int*>(met);
}

TEST(clusters, wait_for_those_that_have_not_ended) {
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    const device_array<int> met(3);
    const simt::observe scope({.seed = seed});
    detail::launch({.grid = 2, .block = 32, .cluster = 2}, leave_early, met.data());
    EXPECT_EQ(met[1], 63);
    EXPECT_EQ(met[2], 63);
  }
}

__global__ void part_ways() {
  if (detail::cluster_rank() == 1 && threadIdx.x == 3) {
    __syncthreads();
  } else {
    detail::cluster_sync();
  }
}

__global__ void beyond(int* out) {
  auto& s = detail::shared_storage<partial_storage>();
  *out = detail::in_block(&s, 2)->partial;
}

TEST(clusters, say_who_did_not_come) {
  const auto early =
      kernel_error_of([] { detail::launch({.grid = 4, .block = 32, .cluster = 2}, part_ways); });
  EXPECT_THAT(early, testing::AllOf(testing::HasSubstr("cluster sync (test_clusters.cpp:"),
                                    testing::HasSubstr("of 32 threads")));
  const device_array<int> out(1);
  EXPECT_THAT(kernel_error_of([&] {
                detail::launch({.grid = 2, .block = 1, .cluster = 2}, beyond, out.data());
              }),
              testing::HasSubstr("block 2 in a cluster of 2"));
}

struct copy_storage {
  alignas(16) int tile[2][256];
  detail::copy_barrier barrier[2];
};

/// Each block sums `tiles` tiles of 256, the next one on its way while it adds.
__global__ void sum_of_copies(const int* in, int* out, unsigned tiles) {
  auto& s = detail::shared_storage<copy_storage>();
  const int* const mine = in + std::size_t{blockIdx.x} * tiles * 256;
  const auto fetch = [&](unsigned t) {
    s.barrier[t % 2].expect(sizeof s.tile[0]);
    s.barrier[t % 2].copy(s.tile[t % 2], mine + t * 256, sizeof s.tile[0] / 2);
    s.barrier[t % 2].copy(s.tile[t % 2] + 128, mine + t * 256 + 128, sizeof s.tile[0] / 2);
  };
  if (threadIdx.x == 0) {
    s.barrier[0].init();
    s.barrier[1].init();
  }
  __syncthreads();
  if (threadIdx.x == 0) fetch(0);
  int sum = 0;
  for (unsigned t = 0; t < tiles; ++t) {
    if (threadIdx.x == 0 && t + 1 < tiles) fetch(t + 1);
    s.barrier[t % 2].wait(t / 2 % 2);
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) sum += s.tile[t % 2][i];
    __syncthreads();
  }
  atomicAdd(&out[blockIdx.x], sum);
}

TEST(bulk_copies, arrive_before_the_barrier_lets_go) {
  const unsigned grid = 6, tiles = 5;
  const device_array<int> in(grid * tiles * 256);
  for (unsigned i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i % 1000);
  for (const std::uint64_t seed : {0, 1, 2}) {
    const device_array<int> out(grid);
    const auto counted = tests::counted(
        [&] {
          detail::launch({.grid = grid, .block = 64}, sum_of_copies, in.data(), out.data(), tiles);
        },
        {.seed = seed});
    for (unsigned b = 0; b < grid; ++b) {
      int expected = 0;
      for (unsigned i = 0; i < tiles * 256; ++i) expected += in[b * tiles * 256 + i];
      EXPECT_EQ(out[b], expected);
    }
    EXPECT_EQ(counted.bulk_bytes, in.size() * sizeof(int));
    EXPECT_EQ(counted.global_load.requests, 0U) << "the lanes loaded nothing";
    EXPECT_EQ(counted.shared_load.requests, grid * tiles * 256 / 32);
    EXPECT_EQ(counted.shared_load.conflicts, 0U);
  }
}

__global__ void crooked_copy(const int* in) {
  auto& s = detail::shared_storage<copy_storage>();
  s.barrier[0].init();
  s.barrier[0].expect(32);
  s.barrier[0].copy(s.tile[0], in + 1, 32);
}

TEST(bulk_copies, take_multiples_of_16_bytes_only) {
  const device_array<int> in(64);
  EXPECT_THAT(
      kernel_error_of([&] { detail::launch({.grid = 1, .block = 1}, crooked_copy, in.data()); }),
      testing::HasSubstr("multiples of 16"));
}

}  // namespace
}  // namespace warpfold::tests
