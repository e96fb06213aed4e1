// Order statistics on the host are those of a sort, with any number of threads.
#include <array>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/library/host/host_test.hpp"
#include "warpfold/error.hpp"
#include "warpfold/host/quantiles.hpp"

namespace warpfold::tests {
namespace {

template <class T>
class host_quantiles : public testing::Test {};
using key_types =
    testing::Types<std::int8_t, std::uint16_t, std::int32_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(host_quantiles, key_types);

template <class K>
void expect_statistics(const std::vector<K>& values) {
  SCOPED_TRACE(values.size());
  auto sorted = values;
  std::sort(sorted.begin(), sorted.end(), ascending{});
  const std::size_t n = values.size();
  for (const unsigned threads : {1U, 2U, 7U}) {
    const auto where = here.threads(threads);
    for (const std::size_t nth : {std::size_t{0}, n / 3, n - 1}) {
      EXPECT_EQ(rank_of(nth_element(where, values, nth)), rank_of(sorted[nth]));
    }
    const std::array q{0.0, 1.0, 0.5, 0.25, 0.999};
    const auto lower = quantiles(where, values, q, interpolation::lower);
    const auto higher = quantiles(where, values, q, interpolation::higher);
    for (std::size_t i = 0; i < q.size(); ++i) {
      const double at = q[i] * static_cast<double>(n - 1);
      EXPECT_EQ(lower[i], static_cast<double>(sorted[static_cast<std::size_t>(std::floor(at))]));
      EXPECT_EQ(higher[i], static_cast<double>(sorted[static_cast<std::size_t>(std::ceil(at))]));
    }
  }
}

TYPED_TEST(host_quantiles, are_those_of_a_sort) {
  using K = TypeParam;
  for (const std::size_t n : {1U, 2U, 5U, 1000U, 200'003U}) {
    expect_statistics(random_values<K>(n));
    expect_statistics(std::vector<K>(n, K{7}));
  }
  std::vector<K> few(50'000);
  for (std::size_t i = 0; i < few.size(); ++i) few[i] = static_cast<K>(i % 3);
  expect_statistics(few);
}

TEST(host_quantiles_of, numpys_interpolations) {
  const std::array values{10, 1, 3, 2};
  const std::array q{0.4, 0.5, 1.0 / 6.0};
  const auto expect = [&](interpolation how, const std::array<double, 3>& expected) {
    const auto found = quantiles(host, values, q, how);
    for (std::size_t i = 0; i < q.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-15) << i;
  };
  expect(interpolation::linear, {2.2, 2.5, 1.5});
  expect(interpolation::lower, {2, 2, 1});
  expect(interpolation::higher, {3, 3, 2});
  expect(interpolation::nearest, {2, 3, 1});
  expect(interpolation::midpoint, {2.5, 2.5, 1.5});
  EXPECT_EQ(median(host, values), 2.5);
}

TEST(host_quantiles_of, nan_is_the_greatest) {
  const std::array values{1.0, std::numeric_limits<double>::quiet_NaN(), 3.0, 2.0, 0.0};
  EXPECT_EQ(median(host, values), 2.0);
  EXPECT_TRUE(std::isnan(nth_element(host, values, 4)));
}

TEST(host_quantiles_of, what_there_is_not_is_refused) {
  const std::vector<int> none, some(9);
  EXPECT_THROW((void)median(host, none), usage_error);
  EXPECT_THROW((void)nth_element(host, some, 9), usage_error);
  EXPECT_THROW((void)quantiles(host, some, std::array{1.5}), usage_error);
  EXPECT_THROW((void)quantiles(host, some, std::array{std::nan("")}), usage_error);
}

}  // namespace
}  // namespace warpfold::tests
