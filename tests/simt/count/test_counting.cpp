// What small kernels count, against figures worked out by hand.
#include <gtest/gtest.h>

#include "simt/cuda.hpp"
#include "tests/simt/machine.hpp"
#include "warpfold/platform.hpp"

namespace warpfold::tests {
namespace {

template <class T>
__global__ void copy(const T* in, T* out, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

template <class T>
simt::counters copied(unsigned n, unsigned block = 64) {
  const device_array<T> in(n), out(n);
  return counted([&] {
    simt::launch({.grid = (n + block - 1) / block, .block = block}, copy<T>, in.data(), out.data(),
                 n);
  });
}

template <class T>
void expect_one_request_a_warp() {
  const auto c = copied<T>(256);
  for (const auto& m : {c.global_load, c.global_store}) {
    EXPECT_EQ(m.requests, 256U / 32);
    EXPECT_EQ(m.sectors, 256 * sizeof(T) / 32);
    EXPECT_EQ(m.bytes, 256 * sizeof(T));
  }
}

TEST(counting, an_access_of_any_width_is_one_request) {
  expect_one_request_a_warp<char>();
  expect_one_request_a_warp<short>();
  expect_one_request_a_warp<int>();
  expect_one_request_a_warp<double>();
  expect_one_request_a_warp<uchar4>();
  expect_one_request_a_warp<short4>();
  expect_one_request_a_warp<int2>();
  expect_one_request_a_warp<float2>();
  expect_one_request_a_warp<int4>();
  expect_one_request_a_warp<uint4>();
  expect_one_request_a_warp<float4>();
  expect_one_request_a_warp<double2>();
  expect_one_request_a_warp<ulonglong2>();
}

TEST(counting, a_ragged_end_counts_the_lanes_that_are_there) {
  const auto c = copied<int>(70);  // warps of 32, 32, 6 and 0
  EXPECT_EQ(c.global_load.requests, 3U);
  EXPECT_EQ(c.global_load.sectors, 4U + 4 + 1);
  EXPECT_EQ(c.global_load.bytes, 280U);
  EXPECT_EQ(c.warps, 4U);
  EXPECT_DOUBLE_EQ(value_of(c, "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct"),
                   100.0 * 280 / (9 * 32));
}

__global__ void local_array(const int* in, int* out) {
  int mine[8];
  for (int i = 0; i < 8; ++i) mine[i] = in[0] + i;
  asm volatile("" : : "r"(mine) : "memory");
  out[threadIdx.x] = mine[threadIdx.x % 8];
}

TEST(counting, leaves_out_what_is_a_threads_own) {
  const device_array<int> in(1), out(32);
  const auto c =
      counted([&] { simt::launch({.grid = 1, .block = 32}, local_array, in.data(), out.data()); });
  EXPECT_EQ(c.global_load.sectors, c.global_load.requests) << "the loads of in[0] alone";
  EXPECT_EQ(c.global_store.requests, 1U);
  EXPECT_EQ(c.shared_load.requests + c.shared_store.requests, 0U);
}

__global__ void one_of_each(int* global, int* sum) {
  int* const shared = detail::dynamic_shared<int>();
  shared[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&shared[0], global[threadIdx.x]);
  atomicAdd(sum, 1);
  __syncthreads();
}

TEST(counting, tells_the_kinds_apart) {
  const device_array<int> data(96), sum(1);
  const auto c = counted([&] {
    simt::launch({.grid = 2, .block = 96, .shared_bytes = 400}, one_of_each, data.data(),
                 sum.data());
  });
  EXPECT_EQ(c.shared_store.requests, 6U);
  EXPECT_EQ(c.shared_store.wavefronts, 6U);
  EXPECT_EQ(c.global_load.requests, 6U);
  EXPECT_EQ(c.global_store.requests, 0U);
  EXPECT_EQ(c.shared_load.requests, 0U);
  EXPECT_EQ(c.global_atomic.requests, 6U);
  EXPECT_EQ(c.global_atomic.sectors, 6U * 32);
  EXPECT_EQ(c.shared_atomic.requests, 6U);
  EXPECT_EQ(c.shared_atomic.conflicts, 6U * 31);
  EXPECT_EQ(c.barriers, 4U);
  EXPECT_EQ(c.warps, 6U);
}

/// Keeps the compiler from turning a branch into a choice of values.
__device__ inline void here() { asm volatile("" ::: "memory"); }

__global__ void two_ways(unsigned split, int* a, int* b) {
  if (threadIdx.x % 64 < split) {
    here();
    *a = 1;
  } else {
    here();
    *b = 2;
  }
  here();
}

simt::counters parted(unsigned split) {
  const device_array<int> a(1), b(1);
  return counted(
      [&] { simt::launch({.grid = 3, .block = 64}, two_ways, split, a.data(), b.data()); });
}

TEST(counting, branches_that_part_a_warp) {
  const auto in_halves = parted(16);  // the first warp parts, the second goes one way
  EXPECT_EQ(in_halves.branches, 6U);
  EXPECT_EQ(in_halves.divergent_branches, 3U);
  EXPECT_DOUBLE_EQ(value_of(in_halves, "simt__branch_uniformity.pct"), 50.0);
  // Basic blocks: the start, both arms (the second warp: one), the end.
  EXPECT_EQ(in_halves.warp_steps, 3U * (4 + 3));
  EXPECT_EQ(in_halves.lane_steps, 3U * (32 + 16 + 16 + 32 + 3 * 32));
  EXPECT_DOUBLE_EQ(value_of(in_halves, "simt__steps_per_warp.ratio"), 3.5);

  const auto by_warp = parted(32);
  EXPECT_EQ(by_warp.branches, 6U);
  EXPECT_EQ(by_warp.divergent_branches, 0U);
  EXPECT_DOUBLE_EQ(value_of(by_warp, "simt__branch_uniformity.pct"), 100.0);
  EXPECT_DOUBLE_EQ(value_of(by_warp, "simt__active_lanes_per_step.ratio"), 32.0);

  const auto one_way = parted(64);  // a branch that goes one way only is no decision
  EXPECT_EQ(one_way.branches, 0U);
  EXPECT_DOUBLE_EQ(value_of(one_way, "simt__branch_uniformity.pct"), 100.0);
}

__global__ void rounds(int* out) {
  for (unsigned i = 0; i < threadIdx.x; ++i) {
    here();
    out[threadIdx.x] = 1;
  }
}

TEST(counting, a_loop_in_which_lanes_drop_out) {
  const device_array<int> out(32);
  const auto c = counted([&] { simt::launch({.grid = 1, .block = 32}, rounds, out.data()); });
  // The n-th round's store is one request of the lanes that are still in the loop: 31, 30, …
  EXPECT_EQ(c.global_store.requests, 31U);
  EXPECT_EQ(c.global_store.bytes, 4U * 31 * 32 / 2);
  EXPECT_EQ(c.divergent_branches, 31U) << "one lane leaves at each decision but the last";
}

__global__ void early(int* out) {
  if (threadIdx.x % 2 == 0) return;
  here();
  out[threadIdx.x] = 1;
}

TEST(counting, lanes_that_return_early_part_too) {
  const device_array<int> out(64);
  const auto c = counted([&] { simt::launch({.grid = 1, .block = 64}, early, out.data()); });
  EXPECT_EQ(c.branches, 2U);
  EXPECT_EQ(c.divergent_branches, 2U);
  EXPECT_EQ(c.global_store.requests, 2U);
  EXPECT_EQ(c.global_store.sectors, 8U);
}

__global__ void many_steps(int* data, int steps) {
  for (int i = 0; i < steps; ++i) {
    here();
    data[threadIdx.x] += i;
  }
}

TEST(counting, goes_on_when_a_log_is_full) {
  // More basic blocks and accesses than a log first holds, without a point where lanes meet.
  const device_array<int> data(40);
  for (const int steps : {3'000, 20'000}) {
    const auto c =
        counted([&] { simt::launch({.grid = 1, .block = 40}, many_steps, data.data(), steps); });
    EXPECT_EQ(c.global_load.requests, 2ULL * static_cast<unsigned>(steps));
    EXPECT_EQ(c.global_load.bytes, 160ULL * static_cast<unsigned>(steps));
    EXPECT_EQ(c.divergent_branches, 0U);
  }
}

__global__ void ragged_steps(int* data, int steps) {
  const int mine = steps * (1 + static_cast<int>(threadIdx.x % 2));
  for (int i = 0; i < mine; ++i) {
    here();
    data[threadIdx.x] += i;
  }
}

TEST(counting, keeps_lanes_together_when_their_logs_fill_at_different_times) {
  const device_array<int> data(32);
  const int steps = 5'000;
  const auto c =
      counted([&] { simt::launch({.grid = 1, .block = 32}, ragged_steps, data.data(), steps); });
  EXPECT_EQ(c.global_load.requests, 2U * steps);
  EXPECT_EQ(c.global_load.sectors, 4ULL * 2 * steps);
  EXPECT_EQ(c.global_load.bytes, 128ULL * steps + 64ULL * steps);
}

}  // namespace
}  // namespace warpfold::tests
