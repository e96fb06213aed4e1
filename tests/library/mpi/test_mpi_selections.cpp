// The first k keys, order statistics and histograms across ranks against those of one machine.
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "tests/library/mpi/ranks.hpp"
#include "tests/library/mpi/traffic.hpp"
#include "tests/library/parts.hpp"
#include "warpfold/mpi.hpp"

using namespace warpfold;  // NOLINT(google-build-using-namespace)
using test::random_part, test::random_values, test::ranks, test::same_bits;

namespace {

template <class T>
class mpi_selections : public testing::Test {};
using value_kinds =
    testing::Types<std::int32_t, std::uint8_t, std::int64_t, float, double, std::uint64_t>;
TYPED_TEST_SUITE(mpi_selections, value_kinds, );

/// Random values: all kinds, few kinds, one kind, with NaN and both zeros.
template <class T>
std::vector<T> values_of_kind(int kind, std::size_t n, std::mt19937& random) {
  auto all = random_values<T>(n, random);
  for (T& v : all) {
    if (kind == 1) v = static_cast<T>(random() % 5);
    if (kind == 2) v = T{7};
    if constexpr (std::is_floating_point_v<T>) {
      if (kind == 3 && random() % 4 == 0) v = std::numeric_limits<T>::quiet_NaN();
      if (kind == 3 && random() % 4 == 0) v = random() % 2 == 0 ? T{0} : -T{0};
    }
  }
  return all;
}

template <class T, class Order, class Arrangement>
void expect_first(const std::vector<T>& all, std::span<const T> part, std::size_t k, Order order,
                  Arrangement how) {
  std::vector<T> expected(k), got(k);
  std::vector<std::uint32_t> indices(k), expected_indices(k);
  top_k(host, all, k, expected, order, how);
  argtop_k(host, all, k, expected_indices, order, how);
  top_k(ranks(), part, k, got, order, how);
  argtop_k(ranks(), part, k, indices, order, how);
  EXPECT_TRUE(same_bits(std::span<const T>(got), std::span<const T>(expected))) << k;
  EXPECT_EQ(indices, expected_indices) << k;
}

TYPED_TEST(mpi_selections, the_first_k_are_those_of_one_machine) {
  using T = TypeParam;
  std::mt19937 random(41);
  for (int kind = 0; kind < 4; ++kind) {
    const auto all = values_of_kind<T>(kind, random() % 2000 + 1, random);
    const auto part = random_part(all, random).values;
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}, all.size() / 20, all.size()}) {
      expect_first(all, part, k, descending{}, in_key_order{});
      expect_first(all, part, k, ascending{}, in_input_order{});
    }
  }
}

TYPED_TEST(mpi_selections, order_statistics_are_those_of_one_machine) {
  using T = TypeParam;
  std::mt19937 random(42);
  for (int kind = 0; kind < 4; ++kind) {
    const auto all = values_of_kind<T>(kind, random() % 2000 + 1, random);
    const auto part = random_part(all, random).values;
    for (const std::size_t nth : {std::size_t{0}, all.size() / 3, all.size() - 1}) {
      EXPECT_TRUE(same_bits(nth_element(ranks(), part, nth), nth_element(host, all, nth)));
    }
    const std::array q{0.0, 0.01, 0.77, 1.0};
    for (const auto how : {interpolation::linear, interpolation::nearest}) {
      EXPECT_TRUE(same_bits(quantiles(ranks(), part, q, how), quantiles(host, all, q, how)));
    }
    EXPECT_TRUE(same_bits(median(ranks(), part), median(host, all)));
  }
}

template <class T, class Bins>
void expect_histogram(const std::vector<T>& all, std::span<const T> part, const Bins& bins,
                      std::size_t count) {
  std::vector<std::uint32_t> expected(count), got(count);
  histogram(host, all, bins, expected);
  histogram(ranks(), part, bins, got);
  EXPECT_EQ(got, expected);
}

TYPED_TEST(mpi_selections, histograms_are_those_of_one_machine) {
  using T = TypeParam;
  std::mt19937 random(43);
  for (int kind = 0; kind < 4; ++kind) {
    const auto all = values_of_kind<T>(kind, random() % 2000 + 1, random);
    const auto part = random_part(all, random).values;
    expect_histogram(all, part, even_bins{T{0}, T{100}, 10}, 10);
    expect_histogram(all, part, std::vector<T>{T{0}, T{3}, T{7}, T{100}}, 3);
    if constexpr (std::is_integral_v<T>) expect_histogram(all, part, each_integer{0, 128}, 128);
  }
}

template <class W>
void expect_weighted(std::mt19937& random) {
  const auto all = random_values<float>(random() % 4000 + 1, random);
  const auto weights = random_values<W>(all.size(), random);
  const auto [begin, part] = random_part(all, random);
  const auto mine = std::span<const W>(weights).subspan(begin, part.size());
  for (const std::size_t bins : {std::size_t{1}, std::size_t{3}, std::size_t{100}}) {
    const even_bins edges{-1000.0F, 1000.0F, bins};
    std::vector<W> expected(bins), got(bins);
    weighted_histogram(host, all, weights, edges, expected);
    weighted_histogram(ranks(), part, mine, edges, got);
    EXPECT_TRUE(same_bits(std::span<const W>(got), std::span<const W>(expected))) << bins;
  }
}
TEST(mpi_histogram, weights_have_one_bit_pattern_for_any_split) {
  std::mt19937 random(44);
  for (int k = 0; k < 5; ++k) {
    expect_weighted<float>(random);
    expect_weighted<double>(random);
    expect_weighted<std::int32_t>(random);
    expect_weighted<std::uint64_t>(random);
  }
}

TEST(mpi_selections, of_no_values_at_all) {
  const std::vector<double> nothing;
  std::vector<double> none;
  std::vector<std::uint64_t> counts{1, 2};
  top_k(ranks(), nothing, 0, none);
  EXPECT_THROW((void)median(ranks(), nothing), usage_error);
  EXPECT_THROW((void)nth_element(ranks(), nothing, 0), usage_error);
  histogram(ranks(), nothing, even_bins{0.0, 1.0, 2}, counts);
  EXPECT_EQ(counts, (std::vector<std::uint64_t>{0, 0}));
}

TEST(mpi_selections, what_is_wrong_on_one_rank_ends_the_call_on_all) {
  const auto place = ranks();
  const auto size = static_cast<std::size_t>(place.size());
  const std::vector<int> part{1, 2, 3};
  const bool is_last = place.rank() == place.size() - 1;
  std::vector<int> first(is_last ? 1 : 2), all(3 * size + 1);
  std::vector<std::uint64_t> counts(is_last ? 9 : 10);
  std::vector<float> sums(10), weights(is_last ? 2 : 3);
  EXPECT_THROW(top_k(place, part, 2, first), error);
  EXPECT_THROW(top_k(place, part, 3 * size + 1, all), usage_error);
  EXPECT_THROW(histogram(place, part, even_bins{0, 10, 10}, counts), error);
  EXPECT_THROW(weighted_histogram(place, part, weights, even_bins{0, 10, 10}, sums), error);
  EXPECT_THROW(histogram(place, part, even_bins{10, 0, 10}, counts), error);
  EXPECT_THROW(histogram(place, part, even_bins{0, 10, 0}, counts), usage_error);
  EXPECT_THROW((void)quantiles(place, part, std::array{1.5}), usage_error);
  EXPECT_THROW((void)nth_element(place, part, 3 * size), usage_error);
  EXPECT_EQ(reduce(place, part, 0), 6 * place.size());  // and the next one goes on
}

TEST(mpi_selections, other_options_on_other_ranks_are_found) {
  const auto place = ranks();
  if (place.size() == 1) return;
  const std::vector<int> part{1, 2, 3};
  const std::size_t own = place.rank() == 0 ? 1 : 2;
  std::vector<int> first(2);
  std::vector<std::uint64_t> counts(2);
  EXPECT_THROW(top_k(place, part, own, first), usage_error);
  EXPECT_THROW(histogram(place, part, even_bins{0, 10, own}, counts), usage_error);
  EXPECT_THROW(histogram(place, part, std::vector<int>{0, static_cast<int>(own)}, counts),
               usage_error);
  EXPECT_THROW((void)nth_element(place, part, own), usage_error);
  EXPECT_THROW((void)quantiles(place, part, std::array{0.5 * static_cast<double>(own)}),
               usage_error);
  EXPECT_EQ(reduce(place, part, 0), 6 * place.size());
}

TEST(mpi_selections, messages_are_few) {
  const std::vector<double> part(100, 1.0);
  const auto place = across(MPI_COMM_WORLD, host);
  std::vector<std::uint64_t> counts(10);
  std::vector<double> first(3);
  (void)take_traffic();
  histogram(place, part, even_bins{0.0, 2.0, 10}, counts);
  traffic sent = take_traffic();
  EXPECT_EQ(sent.reductions, 2U);
  EXPECT_EQ(sent.reduced_bytes, 10U * 8 + 3);
  EXPECT_EQ(sent.gathers + sent.scans + sent.all_to_alls + sent.moves + sent.on_world, 0U);
  std::vector<float> sums(10);
  weighted_histogram(place, part, std::vector<float>(100, 1.0F), even_bins{0.0, 2.0, 10}, sums);
  sent = take_traffic();
  EXPECT_EQ(sent.moves, 2U);
  EXPECT_LE(sent.moved_bytes, 10U * 64 + 10U * 4 * static_cast<unsigned>(place.size() - 1));
  top_k(place, part, 3, first);
  sent = take_traffic();
  EXPECT_EQ(sent.moves, 1U);
  EXPECT_EQ(sent.moved_bytes, 3U * 16 * static_cast<unsigned>(place.size() - 1));
}

}  // namespace
