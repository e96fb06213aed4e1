// At determinism::gpu_to_gpu calls across ranks have the bits of one machine's, however the values
// are split.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "tests/library/canonical/cases.hpp"
#include "tests/library/parts.hpp"
#include "warpfold/mpi.hpp"

namespace warpfold::tests {
namespace {

const auto one = host.threads(2).with(determinism::gpu_to_gpu);

template <class T>
bool same_bits(const std::vector<T>& a, const T* b) {
  return a.empty() || std::memcmp(static_cast<const void*>(a.data()), b, a.size() * sizeof(T)) == 0;
}
template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

/// Calls check(all values, where this rank's begin, this rank's) for sizes around powers of two.
template <class T, class Check>
void for_splits(std::size_t largest, Check check) {
  std::mt19937 random(29);
  const auto place = across(MPI_COMM_WORLD, one);
  for (const std::size_t n : sizes_up_to(largest)) {
    std::vector<T> all(n);
    for (std::size_t i = 0; i < n; ++i) all[i] = value_at<T>(i);
    const auto bounds = test::random_split(n, place.size(), random);
    const auto r = static_cast<std::size_t>(place.rank());
    check(place.checked(), all, bounds[r],
          std::span<const T>(all).subspan(bounds[r], bounds[r + 1] - bounds[r]));
  }
}

template <class T, class Op>
void expect_bits_of_one(std::size_t largest, T init, Op op) {
  for_splits<T>(largest, [&](const auto& place, const auto& all, std::size_t begin, auto part) {
    EXPECT_TRUE(same_bits(reduce(place, part, init, op), reduce(one, all, init, op))) << all.size();
    std::vector<T> expected(all.size()), out(part.size());
    inclusive_scan(one, all, expected, op, init);
    inclusive_scan(place, part, out, op, init);
    EXPECT_TRUE(same_bits(out, expected.data() + begin)) << all.size();
    inclusive_scan(one, all, expected, op);
    inclusive_scan(place, part, out, op);
    EXPECT_TRUE(same_bits(out, expected.data() + begin)) << all.size();
    exclusive_scan(one, all, expected, init, op);
    exclusive_scan(place, part, out, init, op);
    EXPECT_TRUE(same_bits(out, expected.data() + begin)) << all.size();
  });
}

TEST(mpi_canonical, sums_and_products) {
  expect_bits_of_one<float>(70'000, 1.5F, pairwise_plus{});
  expect_bits_of_one<double>(3'000, 1.5, pairwise_plus{});
  expect_bits_of_one<float>(3'000, 1.5F, multiplies{});
}
TEST(mpi_canonical, own_operators) {
  expect_bits_of_one(9'000, affine_f32{1, 0}, compose_f32{});
  expect_bits_of_one(3'000, complex_f32{1, 0}, complex_product{});
  expect_bits_of_one(3'000, matrix_f32{1, 0, 0, 1}, matrix_product{});
}
TEST(mpi_canonical, statistics_of_all) {
  for_splits<float>(9'000, [](const auto& place, const auto& all, std::size_t, auto part) {
    if (all.empty()) {
      EXPECT_THROW(statistics(place, part), usage_error);
      return;
    }
    const auto got = statistics(place, part), expected = statistics(one, all);
    EXPECT_EQ(got.count, expected.count);
    EXPECT_EQ(got.min, expected.min);
    EXPECT_EQ(got.max, expected.max);
    EXPECT_TRUE(same_bits(got.sum, expected.sum));
    EXPECT_TRUE(same_bits(got.mean, expected.mean));
    EXPECT_TRUE(same_bits(got.variance, expected.variance)) << all.size();
  });
}
TEST(mpi_canonical, an_operator_that_throws_ends_the_call_on_all) {
  const auto place = across(MPI_COMM_WORLD, one).checked();
  const std::vector<float> part(10, static_cast<float>(place.rank()));
  const auto throws = [&](float a, float b) {
    if (a == static_cast<float>(place.size() - 1)) throw std::runtime_error("planted");
    return a + b;
  };
  std::vector<float> out(part.size());
  EXPECT_ANY_THROW(reduce(place, part, 0.0F, throws));
  if (place.size() == 1) EXPECT_ANY_THROW(inclusive_scan(place, part, out, throws));
  EXPECT_EQ(reduce(place, part, 0.0F), reduce(place, part, 0.0F));
}

}  // namespace
}  // namespace warpfold::tests
