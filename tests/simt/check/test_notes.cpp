// What is no mistake but worth a look is a note, and only where notes are asked for; and guesses
// that an atomic decides are nothing at all.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simt/cuda.hpp"
#include "tests/simt/machine.hpp"

namespace warpfold::tests::notes {

using simt::finding_kind;
using testing::HasSubstr;
using testing::IsEmpty;

struct outcome {
  std::vector<simt::finding> findings, notes;
};

template <class F>
outcome outcome_of(F f, bool notes, std::uint64_t seed = 0) {
  simt::observe scope({.check = true, .notes = notes, .seed = seed});
  f();
  return {scope.findings, scope.notes};
}

constexpr int same_line = __LINE__ + 2;
__global__ void store_the_same(int* changed, int differ) {
  *changed = 1 + differ * static_cast<int>(threadIdx.x % 2);
}

TEST(notes, several_threads_store_the_same_value) {
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    const device_array<int> changed(1);
    const auto run = [&](int differ) {
      simt::launch({.grid = 3, .block = 64}, store_the_same, changed.data(), differ);
    };
    outcome o = outcome_of([&] { run(0); }, true, seed);
    EXPECT_THAT(o.findings, IsEmpty());
    ASSERT_FALSE(o.notes.empty());
    for (const auto& n : o.notes) {
      EXPECT_LE(n.kind, finding_kind::race_in_warp);
      EXPECT_EQ(n.here.line, same_line);
      EXPECT_THAT(n.text(), HasSubstr("the same value"));
    }
    o = outcome_of([&] { run(0); }, false, seed);
    EXPECT_THAT(o.findings, IsEmpty());
    EXPECT_THAT(o.notes, IsEmpty());
    o = outcome_of([&] { run(1); }, false, seed);
    EXPECT_FALSE(o.findings.empty()) << "different values, seed " << seed;
  }
}

__global__ void fill(int* out, int n) {
  for (int i = static_cast<int>(threadIdx.x); i < n; i += static_cast<int>(blockDim.x)) out[i] = 1;
}

/// A worker that is held up right before a store is not taken for one that stores another value.
TEST(notes, several_blocks_store_the_same_value_at_once) {
  constexpr int n = 4096, rounds = 200;
  const device_array<int> out(n);
  const simt::observe scope({.workers = 8, .check = true, .notes = true});
  for (int round = 0; round < rounds; ++round) {
    std::fill_n(out.data(), n, 0);
    simt::launch({.grid = 8, .block = 64}, fill, out.data(), n);
    ASSERT_THAT(scope.findings, IsEmpty()) << "round " << round;
  }
  EXPECT_FALSE(scope.notes.empty());
}

__global__ void add_by_comparison(float* sum, float v) {
  auto* const word = reinterpret_cast<unsigned*>(sum);
  unsigned seen = *word, expected = 0;
  do {
    expected = seen;
    seen = atomicCAS(word, expected, __float_as_uint(__uint_as_float(expected) + v));
  } while (seen != expected);
}

TEST(notes, the_first_read_of_a_loop_of_comparisons_is_nothing) {
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    const device_array<float> sum(1);
    const auto o = outcome_of(
        [&] { simt::launch({.grid = 4, .block = 64}, add_by_comparison, sum.data(), 1.0F); }, true,
        seed);
    EXPECT_THAT(o.findings, IsEmpty());
    EXPECT_THAT(o.notes, IsEmpty());
    EXPECT_EQ(sum[0], 256.0F);
  }
}

constexpr int guess_line = __LINE__ + 3;
__global__ void largest(int* most) {
  const auto mine = static_cast<int>(threadIdx.x * 37 % 101);
  if (*most < mine) atomicMax(most, mine);
}

TEST(notes, a_plain_read_that_an_atomic_decides) {
  const device_array<int> most(1);
  const auto run = [&] { simt::launch({.grid = 4, .block = 64}, largest, most.data()); };
  const outcome o = outcome_of(run, true);
  EXPECT_THAT(o.findings, IsEmpty());
  ASSERT_FALSE(o.notes.empty());
  EXPECT_EQ(o.notes[0].here.line, guess_line);
  EXPECT_THAT(outcome_of(run, false).notes, IsEmpty());
}

__global__ void reads_beside(int* word, int* out) {
  if (threadIdx.x == 0) atomicAdd(word, 1);
  if (threadIdx.x == 32) *out = *word;
}

TEST(notes, a_plain_read_that_nothing_decides_is_a_race) {
  const device_array<int> data(2);
  const auto o = outcome_of(
      [&] { simt::launch({.grid = 1, .block = 64}, reads_beside, &data[0], &data[1]); }, true);
  EXPECT_EQ(o.findings.size(), 1U);
}

__global__ void in_front(int* data) {
  if (threadIdx.x == 0) data[-1] = 1;
}

TEST(notes, an_access_in_front_of_an_allocation_names_it) {
  const device_array<int> before(4), data(4), after(4);
  simt::name(data.data(), "data");
  const auto o =
      outcome_of([&] { simt::launch({.grid = 1, .block = 1}, in_front, data.data()); }, false);
  ASSERT_EQ(o.findings.size(), 1U);
  EXPECT_EQ(o.findings[0].kind, finding_kind::out_of_bounds);
  EXPECT_EQ(o.findings[0].object, "data");
  EXPECT_EQ(o.findings[0].offset, -4);
  EXPECT_EQ(o.findings[0].size, 16U);
}

}  // namespace warpfold::tests::notes
