// Orders: seeds, workers, launches from several host threads, and scopes that nest.
#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "simt/cuda.hpp"
#include "tests/simt/machine.hpp"
#include "warpfold/platform.hpp"

namespace warpfold::tests {
namespace {

constexpr unsigned block = 128, grid = 50;

__global__ void sign_up(unsigned* next, unsigned* order) {
  order[atomicAdd(next, 1U)] = blockIdx.x * blockDim.x + threadIdx.x;
}

std::vector<unsigned> order_of(simt::run_options options) {
  const simt::observe scope(options);
  const device_array<unsigned> next(1), order(grid * block, ~0U);
  simt::launch({.grid = grid, .block = block}, sign_up, next.data(), order.data());
  return {order.begin(), order.end()};
}

TEST(order, is_ascending_without_a_seed_and_random_with_one) {
  std::vector<unsigned> ascending(grid * block);
  std::iota(ascending.begin(), ascending.end(), 0U);
  EXPECT_EQ(order_of({.workers = 1}), ascending);
  const auto first = order_of({.workers = 1, .seed = 1});
  EXPECT_NE(first, ascending);
  EXPECT_NE(first, order_of({.workers = 1, .seed = 2}));
  EXPECT_EQ(first, order_of({.workers = 1, .seed = 1})) << "the same seed, the same order";
  auto sorted = first;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, ascending);
}

TEST(order, of_lanes_warps_and_blocks_differs_by_seed) {
  const auto order = order_of({.workers = 1, .seed = 9});
  bool lanes = false, warps = false, blocks = false;
  for (std::size_t i = 1; i < order.size(); ++i) {
    const unsigned a = order[i - 1], b = order[i];
    lanes |= a / 32 == b / 32 && b < a;
    warps |= a / block == b / block && b / 32 < a / 32;
    blocks |= b / block < a / block;
  }
  EXPECT_TRUE(lanes);
  EXPECT_TRUE(warps);
  EXPECT_TRUE(blocks);
}

/// Shuffles, shared memory, two barriers and an atomic.
__global__ void sum(const int* in, int* out) {
  int* const partials = detail::dynamic_shared<int>();
  int v = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int delta = 16; delta > 0; delta /= 2) v += __shfl_down_sync(0xffffffffU, v, delta);
  if (threadIdx.x % 32 == 0) partials[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = threadIdx.x < blockDim.x / 32 ? partials[threadIdx.x] : 0;
    v = __reduce_add_sync(0xffffffffU, v);
    if (threadIdx.x == 0) atomicAdd(out, v);
  }
}

int sum_of_ones(unsigned blocks) {
  const device_array<int> in(blocks * block, 1), out(1);
  simt::launch({.grid = blocks, .block = block, .shared_bytes = 128}, sum, in.data(), out.data());
  return out[0];
}

using named_counters = std::vector<std::pair<std::string_view, double>>;

named_counters counters_of(simt::run_options options) {
  return counted([] { EXPECT_EQ(sum_of_ones(grid), static_cast<int>(grid * block)); }, options)
      .named();
}

TEST(order, changes_neither_results_nor_counters) {
  const auto expected = counters_of({.workers = 1});
  EXPECT_EQ(counters_of({.workers = 2}), expected);
  EXPECT_EQ(counters_of({}), expected);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    EXPECT_EQ(counters_of({.workers = 1 + static_cast<unsigned>(seed) % 2, .seed = seed}), expected)
        << "seed " << seed;
  }
}

TEST(order, draws_random_numbers_beside_the_machines_own) {
  // The machine draws from the same kind of generator while it switches lanes; the linker may
  // give it the copy that is compiled here, callbacks and all.
  std::mt19937_64 random(1);
  EXPECT_NE(random(), random());
  EXPECT_EQ(counters_of({.workers = 1, .seed = 77}), counters_of({.workers = 1}));
}

TEST(order, takes_launches_from_several_host_threads_at_once) {
  std::array<int, 4> wrong{};
  const auto expected = counters_of({});
  std::vector<std::jthread> threads;
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      for (unsigned i = 1; i <= 20; ++i) {
        simt::observe scope({.count = t % 2 == 0});
        if (sum_of_ones(grid) != static_cast<int>(grid * block)) ++wrong[t];
        if (t % 2 == 0 && scope.total.named() != expected) ++wrong[t];
        if (scope.total.launches != 1) ++wrong[t];
      }
    });
  }
  threads.clear();
  EXPECT_EQ(wrong, (std::array<int, 4>{}));
}

TEST(order, survives_the_host_thread_that_launched_first) {
  std::jthread([] { EXPECT_EQ(sum_of_ones(7), 7 * static_cast<int>(block)); }).join();
  std::jthread([] { EXPECT_EQ(sum_of_ones(8), 8 * static_cast<int>(block)); }).join();
  EXPECT_EQ(sum_of_ones(9), 9 * static_cast<int>(block));
}

TEST(observe, nests_and_counts_in_the_innermost_scope) {
  simt::observe outer({.count = true});
  sum_of_ones(1);
  {
    const simt::observe inner({.count = true});
    sum_of_ones(2);
    sum_of_ones(3);
    EXPECT_EQ(inner.total.launches, 2U);
    EXPECT_EQ(inner.total.global_load.requests, 5 * block / 32);
    EXPECT_EQ(outer.total.launches, 1U);
  }
  {
    const simt::observe uncounted({});
    sum_of_ones(4);
    EXPECT_EQ(uncounted.total.launches, 1U);
    EXPECT_EQ(uncounted.total.global_load.requests, 0U);
  }
  sum_of_ones(1);
  EXPECT_EQ(outer.total.launches, 2U);
  EXPECT_EQ(outer.total.global_load.requests, 2 * block / 32);
  simt::counters twice = outer.total;
  twice += outer.total;
  EXPECT_EQ(twice.launches, 4U);
  EXPECT_EQ(twice.global_load.sectors, 2 * outer.total.global_load.sectors);
}

}  // namespace
}  // namespace warpfold::tests
