// Results that depend on the order, or on what an earlier run has left.
#include <span>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simt/cuda.hpp"
#include "simt/schedules.hpp"
#include "tests/simt/machine.hpp"
#include "warpfold/platform.hpp"

namespace warpfold::tests::schedules {

using simt::finding_kind;
using simt::try_schedules;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr unsigned block = 64, grid = 20;

constexpr int sign_line = __LINE__ + 2;
__global__ void sign_up(unsigned* next, unsigned* order) {
  order[atomicAdd(next, 1U)] = blockIdx.x * blockDim.x + threadIdx.x;
}

struct register_book {
  device_array<unsigned> next{1}, order{std::size_t{block} * grid};

  void run(bool resets) const {
    if (resets) next[0] = 0;
    simt::launch({.grid = grid, .block = block}, sign_up, next.data(), order.data());
  }
};

TEST(schedules, tell_the_first_difference_and_the_seed_that_shows_it_again) {
  const register_book book;
  simt::name(book.order.data(), "order");
  const auto found = try_schedules(
      5, [&] { book.run(true); }, std::span(book.order));
  ASSERT_EQ(found.size(), 1U);
  const simt::finding& f = found[0];
  EXPECT_EQ(f.kind, finding_kind::order_dependent);
  EXPECT_EQ(f.seed, 1U);
  EXPECT_THAT(f.kernel, HasSubstr("sign_up"));
  EXPECT_EQ(f.here.line, sign_line) << "who wrote the value";
  EXPECT_EQ(f.object, "order");
  EXPECT_THAT(f.detail, HasSubstr("value 0 is 1279, and in the first run it was 0"));
  EXPECT_THAT(f.text(), HasSubstr("in the order of seed 1"));

  const simt::observe again({.workers = 1, .check = true, .seed = f.seed});
  book.run(true);
  EXPECT_EQ(book.order[0], 1279U);
}

TEST(schedules, tell_what_an_earlier_launch_has_left) {
  const register_book book;
  const device_array<unsigned> room(std::size_t{4} * block * grid);
  const auto found = try_schedules(
      5,
      [&] { simt::launch({.grid = grid, .block = block}, sign_up, book.next.data(), room.data()); },
      std::span(room));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, finding_kind::not_repeatable);
  EXPECT_EQ(found[0].seed, 0U);
  EXPECT_EQ(found[0].here.line, sign_line);
  EXPECT_THAT(found[0].here.doing, HasSubstr("as left by an earlier launch"));
  EXPECT_THAT(found[0].detail, HasSubstr("not written"));
}

__global__ void sum_up(const float* in, float* sum) {
  atomicAdd(sum, in[blockIdx.x * blockDim.x + threadIdx.x]);
}

TEST(schedules, allow_for_rounding_where_asked) {
  const device_array<float> in(std::size_t{block} * grid), sum(1);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = 1.0F / static_cast<float>(i + 1);
  const auto run = [&] {
    sum[0] = 0;
    simt::launch({.grid = grid, .block = block}, sum_up, in.data(), sum.data());
  };
  EXPECT_THAT(try_schedules(6, run, std::span(sum), 1e-5), IsEmpty());
  const auto found = try_schedules(6, run, std::span(sum));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, finding_kind::order_dependent);
  EXPECT_EQ(found[0].here.what, simt::access_type::atomic);
}

/// Does warp 0 see what warp 1 adds?
__global__ void looks_at_warp_1(int* values, int* seen) {
  if (threadIdx.x == 32) atomicExch(&values[blockIdx.x], 1);
  if (threadIdx.x == 0) seen[blockIdx.x] = atomicAdd(&values[blockIdx.x], 0);
}

TEST(schedules, come_in_four_kinds) {
  const auto of_seed = [](std::uint64_t seed) {
    const device_array<int> values(grid), seen(grid);
    const simt::observe scope({.workers = 1, .seed = seed});
    simt::launch({.grid = grid, .block = block}, looks_at_warp_1, values.data(), seen.data());
    return std::count(seen.begin(), seen.end(), 1);
  };
  EXPECT_EQ(of_seed(0), 0);
  EXPECT_EQ(of_seed(1), grid);
  EXPECT_GT(of_seed(4), 0);
  EXPECT_LT(of_seed(4), grid);
  EXPECT_LT(of_seed(3), grid / 2) << "warp 3 / 2 comes last in every block, lest others give way";
  EXPECT_GT(of_seed(5), grid / 2) << "5 / 2 is warp 0";
}

__global__ void hang(int* out) {
  out[0] = 1;
  if (threadIdx.x == 0) __syncthreads();
  __syncwarp();
}

TEST(schedules, end_with_a_kernel_that_hangs) {
  const device_array<int> out(1);
  int runs = 0;
  const auto found = try_schedules(
      9,
      [&] {
        ++runs;
        simt::launch({.grid = 1, .block = 64}, hang, out.data());
      },
      std::span(out));
  EXPECT_EQ(runs, 1);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].kind, finding_kind::deadlock);
}

__global__ void copy(const int* in, int* out, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

constexpr int copy_line = __LINE__ - 3;

TEST(must_read, tells_what_was_left_out_of_the_whole_scope) {
  const device_array<int> in(1000, 1), out(1000);
  simt::observe scope({.check = true, .must_read = {{in.data() + 100, 800}}});
  simt::launch({.grid = 3, .block = 128}, copy, in.data(), out.data(), 1000U);
  ASSERT_EQ(scope.findings.size(), 1U);
  EXPECT_EQ(scope.findings[0].kind, finding_kind::never_read);
  EXPECT_THAT(scope.findings[0].detail, HasSubstr("values 284 to 799 of 800"));
  EXPECT_EQ(scope.findings[0].here.line, copy_line);
  EXPECT_EQ(scope.findings[0].count, 516U);
  EXPECT_EQ(scope.findings[0].offset, 384 * 4);
  simt::launch({.grid = 8, .block = 128}, copy, in.data(), out.data(), 1000U);
  EXPECT_THAT(scope.findings, IsEmpty());
}

TEST(bank_conflicts, are_findings_only_where_asked) {
  const auto found = [](bool ask, unsigned stride) {
    const device_array<int> out(32);
    simt::observe scope({.check = true, .bank_conflicts = ask});
    simt::launch(
        {.grid = 1, .block = 32, .shared_bytes = 4096},
        +[](int* to, unsigned by) {
          volatile int* const s = detail::dynamic_shared<int>();
          s[threadIdx.x * by] = 1;
          to[threadIdx.x] = s[threadIdx.x * by];
        },
        out.data(), stride);
    return scope.findings;
  };
  EXPECT_THAT(found(true, 1), IsEmpty());
  EXPECT_THAT(found(false, 32), IsEmpty());
  const auto all = found(true, 32);
  ASSERT_EQ(all.size(), 2U) << "the store and the load";
  for (const auto& f : all) {
    EXPECT_EQ(f.kind, finding_kind::bank_conflict);
    EXPECT_EQ(f.count, 31U);
    EXPECT_THAT(f.text(), HasSubstr("31 needless passes"));
  }
}

}  // namespace warpfold::tests::schedules
