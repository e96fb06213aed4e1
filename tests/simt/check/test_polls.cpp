// Volatile words of global memory in one warp: what a lane comes back for until it is there is no
// race, what it takes for there in lockstep is.
#include <gtest/gtest.h>

#include "simt/cuda.hpp"
#include "tests/simt/machine.hpp"
#include "warpfold/platform.hpp"

namespace warpfold::tests::polls {

/// Each thread waits for its word and hands the next one on.
__global__ void hands_on(volatile int* words, int n) {
  const int t = static_cast<int>(threadIdx.x);
  bool done = false;
  while (!done) {
    const int here = words[t];
    if (here >= 0) {
      if (t + 1 < n) words[t + 1] = here + 1;
      done = true;
    }
  }
}

/// The same, but what has come is read once more behind the loop.
__global__ void reads_again(volatile int* words, int n) {
  const int t = static_cast<int>(threadIdx.x);
  while (words[t] < 0) {
  }
  if (t + 1 < n) words[t + 1] = words[t] + 1;
}

/// From the last node to the first: a node that its parent has reached moves its thread on.
__global__ void descends(volatile int* starts, const int* parents, int n, int* out) {
  int k = n - 1 - static_cast<int>(threadIdx.x);
  while (k >= 0) {
    const int start = starts[k];
    if (start >= 0) {
      for (int child = 0; child < k; ++child) {
        if (parents[child] == k) starts[child] = start + 1;
      }
      out[k] = start;
      k -= static_cast<int>(blockDim.x);
    }
  }
}

/// A node is in if no neighbour of a higher number is; rounds go on while one is not decided.
__global__ void picks(volatile unsigned char* states, int n) {
  const int t = static_cast<int>(threadIdx.x);
  bool missing = true;
  while (missing) {
    missing = false;
    for (int v = t; v < n; v += static_cast<int>(blockDim.x)) {
      if (states[v] != 2) continue;
      int of = v + 1;
      while (of < v + 4 && of < n && states[of] == 0) ++of;
      if (of == v + 4 || of >= n) {
        states[v] = 1;
      } else if (states[of] == 1) {
        states[v] = 0;
      } else {
        missing = true;
      }
    }
  }
}

/// Who stores last is no matter.
__global__ void rules_out(volatile unsigned char* states) {
  states[threadIdx.x / 4] = 0;
  states[threadIdx.x / 4 + 1] = static_cast<unsigned char>(threadIdx.x);
}

/// The tail of a reduction, in lockstep; by sums or by a comparison, which decides about no loop.
__global__ void adds(volatile int* words) {
  const unsigned t = threadIdx.x;
  for (unsigned s = 16; s > 0; s /= 2) {
    if (t < s) words[t] = words[t] + words[t + s];
  }
}
__global__ void takes_larger(volatile int* words) {
  const unsigned t = threadIdx.x;
  for (unsigned s = 16; s > 0; s /= 2) {
    if (t < s && words[t] < words[t + s]) words[t] = words[t + s];
  }
}

template <class Run>
std::vector<simt::finding> findings_of(std::uint64_t seed, Run run) {
  const simt::observe scope({.check = true, .seed = seed});
  run();
  return scope.findings;
}
constexpr std::uint64_t seeds = 3;

TEST(polls, lanes_hand_on_a_word_that_each_waits_for) {
  for (auto* const kernel : {hands_on, reads_again}) {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      const device_array<int> words(96, -1);
      words[0] = 0;
      const auto found = findings_of(
          seed, [&] { simt::launch({.grid = 1, .block = 96}, kernel, words.data(), 96); });
      EXPECT_TRUE(found.empty()) << seed << found[0].text();
      EXPECT_EQ(words[95], 95);
    }
  }
}

TEST(polls, what_was_read_decides_where_the_thread_looks_next) {
  constexpr int n = 100;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const device_array<int> starts(n, -1), parents(n), out(n);
    for (int i = 0; i < n; ++i) parents[i] = std::min(n - 1, (i + n) / 2 + 1);
    starts[n - 1] = 0;
    const auto found = findings_of(seed, [&] {
      simt::launch({.grid = 1, .block = 32}, descends, starts.data(), parents.data(), n,
                   out.data());
    });
    EXPECT_TRUE(found.empty()) << seed << found[0].text();
    EXPECT_GT(out[0], 1);
  }
}

TEST(polls, a_round_goes_on_by_what_was_read_in_it) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const device_array<unsigned char> states(128, 2);
    const auto found = findings_of(
        seed, [&] { simt::launch({.grid = 1, .block = 32}, picks, states.data(), 128); });
    EXPECT_TRUE(found.empty()) << seed << found[0].text();
    for (int i = 0; i < 128; ++i) EXPECT_NE(states[i], 2);
  }
}

TEST(polls, two_stores_are_no_lockstep) {
  const device_array<unsigned char> states(16, 1);
  const auto found =
      findings_of(0, [&] { simt::launch({.grid = 1, .block = 32}, rules_out, states.data()); });
  EXPECT_TRUE(found.empty()) << found[0].text();
}

TEST(polls, lockstep_is_a_race) {
  for (auto* const kernel : {adds, takes_larger}) {
    const device_array<int> words(32);
    for (int i = 0; i < 32; ++i) words[i] = i;
    const auto found =
        findings_of(0, [&] { simt::launch({.grid = 1, .block = 32}, kernel, words.data()); });
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found[0].kind, simt::finding_kind::race_in_warp);
  }
}

}  // namespace warpfold::tests::polls
