// Launches on several OS threads, and from several: what ThreadSanitizer watches the machine with.
// The kernels take every path on which workers share something: global memory and atomics, the
// grid's clock and tickets, the checker's shadow memory, the counters.
#include <cstdint>
#include <numeric>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simt/cuda.hpp"
#include "tests/simt/machine.hpp"
#include "warpfold/platform.hpp"

namespace warpfold::tests {
namespace {

constexpr unsigned blocks = 24, threads = 96;

/// Sums of blocks in shared memory; the last block adds them up.
__global__ void sum_kernel(const int* in, int* partial, unsigned* ticket, long* sum) {
  auto* const tile = detail::dynamic_shared<int>();
  tile[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 32) {
    int mine = tile[threadIdx.x] + tile[threadIdx.x + 32] + tile[threadIdx.x + 64];
    for (int step = 16; step > 0; step /= 2) mine += __shfl_down_sync(~0U, mine, step);
    if (threadIdx.x == 0) {
      partial[blockIdx.x] = mine;
      __threadfence();
      if (atomicAdd(ticket, 1U) == gridDim.x - 1) {
        __threadfence();
        long total = 0;
        for (unsigned b = 0; b < gridDim.x; ++b) {
          total += static_cast<const volatile int*>(partial)[b];
        }
        *sum = total;
        atomicExch(ticket, 0U);
      }
    }
  }
}

/// Each block waits for the one before it.
__global__ void chain_kernel(unsigned* ticket, std::uint64_t* told) {
  if (threadIdx.x != 0) return;
  const unsigned mine = atomicAdd(ticket, 1U);
  if (mine > 0) {
    while (detail::load_relaxed(told + mine - 1) == 0) detail::let_others_run();
  }
  detail::store_relaxed(told + mine, mine + 1);
}

__global__ void race_kernel(int* out) { *out = static_cast<int>(blockIdx.x); }

struct numbers {
  device_array<int> in{blocks * threads}, partial{blocks};
  device_array<unsigned> ticket{1};
  device_array<long> sum{1};

  numbers() { std::iota(in.begin(), in.end(), 0); }
  long add_up() {
    simt::launch({.grid = {blocks}, .block = {threads}, .shared_bytes = threads * sizeof(int)},
                 sum_kernel, in.data(), partial.data(), ticket.data(), sum.data());
    return sum[0];
  }
};
constexpr long expected = long{blocks * threads} * (blocks * threads - 1) / 2;

const simt::run_options kinds[] = {{.workers = 4},
                                   {.workers = 4, .count = true},
                                   {.workers = 4, .count = true, .check = true, .lines = true},
                                   {.workers = 4, .check = true, .seed = 3}};

TEST(workers, share_a_grid) {
  numbers n;
  for (int round = 0; round < 20; ++round) {
    for (const auto& options : kinds) {
      simt::observe scope(options);
      EXPECT_EQ(n.add_up(), expected);
      EXPECT_THAT(scope.findings, testing::IsEmpty());
    }
  }
}

TEST(workers, wait_for_each_other) {
  for (int round = 0; round < 20; ++round) {
    for (const auto& options : kinds) {
      device_array<unsigned> ticket(1);
      device_array<std::uint64_t> told(blocks);
      simt::observe scope(options);
      simt::launch({.grid = {blocks}, .block = {32}}, chain_kernel, ticket.data(), told.data());
      EXPECT_EQ(told.back(), blocks);
    }
  }
}

TEST(workers, find_the_same_race) {
  for (int round = 0; round < 20; ++round) {
    device_array<int> out(1);
    simt::observe scope({.workers = 4, .check = true});
    simt::launch({.grid = {blocks}, .block = {1}}, race_kernel, out.data());
    EXPECT_THAT(scope.findings, testing::SizeIs(1));
  }
}

TEST(workers, serve_launches_from_several_threads) {
  std::vector<std::jthread> hosts;
  for (int host = 0; host < 3; ++host) {
    hosts.emplace_back([host] {
      numbers n;
      for (int round = 0; round < 10; ++round) {
        simt::observe scope(kinds[static_cast<unsigned>(host + round) % std::size(kinds)]);
        EXPECT_EQ(n.add_up(), expected);
      }
    });
  }
}

}  // namespace
}  // namespace warpfold::tests
