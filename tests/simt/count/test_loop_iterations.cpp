// Which lanes' accesses were one instruction of their warp. What is expected comes from how a
// device runs a loop: lanes that part within a turn meet again at its end, those that leave an
// inner loop or a function wait behind it for the others. So each turn's access is one request of
// all lanes that make it in that turn, whatever they did in the turns before.
#include <cstdint>
#include <functional>
#include <set>

#include <gtest/gtest.h>

#include "simt/cuda.hpp"
#include "tests/simt/machine.hpp"
#include "warpfold/platform.hpp"

namespace warpfold::tests {
namespace {

constexpr unsigned lanes = 32;

/// Keeps the compiler from turning a branch into a choice of values.
__device__ inline void here() { asm volatile("" ::: "memory"); }

struct traffic {
  std::uint64_t requests = 0, sectors = 0;
};

/// What a warp makes in lockstep: in each turn a request of those lanes that access word
/// 32 * turn + lane in it.
traffic lockstep(unsigned turns, const std::function<bool(unsigned, unsigned)>& accesses) {
  traffic all;
  for (unsigned turn = 0; turn < turns; ++turn) {
    std::set<unsigned> sectors;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      if (accesses(lane, turn)) sectors.insert((turn * lanes + lane) / 8);
    }
    all.requests += sectors.empty() ? 0 : 1;
    all.sectors += sectors.size();
  }
  return all;
}

void expect_equal(const simt::counters::memory& counted, const traffic& expected) {
  EXPECT_EQ(counted.requests, expected.requests);
  EXPECT_EQ(counted.sectors, expected.sectors);
}

/// What one warp counts whose lanes take so many turns, each through 32 words of both arrays.
template <class Kernel>
simt::counters of_warp(Kernel kernel, unsigned turns) {
  const device_array<int> in(std::size_t{turns} * lanes, 1), out(std::size_t{turns} * lanes);
  return counted(
      [&] { simt::launch({.grid = 1, .block = lanes}, kernel, in.data(), out.data(), turns); });
}

__global__ void nonzero(const int* mine, int* counts, unsigned turns) {
  for (unsigned b = threadIdx.x; b < turns * blockDim.x; b += blockDim.x) {
    if (mine[b] != 0) atomicAdd(&counts[b], mine[b]);
  }
}

TEST(turns, who_skips_an_access_in_one_turn_is_there_in_the_next) {
  const device_array<int> mine(64, 1), counts(64);
  mine[3] = 0;   // lane 3 in the first turn
  mine[37] = 0;  // lane 5 in the second
  const auto c = counted(
      [&] { simt::launch({.grid = 1, .block = lanes}, nonzero, mine.data(), counts.data(), 2U); });
  expect_equal(c.global_atomic, {2, 2 * 4});
}

/// First, every time, and last in each turn.
__global__ void at_times(const int* in, int* out, unsigned turns) {
  for (unsigned t = 0; t < turns; ++t) {
    const unsigned i = t * lanes + threadIdx.x;
    int x = 0;
    if ((threadIdx.x + t) % 2 == 0) x = in[i];
    here();
    out[i] = x;
    if ((threadIdx.x / 8 + t) % 4 == 1) atomicAdd(&out[i], 1);
  }
}

TEST(turns, an_access_that_lanes_make_in_different_turns) {
  for (const unsigned turns : {4U, 5'000U}) {  // more than a log first holds
    const auto c = of_warp(at_times, turns);
    expect_equal(c.global_load, {turns, 4ULL * turns});
    expect_equal(c.global_store, {turns, 4ULL * turns});
    expect_equal(c.global_atomic, {turns, turns});
    EXPECT_EQ(c.divergent_branches, 2ULL * turns);
  }
}

__global__ void rows(const int* in, const int* lengths, int* out, unsigned turns) {
  for (unsigned r = threadIdx.x; r < turns * lanes; r += lanes) {
    const int length = lengths[r];
    int sum = 0;
    for (int k = 0; k < length; ++k) {
      here();
      sum += in[threadIdx.x];
    }
    here();
    out[r] = sum;
  }
}

TEST(turns, inner_loops_of_different_length) {
  const device_array<int> in(lanes), lengths(64), out(64);
  for (unsigned r = 0; r < 64; ++r) {
    lengths[r] = r < 16 || r >= 48 ? 3 : r % 2 == 0 ? 1 : 0;  // long rows for each half in turn
  }
  const auto c = counted([&] {
    simt::launch({.grid = 1, .block = lanes}, rows, in.data(), lengths.data(), out.data(), 2U);
  });
  expect_equal(c.global_store, {2, 2 * 4});
  // Lengths: two requests of four sectors. In both turns the first round has all but eight lanes,
  // the other two are of one half of the warp.
  expect_equal(c.global_load, {2 + 2 * 3, 2 * 4 + 2 * (4 + 2 + 2)});
}

/// The inner loop comes first in the outer one.
__global__ void rows_at_once(const int* in, const int* lengths, int* out, unsigned turns) {
  unsigned t = 0;
  do {
    unsigned k = 0;
    do {
      out[k * lanes + threadIdx.x] = 1;
      here();
    } while (static_cast<int>(++k) < lengths[t * lanes + threadIdx.x]);
    here();
  } while (++t < turns);
  out[threadIdx.x] = in[threadIdx.x];
}

TEST(turns, an_inner_loop_that_begins_with_the_outer_one) {
  const device_array<int> in(lanes), lengths(64, 1), out(3 * lanes);
  for (unsigned r = 0; r < 16; ++r) lengths[r] = lengths[48 + r] = 3;
  const auto c = counted([&] {
    simt::launch({.grid = 1, .block = lanes}, rows_at_once, in.data(), lengths.data(), out.data(),
                 2U);
  });
  expect_equal(c.global_store, {2 * 3 + 1, 2 * (4 + 2 + 2) + 4});
  expect_equal(c.global_load, {2 * 3 + 1, 2 * (4 + 2 + 2) + 4});
}

__device__ constexpr bool passes(unsigned lane, unsigned t) { return (lane + t) % 4 == 0; }
__device__ constexpr bool stops(unsigned lane, unsigned t) { return t > lane % 8; }

__global__ void with_jumps(const int* in, int* out, unsigned turns) {
  for (unsigned t = 0; t < turns; ++t) {
    const unsigned i = t * lanes + threadIdx.x;
    here();
    if (passes(threadIdx.x, t)) continue;
    const int x = in[i];
    here();
    if (stops(threadIdx.x, t)) break;
    here();
    out[i] = x;
  }
  here();
  atomicAdd(&out[threadIdx.x], 1);
}

TEST(turns, continue_and_break) {
  constexpr unsigned turns = 7;
  const auto c = of_warp(with_jumps, turns);
  const auto loads = [](unsigned lane, unsigned turn) {
    for (unsigned t = 0; t < turn; ++t) {
      if (!passes(lane, t) && stops(lane, t)) return false;
    }
    return !passes(lane, turn);
  };
  expect_equal(c.global_load, lockstep(turns, loads));
  expect_equal(c.global_store, lockstep(turns, [&](unsigned lane, unsigned t) {
                 return loads(lane, t) && !stops(lane, t);
               }));
  expect_equal(c.global_atomic, {1, 4});  // behind the loop all are there
}

__global__ void one_after_the_other(const int* in, int* out, unsigned turns) {
  int sum = 0;
  for (unsigned t = 0; t < threadIdx.x % turns; ++t) {
    here();
    sum += in[t * lanes + threadIdx.x];
  }
  here();
  out[threadIdx.x] = sum;
  for (unsigned t = threadIdx.x % turns; t < turns; ++t) {
    here();
    sum += in[t * lanes + threadIdx.x];
  }
  here();
  atomicAdd(&out[threadIdx.x], sum);
}

TEST(turns, loops_behind_each_other) {
  const auto c = of_warp(one_after_the_other, 4);
  expect_equal(c.global_store, {1, 4});
  expect_equal(c.global_atomic, {1, 4});
  EXPECT_EQ(c.global_load.requests, 3U + 4U);
}

__global__ void barrier_in_some(const int* in, int* out, unsigned turns) {
  int sum = 0;
  for (unsigned t = 0; t < turns; ++t) {
    if (t % 4 == 1) __syncthreads();
    if ((threadIdx.x + t) % 2 == 0) {
      here();
      sum += in[t * lanes + threadIdx.x];
    }
    here();
    out[t * lanes + threadIdx.x] = sum;
  }
}

TEST(turns, what_begins_within_a_loop) {
  const auto c = of_warp(barrier_in_some, 11);
  expect_equal(c.global_load, {11, 11 * 4});
  expect_equal(c.global_store, {11, 11 * 4});
}

[[gnu::noinline]] __device__ int fetch(const int* p) {
  here();
  return *p;
}

__global__ void calls_at_times(const int* in, int* out, unsigned turns) {
  for (unsigned t = 0; t < turns; ++t) {
    int x = 0;
    if ((threadIdx.x + t) % 2 == 0) x = fetch(in + t * lanes + threadIdx.x);
    here();
    out[t * lanes + threadIdx.x] = x;
  }
}

TEST(turns, a_function_that_lanes_call_in_different_turns) {
  const auto c = of_warp(calls_at_times, 6);
  expect_equal(c.global_load, {6, 6 * 4});
  expect_equal(c.global_store, {6, 6 * 4});
}

__global__ void calls_from_two_places(const int* in, int* out, unsigned) {
  int x = 0;
  if (threadIdx.x < 8) x = fetch(in);
  here();
  x += fetch(in + lanes);
  here();
  if (threadIdx.x % 2 == 0) {
    here();  // else the compiler makes one call of the two
    x += fetch(in + threadIdx.x);
  } else {
    x -= fetch(in + threadIdx.x);
  }
  out[threadIdx.x] = x;
}

TEST(turns, a_function_called_from_several_places) {
  const auto c = of_warp(calls_from_two_places, 2);
  expect_equal(c.global_load, {1 + 1 + 2, 1 + 1 + 2 * 4});
  expect_equal(c.global_store, {1, 4});
}

[[gnu::noinline]] __device__ int sum_of(const int* p, unsigned n) {
  int sum = 0;
  for (unsigned k = 0; k < n; ++k) {
    here();
    sum += p[k];
  }
  return sum;
}

__global__ void sums_twice(const int* in, int* out, unsigned) {
  const unsigned half = threadIdx.x / 16;
  const int first = sum_of(in, half == 0 ? 3 : 1);
  const int second = sum_of(in, half == 0 ? 1 : 3);
  out[threadIdx.x] = first + second;
}

TEST(turns, calls_in_one_block_that_take_different_time) {
  const auto c = of_warp(sums_twice, 1);
  expect_equal(c.global_load, {3 + 3, 3 + 3});
  expect_equal(c.global_store, {1, 4});
}

[[gnu::noinline]] __device__ int plain(const int* p) { return *p; }
[[gnu::noinline]] __device__ int nested(const int* p) { return plain(p) + 1; }

__global__ void calls_by_pointer(const int* in, int* out, unsigned turns) {
  int (*const f)(const int*) = threadIdx.x % 2 == 0 ? plain : nested;
  for (unsigned t = 0; t < turns; ++t) {
    here();
    out[t * lanes + threadIdx.x] = f(in + t * lanes + threadIdx.x);
  }
}

TEST(turns, lanes_that_call_different_functions_meet_behind_the_call) {
  const auto c = of_warp(calls_by_pointer, 3);
  expect_equal(c.global_load, {3 * 2, 3 * 2 * 4});
  expect_equal(c.global_store, {3, 3 * 4});
}

}  // namespace
}  // namespace warpfold::tests
