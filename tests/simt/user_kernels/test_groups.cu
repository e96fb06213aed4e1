// Cooperative groups, and the lanes that are at one place together.
#include <string>

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simt/launch.hpp"

namespace cg = cooperative_groups;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

struct ints {
  int* p = nullptr;
  explicit ints(std::size_t n) {
    cudaMallocManaged(&p, n * sizeof(int));
    cudaMemset(p, 0, n * sizeof(int));
  }
  ~ints() { cudaFree(p); }
};

__device__ int sum_in(const cg::thread_group& g, int value) {
  __shared__ int sum[32];
  if (g.thread_rank() == 0) sum[0] = 0;
  g.sync();
  atomicAdd(&sum[0], value);
  g.sync();
  return sum[0];
}

__global__ void whole_block(int* out) {
  const cg::thread_block block = cg::this_thread_block();
  const int sum = sum_in(block, static_cast<int>(block.thread_rank()));
  cg::sync(block);
  if (block.thread_rank() == 0) {
    out[0] = sum;
    out[1] = static_cast<int>(block.size() + block.group_index().x + block.thread_index().y);
  }
}

TEST(own_groups, thread_block) {
  const ints out(2);
  simt::observe checking({.check = true});
  whole_block<<<1, dim3(16, 4)>>>(out.p);
  EXPECT_EQ(out.p[0], 63 * 64 / 2);
  EXPECT_EQ(out.p[1], 64);
  EXPECT_THAT(checking.findings, IsEmpty());
}

__global__ void arrivals(int* out) {
  __shared__ int left[64];
  const cg::thread_block block = cg::this_thread_block();
  left[block.thread_rank()] = static_cast<int>(block.thread_rank());
  auto token = block.barrier_arrive();
  block.barrier_wait(std::move(token));
  out[block.thread_rank()] = left[63 - block.thread_rank()];
  const auto tile = cg::tiled_partition<16>(block);
  const int rank = cg::invoke_one_broadcast(tile, [&] { return int(block.thread_rank()); });
  out[64 + block.thread_rank()] = rank;
  cg::reduce_update_async(tile, *reinterpret_cast<cuda::atomic<int>*>(out + 128), 1,
                          cg::plus<int>());
  __barrier_sync_count(2, 64);
}

TEST(own_groups, arrive_first_and_wait_later) {
  const ints out(129);
  simt::observe checking({.check = true});
  arrivals<<<1, 64>>>(out.p);
  EXPECT_EQ(out.p[3], 60);
  EXPECT_EQ(out.p[64 + 37], 32);
  EXPECT_EQ(out.p[128], 64);
  EXPECT_THAT(checking.findings, IsEmpty());
}

__global__ void tiles_of_two_sizes(int* out) {
  const auto block = cg::this_thread_block();
  const auto small = cg::tiled_partition<64>(block);
  const auto large = cg::tiled_partition<128>(block);
  for (int i = 0; i < 3; ++i) {
    if (threadIdx.x / 64 % 2 == 0) small.sync();  // others of its large tile wait there meanwhile
    large.sync();
  }
  out[threadIdx.x] =
      small.shfl(static_cast<int>(threadIdx.x), 1) + large.shfl(static_cast<int>(threadIdx.x), 1);
}

TEST(own_groups, tiles_of_two_sizes_meet_by_themselves) {
  const ints out(1024);
  simt::observe checking({.check = true});
  tiles_of_two_sizes<<<1, 1024>>>(out.p);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (int t = 0; t < 1024; ++t) EXPECT_EQ(out.p[t], t / 64 * 64 + t / 128 * 128 + 2);
  EXPECT_THAT(checking.findings, IsEmpty());
}

template <unsigned N>
__global__ void tiles(int* out) {
  const cg::thread_block_tile<N> tile = cg::tiled_partition<N>(cg::this_thread_block());
  int sum = static_cast<int>(threadIdx.x);
  for (unsigned i = tile.size() / 2; i > 0; i /= 2) sum += tile.shfl_down(sum, i);
  sum = tile.shfl(sum, 0);
  const int reduced = cg::reduce(tile, static_cast<int>(threadIdx.x), cg::plus<int>());
  const auto half = cg::tiled_partition<(N > 1 ? N / 2 : 1)>(tile);
  int at = static_cast<int>(threadIdx.x) * 4;
  out[at++] = sum == reduced ? sum : -1;
  out[at++] = static_cast<int>(tile.meta_group_rank() * 100 + half.meta_group_rank());
  out[at++] = cg::inclusive_scan(tile, 1) * 10 + cg::exclusive_scan(tile, 1, cg::plus<int>());
  out[at++] = tile.any(tile.thread_rank() == 1) + 2 * tile.all(1) +
              static_cast<int>(tile.ballot(tile.thread_rank() == 0)) * 4;
}

TEST(own_groups, tiles_of_a_warp) {
  const ints out(64 * 4);
  tiles<8><<<1, 64>>>(out.p);
  for (int t = 0; t < 64; ++t) {
    const int first = t / 8 * 8;
    EXPECT_EQ(out.p[4 * t], 8 * first + 28);
    EXPECT_EQ(out.p[4 * t + 1], t / 8 * 100 + t % 8 / 4);
    EXPECT_EQ(out.p[4 * t + 2], 10 * (t % 8 + 1) + t % 8);
    EXPECT_EQ(out.p[4 * t + 3], 1 + 2 + 4);
  }
  tiles<32><<<1, 64>>>(out.p);
  EXPECT_EQ(out.p[4 * 63], 32 * 32 + 31 * 16);
}

__global__ void ragged_tile(int* out) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  tile.sync();
  out[threadIdx.x] = tile.all(1);
}

TEST(own_groups, a_tile_without_all_its_lanes) {
  const ints out(20);
  ragged_tile<<<1, 20>>>(out.p);
  EXPECT_EQ(out.p[19], 1);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

/// One atomic for all lanes that are here together.
__device__ int take_ticket(int* counter) {
  const cg::coalesced_group here = cg::coalesced_threads();
  int first = 0;
  if (here.thread_rank() == 0) first = atomicAdd(counter, static_cast<int>(here.size()));
  return here.shfl(first, 0) + static_cast<int>(here.thread_rank());
}

__global__ void pack_odd(const int* in, int* out, int* counter, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n && in[i] % 2 != 0) out[take_ticket(counter)] = in[i];
}

TEST(own_groups, coalesced_threads_are_those_of_the_branch) {
  constexpr int n = 1000;
  for (const std::uint64_t seed : {0, 1, 2}) {
    const ints in(n), out(n), counter(1);
    for (int i = 0; i < n; ++i) in.p[i] = i * 3;
    simt::observe counting({.count = true, .check = true, .seed = seed});
    pack_odd<<<4, 256>>>(in.p, out.p, counter.p, n);
    EXPECT_EQ(*counter.p, n / 2);
    EXPECT_EQ(counting.total.global_atomic.requests, 32U) << "one for each warp";
    EXPECT_THAT(counting.findings, IsEmpty());
  }
}

__global__ void both_sides(int* out) {
  const unsigned lane = threadIdx.x;
  unsigned together = 0;
  if (lane % 3 == 0) {
    together = __activemask();
  } else {
    const auto here = cg::coalesced_threads();
    together = here.ballot(1) + here.match_any(lane % 3) * 0;
    here.sync();
  }
  out[lane] = static_cast<int>(together);
}

TEST(own_groups, each_side_of_a_branch_by_itself) {
  const ints out(32);
  both_sides<<<1, 32>>>(out.p);
  EXPECT_EQ(static_cast<unsigned>(out.p[0]), 0x49249249U);
  EXPECT_EQ(static_cast<unsigned>(out.p[1]), (1U << 21) - 1) << "21 lanes, by rank";
}

/// Every other lane; tiles take them in order.
__global__ void tiles_of_odd(int* out) {
  const int lane = static_cast<int>(threadIdx.x);
  if (lane % 2 == 0) return;
  const cg::coalesced_group odd = cg::coalesced_threads();
  const auto tile = cg::tiled_partition(odd, 4);
  out[lane] = static_cast<int>(tile.size() * 10 + tile.thread_rank());
  out[32 + lane] = static_cast<int>(tile.meta_group_size() * 10 + tile.meta_group_rank());
  out[64 + lane] = tile.shfl(lane, 0);
  const cg::thread_group in_pairs = cg::tiled_partition(cg::thread_group(tile), 2);
  out[96 + lane] = static_cast<int>(in_pairs.size() * 10 + in_pairs.thread_rank());
  cg::this_thread().sync();
  out[lane] += static_cast<int>(cg::this_thread().size() * 100 + cg::this_thread().thread_rank());
}

TEST(own_groups, tiles_of_a_group_go_by_rank) {
  const ints out(128);
  tiles_of_odd<<<1, 32>>>(out.p);
  for (int rank = 0; rank < 16; ++rank) {
    const int lane = 2 * rank + 1;
    EXPECT_EQ(out.p[lane], 140 + rank % 4);
    EXPECT_EQ(out.p[32 + lane], 40 + rank / 4);
    EXPECT_EQ(out.p[64 + lane], rank / 4 * 8 + 1);
    EXPECT_EQ(out.p[96 + lane], 20 + rank % 2);
  }
}

__global__ void partitions(int* out) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const auto odd = cg::binary_partition(warp, threadIdx.x % 2 != 0);
  const auto by_label = cg::labeled_partition(warp, threadIdx.x / 10);
  const auto all = cg::binary_partition(warp, threadIdx.x < 40);
  out[threadIdx.x] = static_cast<int>(odd.size() * 100 + by_label.size());
  out[32 + threadIdx.x] = static_cast<int>(odd.meta_group_rank() * 10 + odd.meta_group_size());
  out[64 + threadIdx.x] =
      static_cast<int>(by_label.meta_group_rank() * 10 + by_label.meta_group_size());
  out[96 + threadIdx.x] = static_cast<int>(all.meta_group_rank() * 10 + all.meta_group_size());
}

TEST(own_groups, partitions_by_label) {
  const ints out(128);
  partitions<<<1, 32>>>(out.p);
  EXPECT_EQ(out.p[0], 1610);
  EXPECT_EQ(out.p[31], 1602);
  EXPECT_EQ(out.p[32], 2) << "even";
  EXPECT_EQ(out.p[33], 12) << "odd";
  EXPECT_EQ(out.p[64], 4);
  EXPECT_EQ(out.p[95], 34);
  EXPECT_EQ(out.p[96], 1) << "all alike";
}

/// By a warp or more, and the other way.
__global__ void far(int* out) {
  const int lane = static_cast<int>(threadIdx.x);
  out[lane] = __shfl_up_sync(~0U, lane, 33);
  out[32 + lane] = __shfl_down_sync(~0U, lane, ~0U);
  const cg::coalesced_group all = cg::coalesced_threads();
  out[64 + lane] = all.shfl_up(lane, -31);
  if (lane >= 20) return;
  const cg::coalesced_group some = cg::coalesced_threads();
  out[96 + lane] = some.shfl_up(lane, -3);
  out[128 + lane] = some.shfl_down(lane, 40);
}

TEST(own_groups, shuffle_as_far_as_an_instruction_can_say) {
  const ints out(160);
  far<<<1, 32>>>(out.p);
  EXPECT_EQ(out.p[7], 6);
  EXPECT_EQ(out.p[32], 31);
  EXPECT_EQ(out.p[33], 1);
  EXPECT_EQ(out.p[64 + 7], 6);
  EXPECT_EQ(out.p[96 + 7], 8);
  EXPECT_EQ(out.p[128 + 7], 7);
}

/// Each round, every block reads what another one wrote in the round before.
__global__ void pass_round(int* from, int* to, int rounds) {
  const cg::grid_group grid = cg::this_grid();
  const int i = static_cast<int>(grid.thread_rank()), n = static_cast<int>(grid.size());
  for (int r = 0; r < rounds; ++r) {
    to[i] = from[(i + 256) % n] + 1;
    grid.sync();
    int* const other = from;
    from = to;
    to = other;
  }
}

TEST(own_groups, a_grid_waits_for_all_its_blocks) {
  constexpr int blocks = 60, n = blocks * 256;
  for (const std::uint64_t seed : {0, 5}) {
    const ints a(n), b(n);
    for (int i = 0; i < n; ++i) a.p[i] = i;
    int rounds = 4;
    int *from = a.p, *to = b.p;
    void* arguments[] = {&from, &to, &rounds};
    simt::observe checking({.check = true, .seed = seed});
    EXPECT_EQ(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(pass_round), blocks, 256,
                                          arguments, 0, nullptr),
              cudaSuccess);
    for (int i = 0; i < n; i += 100) EXPECT_EQ(a.p[i], (i + 4 * 256) % n + 4);
    EXPECT_THAT(checking.findings, IsEmpty());
  }
}

__global__ void some_leave() {
  if (blockIdx.x == 1) return;
  cg::this_grid().sync();
}

std::string failure_of(void (*kernel)(), bool cooperative, dim3 grid, cudaError_t expected) {
  simt::observe watching({});
  if (cooperative) {
    EXPECT_EQ(cudaLaunchCooperativeKernel(kernel, grid, 64, nullptr), expected);
  } else {
    kernel<<<grid, 64>>>();
    EXPECT_EQ(cudaGetLastError(), expected);
  }
  cudaDeviceReset();
  return watching.errors.empty() ? "" : watching.errors[0];
}

TEST(own_groups, grid_sync_says_what_is_wrong) {
  EXPECT_THAT(failure_of(some_leave, true, 3, cudaErrorLaunchFailure),
              AllOf(HasSubstr("grid sync (test_groups.cu"), HasSubstr("1 of 3 blocks have ended")));
  EXPECT_THAT(failure_of(some_leave, false, 3, cudaErrorLaunchFailure),
              HasSubstr("cudaLaunchCooperativeKernel"));
  EXPECT_THAT(failure_of(some_leave, true, 100000, cudaErrorCooperativeLaunchTooLarge),
              HasSubstr("the device holds"));
}

}  // namespace
