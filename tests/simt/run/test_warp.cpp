// Warp-wide words: every width, masks, and groups of lanes that go their own ways.
#include <bit>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "simt/cuda.hpp"
#include "tests/simt/machine.hpp"

namespace warpfold::tests {
namespace {

constexpr unsigned whole = 0xffffffffU;

/// Lanes from 16 on leave; then a full mask is used, as since Volta it may be.
__global__ void after_exits(int* sum, unsigned* votes) {
  if (threadIdx.x >= 16) return;
  auto v = static_cast<int>(threadIdx.x);
  for (unsigned d = 8; d > 0; d /= 2) v += __shfl_down_sync(whole, v, d, 16);
  __syncwarp();
  votes[0] = __ballot_sync(whole, threadIdx.x != 3);
  votes[1] = static_cast<unsigned>(__all_sync(whole, threadIdx.x < 16));
  votes[2] = static_cast<unsigned>(__any_sync(whole, threadIdx.x > 15));
  votes[3] = __match_any_sync(whole, 5);
  int same = 0;
  votes[4] = __match_all_sync(whole, 5, &same);
  votes[5] = static_cast<unsigned>(same);
  votes[6] = __reduce_add_sync(whole, threadIdx.x);
  if (threadIdx.x == 0) *sum = v;
}

TEST(warp, operations_do_without_lanes_that_have_ended_or_never_were) {
  for (const unsigned block : {16U, 20U, 32U}) {
    for (const std::uint64_t seed : {0, 1, 2, 3}) {
      for (const bool check : {false, true}) {
        const device_array<int> sum(1);
        const device_array<unsigned> votes(7);
        const simt::observe scope({.check = check, .seed = seed});
        simt::launch({.grid = 1, .block = block}, after_exits, sum.data(), votes.data());
        EXPECT_EQ(sum[0], 120);
        EXPECT_EQ(votes[0], 0xfff7U);
        EXPECT_EQ(votes[1], 1U);
        EXPECT_EQ(votes[2], 0U);
        EXPECT_EQ(votes[3], 0xffffU);
        EXPECT_EQ(votes[4], whole);
        EXPECT_EQ(votes[5], 1U);
        EXPECT_EQ(votes[6], 120U);
        for (const auto& f : scope.findings) {
          EXPECT_EQ(f.kind, simt::finding_kind::race_in_warp) << f.text();
        }
      }
    }
  }
}

struct shuffled {
  int up, down, exchanged, indexed;
  bool operator==(const shuffled&) const = default;
};

int value_at(unsigned lane) { return static_cast<int>(lane) * 7 + 1; }

__global__ void shuffle(shuffled* out, unsigned mask, int width, unsigned delta) {
  const unsigned lane = threadIdx.x;
  if ((mask >> lane & 1) == 0) return;
  const int mine = static_cast<int>(lane) * 7 + 1;
  shuffled& s = out[lane];
  s.up = __shfl_up_sync(mask, mine, delta, width);
  s.down = __shfl_down_sync(mask, mine, delta, width);
  s.exchanged = __shfl_xor_sync(mask, mine, static_cast<int>(delta), width);
  s.indexed = __shfl_sync(mask, mine, static_cast<int>(delta), width);
}

/// What the programming guide says: segments of `width` lanes, and one's own value where the
/// source is beyond one's segment. An exchange may reach into segments before.
shuffled expected(unsigned lane, unsigned width, unsigned delta) {
  const unsigned first = lane / width * width, end = first + width;
  const unsigned other = lane ^ delta;
  return {.up = value_at(lane >= first + delta ? lane - delta : lane),
          .down = value_at(lane + delta < end ? lane + delta : lane),
          .exchanged = value_at(other < end ? other : lane),
          .indexed = value_at(first + delta % width)};
}

TEST(warp, shuffles_in_every_width_by_every_distance) {
  const device_array<shuffled> out(32);
  for (unsigned width = 1; width <= 32; width *= 2) {
    for (unsigned delta = 0; delta < 32; ++delta) {
      simt::launch({.grid = 1, .block = 32}, shuffle, out.data(), whole, static_cast<int>(width),
                   delta);
      for (unsigned lane = 0; lane < 32; ++lane) {
        EXPECT_EQ(out[lane], expected(lane, width, delta))
            << "lane " << lane << " width " << width << " delta " << delta;
      }
    }
  }
}

TEST(warp, shuffles_among_the_lanes_of_a_mask) {
  const device_array<shuffled> out(32, shuffled{});
  for (const unsigned mask : {0x0000ffffU, 0xffff0000U, 0x00ff00ffU, 0xff00ff00U}) {
    for (const unsigned delta : {1U, 2U, 4U, 7U}) {
      simt::launch({.grid = 1, .block = 32}, shuffle, out.data(), mask, 8, delta);
      for (unsigned lane = 0; lane < 32; ++lane) {
        if ((mask >> lane & 1) == 0) continue;
        EXPECT_EQ(out[lane], expected(lane, 8, delta)) << "lane " << lane << " mask " << mask;
      }
    }
  }
}

template <class T>
__global__ void rotate(T* out, T step) {
  const T mine = static_cast<T>(threadIdx.x) * step;
  out[threadIdx.x] = __shfl_sync(whole, mine, static_cast<int>(threadIdx.x) + 1);
}

template <class T>
void expect_rotated(T step) {
  const device_array<T> out(32);
  simt::launch({.grid = 1, .block = 32}, rotate<T>, out.data(), step);
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(out[i], static_cast<T>((i + 1) % 32) * step);
}

TEST(warp, shuffles_values_of_any_type) {
  expect_rotated<double>(0.1);
  expect_rotated<float>(-0.3F);
  expect_rotated<long long>(std::numeric_limits<long long>::max() / 40);
  expect_rotated<unsigned char>(8);
  expect_rotated<short>(-1000);
}

struct votes {
  unsigned ballot, matching, matching_all, reduced_or, reduced_add;
  int any, all, equal, lowest, highest;
};

__global__ void vote(votes* out, unsigned mask, unsigned yes) {
  const unsigned lane = threadIdx.x;
  if ((mask >> lane & 1) == 0) return;
  const int predicate = static_cast<int>(yes >> lane & 1);
  votes& v = out[lane];
  v.ballot = __ballot_sync(mask, predicate);
  v.any = __any_sync(mask, predicate);
  v.all = __all_sync(mask, predicate);
  v.matching = __match_any_sync(mask, lane % 3);
  v.matching_all = __match_all_sync(mask, predicate, &v.equal);
  v.reduced_or = __reduce_or_sync(mask, 1U << lane);
  v.reduced_add = __reduce_add_sync(mask, lane);
  v.lowest = __reduce_min_sync(mask, -static_cast<int>(lane));
  v.highest = __reduce_max_sync(mask, -static_cast<int>(lane));
}

TEST(warp, votes_matches_and_reduces_over_the_mask_alone) {
  for (const unsigned mask : {whole, 0x0000ffffU, 0xaaaaaaaaU, 0x80000001U, 0x00000400U}) {
    for (const unsigned yes : {0U, whole, 0x0f0f0f0fU, mask, ~mask}) {
      const device_array<votes> out(32, votes{});
      simt::launch({.grid = 1, .block = 32}, vote, out.data(), mask, yes);
      unsigned sum = 0;
      for (unsigned i = 0; i < 32; ++i) sum += (mask >> i & 1) * i;
      for (unsigned lane = 0; lane < 32; ++lane) {
        if ((mask >> lane & 1) == 0) continue;
        const votes& v = out[lane];
        unsigned same = 0;
        for (unsigned i = lane % 3; i < 32; i += 3) same |= 1U << i;
        const bool agree = (yes & mask) == 0 || (yes & mask) == mask;
        EXPECT_EQ(v.ballot, yes & mask);
        EXPECT_EQ(v.any, (yes & mask) != 0);
        EXPECT_EQ(v.all, (yes & mask) == mask);
        EXPECT_EQ(v.matching, same & mask);
        EXPECT_EQ(v.matching_all, agree ? mask : 0U);
        EXPECT_EQ(v.equal, agree);
        EXPECT_EQ(v.reduced_or, mask);
        EXPECT_EQ(v.reduced_add, sum);
        EXPECT_EQ(v.lowest, -std::bit_width(mask) + 1);
        EXPECT_EQ(v.highest, -std::countr_zero(mask));
      }
    }
  }
}

__global__ void halves(int* out, int rounds) {
  const auto lane = static_cast<int>(threadIdx.x);
  int value = lane;
  if (lane < 16) {
    for (int i = 0; i < rounds; ++i) {
      value += __shfl_xor_sync(0x0000ffffU, value, 1);
      value += __shfl_down_sync(0x0000ffffU, value, 1, 16);
    }
  } else {
    for (int i = 0; i < 3 * rounds; ++i) {
      value += static_cast<int>(__ballot_sync(0xffff0000U, value & 1) >> 16);
    }
  }
  out[lane] = __reduce_max_sync(whole, value);
}

TEST(warp, lets_two_halves_go_their_own_ways_at_once) {
  std::vector<unsigned> lanes(32);
  for (unsigned i = 0; i < 32; ++i) lanes[i] = i;
  for (int round = 0; round < 5; ++round) {
    auto before = lanes;
    for (unsigned i = 0; i < 16; ++i) lanes[i] += before[i ^ 1];
    before = lanes;
    for (unsigned i = 0; i < 16; ++i) lanes[i] += before[i + 1 < 16 ? i + 1 : i];
  }
  for (int round = 0; round < 15; ++round) {
    unsigned ballot = 0;
    for (unsigned i = 16; i < 32; ++i) ballot |= (lanes[i] & 1) << (i - 16);
    for (unsigned i = 16; i < 32; ++i) lanes[i] += ballot;
  }
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    const simt::observe scope({.seed = seed});
    const device_array<int> out(32);
    simt::launch({.grid = 1, .block = 32}, halves, out.data(), 5);
    for (const int v : out) {
      EXPECT_EQ(v, static_cast<int>(*std::max_element(lanes.begin(), lanes.end())));
    }
  }
}

__global__ void pass_on(int* out, int* mailbox) {
  const unsigned lane = threadIdx.x % 32;
  if (lane % 2 == 0) return;
  mailbox[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncwarp(0xaaaaaaaaU);
  out[threadIdx.x] = mailbox[threadIdx.x ^ 30];
}

TEST(warp, barrier_orders_memory_among_the_lanes_it_names) {
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    const simt::observe scope({.seed = seed});
    const device_array<int> out(128, -1), mailbox(128, -1);
    simt::launch({.grid = 1, .block = 128}, pass_on, out.data(), mailbox.data());
    for (int i = 0; i < 128; ++i)
      EXPECT_EQ(out[static_cast<unsigned>(i)], i % 2 == 0 ? -1 : i ^ 30);
  }
}

__global__ void who_is_left(unsigned* out) {
  const unsigned lane = threadIdx.x;
  if (lane % 4 == 0) return;
  __syncwarp(0xeeeeeeeeU & ((1ULL << blockDim.x) - 1));
  out[lane] = __activemask();
}

TEST(warp, active_lanes_are_those_that_have_not_ended) {
  for (const unsigned lanes : {11U, 32U}) {
    const device_array<unsigned> out(lanes);
    simt::launch({.grid = 1, .block = lanes}, who_is_left, out.data());
    for (unsigned i = 0; i < lanes; ++i) {
      if (i % 4 == 0) continue;
      EXPECT_EQ(out[i] >> i & 1, 1U) << "itself, lane " << i;
      EXPECT_EQ(out[i] & 0x11111111U, 0U) << "those that returned first";
      EXPECT_EQ(std::uint64_t{out[i]} >> lanes, 0U) << "those that never were";
    }
  }
}

}  // namespace
}  // namespace warpfold::tests
