// Blocks: their barriers, their shared memory, and how they take turns on one OS thread.
#include <chrono>

#include <gtest/gtest.h>

#include "simt/cuda.hpp"
#include "tests/simt/machine.hpp"
#include "warpfold/platform.hpp"

namespace warpfold::tests {
namespace {

struct block_votes {
  int count, any, all, again;
};

__global__ void vote_in_block(block_votes* out, unsigned yes_below) {
  block_votes& v = out[blockIdx.x * blockDim.x + threadIdx.x];
  const int predicate = threadIdx.x < yes_below ? 1 : 0;
  v.count = __syncthreads_count(predicate);
  v.any = __syncthreads_or(predicate);
  v.all = __syncthreads_and(predicate);
  v.again = 0;
  for (unsigned round = 0; round < 5; ++round) {
    v.again += __syncthreads_count(threadIdx.x < round ? 1 : 0);
  }
}

TEST(blocks, vote_at_barriers) {
  for (const std::uint64_t seed : {0, 5}) {
    const simt::observe scope({.seed = seed});
    for (const unsigned block : {1U, 33U, 64U, 1000U}) {
      for (const unsigned yes : {0U, 1U, block - 1, block}) {
        const device_array<block_votes> out(3 * block);
        simt::launch({.grid = 3, .block = block}, vote_in_block, out.data(), yes);
        int again = 0;
        for (unsigned round = 0; round < 5; ++round) again += static_cast<int>(min(round, block));
        for (const block_votes& v : out) {
          EXPECT_EQ(v.count, static_cast<int>(yes));
          EXPECT_EQ(v.any, yes > 0);
          EXPECT_EQ(v.all, yes == block);
          EXPECT_EQ(v.again, again);
        }
      }
    }
  }
}

__global__ void reverse(int* data) {
  int* const values = detail::dynamic_shared<int>();
  int* const mine = data + blockIdx.x * blockDim.x;
  values[threadIdx.x] = mine[threadIdx.x];
  __syncthreads();
  mine[threadIdx.x] = values[blockDim.x - 1 - threadIdx.x];
}

TEST(blocks, share_memory_across_their_warps) {
  for (const std::uint64_t seed : {0, 1, 2}) {
    const simt::observe scope({.seed = seed});
    const unsigned block = 700, grid = 40;
    const device_array<int> data(block * grid);
    for (unsigned i = 0; i < data.size(); ++i) data[i] = static_cast<int>(i);
    simt::launch({.grid = grid, .block = block, .shared_bytes = block * sizeof(int)}, reverse,
                 data.data());
    for (unsigned i = 0; i < data.size(); ++i) {
      EXPECT_EQ(data[i], static_cast<int>(i / block * block + block - 1 - i % block));
    }
  }
}

struct first_storage {
  int value[64];
};
struct second_storage {
  alignas(64) double value[64];
};

__global__ void two_storages(int* wrong) {
  auto& first = detail::shared_storage<first_storage>();
  auto& second = detail::shared_storage<second_storage>();
  int* const dynamic = detail::dynamic_shared<int>();
  const unsigned i = threadIdx.x;
  first.value[i] = static_cast<int>(i);
  second.value[i] = 0.5 * i;
  dynamic[i] = -static_cast<int>(i);
  __syncthreads();
  const unsigned j = 63 - i;
  const bool right = first.value[j] == static_cast<int>(j) && second.value[j] == 0.5 * j &&
                     dynamic[j] == -static_cast<int>(j) &&
                     reinterpret_cast<std::uintptr_t>(&second) % 64 == 0;
  if (!right) atomicAdd(wrong, 1);
}

TEST(blocks, keep_static_and_dynamic_shared_memory_apart) {
  const device_array<int> wrong(1);
  simt::launch({.grid = 10, .block = 64, .shared_bytes = 256}, two_storages, wrong.data());
  EXPECT_EQ(wrong[0], 0);
}

struct one_value {
  int value;
};

template <bool Sleep>
__global__ void wait_for_last_block(int* flag, int* out) {
  auto& mine = detail::shared_storage<one_value>();
  if (threadIdx.x == 0) mine.value = static_cast<int>(blockIdx.x);
  __syncthreads();
  if (blockIdx.x == gridDim.x - 1) {
    if (threadIdx.x == 0) {
      __threadfence();
      atomicExch(flag, 1);
    }
  } else {
    while (*static_cast<volatile int*>(flag) == 0) {
      if constexpr (Sleep) __nanosleep(20);
    }
  }
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = mine.value;
}

template <bool Sleep>
void expect_blocks_to_meet(simt::run_options options) {
  const simt::observe scope(options);
  const unsigned grid = 3, block = 96;  // all of them are resident on one OS thread
  const device_array<int> flag(1), out(grid * block, -1);
  simt::launch({.grid = grid, .block = block}, wait_for_last_block<Sleep>, flag.data(), out.data());
  for (unsigned i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], static_cast<int>(i / block));
}

TEST(blocks, wait_for_a_later_block_on_the_same_os_thread) {
  for (const bool count : {false, true}) {
    for (const std::uint64_t seed : {0, 1, 2}) {
      expect_blocks_to_meet<false>({.workers = 1, .count = count, .seed = seed});
      expect_blocks_to_meet<true>({.workers = 1, .count = count, .seed = seed});
    }
  }
}

__global__ void hand_over(int* turn, int* log, int rounds) {
  // Lanes of one warp and warps of one block take turns: nobody may starve.
  const auto me = static_cast<int>(threadIdx.x);
  const auto all = static_cast<int>(blockDim.x);
  for (int round = 0; round < rounds; ++round) {
    while (*static_cast<volatile int*>(turn) != round * all + (all - 1 - me)) {
    }
    log[round * all + (all - 1 - me)] = me;
    __threadfence();
    atomicAdd(turn, 1);
  }
}

TEST(blocks, let_a_lane_spin_for_another_lane_of_its_warp) {
  const device_array<int> turn(1), log(3 * 40, -1);
  simt::launch({.grid = 1, .block = 40}, hand_over, turn.data(), log.data(), 3);
  for (int i = 0; i < 120; ++i) EXPECT_EQ(log[static_cast<unsigned>(i)], 39 - i % 40);
}

/// Every block waits for all others, as persistent kernels do.
__global__ void all_arrive(int* flags, int* passed) {
  if (threadIdx.x == 0) {
    __threadfence();
    static_cast<volatile int*>(flags)[blockIdx.x] = 1;
    for (unsigned b = 0; b < gridDim.x; ++b) {
      while (static_cast<volatile int*>(flags)[b] == 0) {
      }
    }
  }
  __syncthreads();
  atomicAdd(passed, 1);
}

TEST(blocks, that_a_device_holds_at_once_may_wait_for_each_other) {
  constexpr unsigned grid = 24, block = 256;
  for (const unsigned workers : {1U, 0U}) {
    for (const bool check : {false, true}) {
      const device_array<int> flags(grid), passed(1);
      const simt::observe scope({.workers = workers, .check = check, .patience_seconds = 5});
      simt::launch({.grid = grid, .block = block}, all_arrive, flags.data(), passed.data());
      EXPECT_EQ(passed[0], static_cast<int>(grid * block));
      for (const auto& f : scope.findings) ADD_FAILURE() << f.text();
    }
  }
}

TEST(blocks, that_a_device_holds_no_more_of_do_not_begin) {
  constexpr unsigned processors = 132, block = 1024;  // two blocks on each processor of an H100
  for (const unsigned more : {0U, 1U}) {
    const device_array<int> flags(2 * processors + more), passed(1);
    const simt::observe scope({.patience_seconds = 2});
    const auto launch = [&] {
      simt::launch({.grid = 2 * processors + more, .block = block}, all_arrive, flags.data(),
                   passed.data());
    };
    if (more == 0) {
      launch();
    } else {
      EXPECT_THROW(launch(), simt::kernel_error);
    }
  }
}

TEST(blocks, that_wait_for_each_other_may_in_any_order) {
  constexpr unsigned grid = 24, block = 64;
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    const device_array<int> flags(grid), passed(1);
    const simt::observe scope({.workers = 1, .check = true, .seed = seed, .patience_seconds = 2});
    simt::launch({.grid = grid, .block = block}, all_arrive, flags.data(), passed.data());
    EXPECT_EQ(passed[0], static_cast<int>(grid * block)) << seed;
    for (const auto& f : scope.findings) ADD_FAILURE() << f.text();
  }
}

/// Nobody waits for anybody; `reads` reads the same words again and again.
template <bool Reads>
__global__ void busy(const double* in, double* out, long n) {
  double x = out[threadIdx.x];
  for (long i = 0; i < n; ++i) {
    x = x * 0.999999 + (Reads ? static_cast<const volatile double*>(in)[i % 4] : 1e-6);
  }
  out[threadIdx.x] = x;
}

TEST(blocks, that_are_slow_are_not_taken_for_hung) {
  constexpr double patience = 0.05;
  for (const bool reads : {false, true}) {
    for (const bool check : {false, true}) {
      const device_array<double> in(4, 1e-6), out(64);
      const auto begin = std::chrono::steady_clock::now();
      const simt::observe scope({.check = check, .patience_seconds = patience});
      const long n = check && reads ? 200'000 : 3'000'000;
      EXPECT_NO_THROW(simt::launch({.grid = 1, .block = 64}, reads ? busy<true> : busy<false>,
                                   in.data(), out.data(), n));
      EXPECT_TRUE(scope.findings.empty());
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
      EXPECT_GT(taken.count(), 3 * patience) << "or this tries nothing";
    }
  }
}

__global__ void collatz(const unsigned* from, unsigned* steps, unsigned times) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned taken = 0;
  for (unsigned time = 0; time < times; ++time) {
    for (unsigned v = from[i]; v != 1; v = v % 2 == 0 ? v / 2 : 3 * v + 1) ++taken;
  }
  steps[i] = taken;
}

TEST(blocks, run_on_when_their_lanes_take_many_time_slices) {
  const device_array<unsigned> from(9 * 64, 27), steps(9 * 64);
  for (const bool count : {false, true}) {
    const simt::observe scope({.workers = 1, .count = count});
    simt::launch({.grid = 9, .block = 64}, collatz, from.data(), steps.data(), 300U);
    for (const unsigned s : steps) EXPECT_EQ(s, 300U * 111);
  }
}

}  // namespace
}  // namespace warpfold::tests
