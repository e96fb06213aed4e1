// Runs and groups of equal keys across ranks against those of one machine.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "tests/library/mpi/ranks.hpp"
#include "tests/library/mpi/traffic.hpp"
#include "tests/library/parts.hpp"
#include "warpfold/mpi.hpp"

using namespace warpfold;  // NOLINT(google-build-using-namespace)
using test::affine, test::exact_ranks, test::random_part, test::random_values, test::ranks,
    test::same_bits, test::then;

namespace {

const auto one = host.with(determinism::gpu_to_gpu);

/// Runs of random lengths, most of them of about so many keys.
template <class K>
std::vector<K> keys_in_runs(std::size_t n, std::size_t length, std::mt19937& random) {
  std::vector<K> keys;
  for (int k = 0; keys.size() < n; ++k) {
    const std::size_t now = std::min<std::size_t>(random() % (2 * length) + 1, n - keys.size());
    keys.insert(keys.end(), now, static_cast<K>(k % 7));
  }
  return keys;
}

template <class T>
std::span<const T> mine(const std::vector<T>& all, std::size_t begin, std::size_t size) {
  return std::span(all).subspan(begin, size);
}

/// The results of all ranks, in their order, are those of one machine; this rank has `count`.
template <class T>
void expect_slice(const std::vector<T>& got, std::size_t count, const std::vector<T>& all,
                  std::size_t groups) {
  std::vector<std::size_t> before(1);
  exclusive_scan(ranks(), std::vector{count}, before, std::size_t{0});
  EXPECT_EQ(reduce(ranks(), std::vector{count}, std::size_t{0}), groups);
  ASSERT_LE(before[0] + count, all.size());
  EXPECT_TRUE(same_bits(mine(got, 0, count), mine(all, before[0], count)));
}

template <class Place, class One, class K, class V, class Op = plus, class Equal = equal_to>
void expect_runs(const Place& place, const One& where, const std::vector<K>& keys,
                 const std::vector<V>& values, std::mt19937& random, Op op = {}, Equal equal = {}) {
  std::vector<K> expected_keys(keys.size());
  std::vector<V> expected(keys.size());
  const std::size_t runs = reduce_by_key(where, keys, values, expected_keys, expected, op, equal);
  const auto [begin, part] = random_part(keys, random);
  const auto end = begin + part.size();
  std::size_t first = 0, own = 0;  // runs that begin before this rank's part, and in it
  for (std::size_t i = 0; i < end; ++i) {
    const bool begins = i == 0 || !equal(keys[i - 1], keys[i]);
    (i < begin ? first : own) += begins ? 1 : 0;
  }
  std::vector<K> got_keys(own);
  std::vector<V> got(own);
  const std::size_t count =
      reduce_by_key(place, part, mine(values, begin, part.size()), got_keys, got, op, equal);
  ASSERT_EQ(count, own);
  EXPECT_LE(first + own, runs);
  EXPECT_TRUE(same_bits(mine(got_keys, 0, own), mine(expected_keys, first, own)));
  EXPECT_TRUE(same_bits(mine(got, 0, own), mine(expected, first, own))) << keys.size();
}

TEST(mpi_keys, runs_that_straddle_ranks_are_those_of_one_machine) {
  std::mt19937 random(51);
  for (const std::size_t length : {1, 3, 100, 2000, 100'000}) {
    for (int k = 0; k < 4; ++k) {
      const std::size_t n = random() % 6000 + 1;
      const auto keys = keys_in_runs<std::int32_t>(n, length, random);
      const auto wide = keys_in_runs<std::uint64_t>(n, length, random);
      expect_runs(ranks(), host, keys, random_values<std::int64_t>(n, random), random);
      expect_runs(ranks(), host, wide, random_values<float>(n, random), random, maximum{});
      expect_runs(exact_ranks(), one, keys, random_values<float>(n, random), random);
      expect_runs(exact_ranks(), one, wide, random_values<double>(n, random), random, plus{});
      std::vector<affine> functions(n);
      for (affine& f : functions) f = {static_cast<std::uint32_t>(random()) | 1U, 5};
      expect_runs(ranks(), host, keys, functions, random, then{});
    }
  }
}

TEST(mpi_keys, runs_by_an_equality_of_ones_own_and_of_nan) {
  std::mt19937 random(52);
  const auto near = [](int a, int b) { return std::abs(a - b) <= 1; };
  std::vector<int> rising(3000);
  for (std::size_t i = 0; i < rising.size(); ++i) rising[i] = static_cast<int>(i + i / 500);
  const auto values = random_values<std::int32_t>(rising.size(), random);
  for (int k = 0; k < 10; ++k) expect_runs(ranks(), host, rising, values, random, plus{}, near);
  auto keys = keys_in_runs<double>(3000, 20, random);
  for (double& key : keys) {
    if (random() % 50 == 0) key = std::numeric_limits<double>::quiet_NaN();
  }
  for (int k = 0; k < 10; ++k) expect_runs(ranks(), host, keys, values, random);
}

TEST(mpi_keys, runs_of_no_keys_at_all) {
  std::vector<int> none;
  EXPECT_EQ(reduce_by_key(ranks(), none, none, none, none), 0U);
}

TEST(mpi_keys, what_a_rank_throws_ends_the_call_on_all) {
  const auto place = ranks();
  const bool is_last = place.rank() == place.size() - 1;
  const std::vector<int> keys{1, 2, 3}, two{1, 2};
  std::vector<int> out_keys(3), out(3), narrow(is_last ? 1 : 3);
  EXPECT_THROW((void)reduce_by_key(place, keys, is_last ? two : keys, out_keys, out), error);
  EXPECT_THROW((void)reduce_by_key(place, keys, keys, out_keys, narrow), error);
  const auto failing = [&](int a, int b) {
    if (is_last) throw std::out_of_range("planted");
    return a == b;
  };
  EXPECT_ANY_THROW((void)reduce_by_key(place, keys, keys, out_keys, out, plus{}, failing));
  EXPECT_THROW((void)group_by(place, keys, out_keys, sum_of(is_last ? two : keys, out)), error);
  std::vector<int> nothing;
  EXPECT_THROW((void)group_by(place, keys, nothing, sum_of(keys, out)), error);
  EXPECT_EQ(reduce(place, keys, 0), 6 * place.size());  // and the next one goes on
}

template <class K>
std::vector<K> keys_of_kind(int kind, std::size_t n, std::mt19937& random) {
  auto keys = random_values<K>(n, random);
  for (K& key : keys) {
    if (kind == 1) key = static_cast<K>(random() % 10);
    if (kind == 2) key = static_cast<K>(7);
    if (kind == 3) key = static_cast<K>(1000 * (random() % 300));
    if constexpr (std::is_floating_point_v<K>) {
      if (kind == 1 && key == 0) key = random() % 2 == 0 ? K{0} : -K{0};
      if (kind == 1 && key == 9) key = std::numeric_limits<K>::quiet_NaN();
      if (kind == 1 && key == 8) key = -std::numeric_limits<K>::quiet_NaN();
    }
  }
  return keys;
}

/// What one machine writes, and what this rank does.
template <class T>
struct outputs {
  explicit outputs(std::size_t n) : expected(n), got(n) {}
  std::vector<T> expected, got;
};

template <class K>
class mpi_groups : public testing::Test {};
using key_kinds = testing::Types<std::int32_t, std::uint8_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(mpi_groups, key_kinds, );

TYPED_TEST(mpi_groups, results_without_an_order_are_those_of_one_machine) {
  using K = TypeParam;
  std::mt19937 random(53);
  for (int kind = 0; kind < 4; ++kind) {
    const std::size_t n = random() % 6000 + 1;
    const auto keys = keys_of_kind<K>(kind, n, random);
    const auto whole = random_values<std::int32_t>(n, random);
    auto real = random_values<float>(n, random);
    for (float& v : real) v = std::floor(v / 0x1p20F);
    const auto [begin, part] = random_part(keys, random);
    const auto my_whole = mine(whole, begin, part.size());
    const auto my_real = mine(real, begin, part.size());
    outputs<K> key(n);
    outputs<std::int32_t> sum(n), first(n), last(n), count(n);
    outputs<float> least(n);
    outputs<std::uint64_t> least_at(n), most_at(n);
    const std::size_t groups = group_by(
        host, keys, key.expected, sum_of(whole, sum.expected), first_of(whole, first.expected),
        last_of(whole, last.expected), count_of(count.expected), min_of(real, least.expected),
        argmin_of(real, least_at.expected), argmax_of(real, most_at.expected));
    const std::size_t own =
        group_by(ranks(), part, key.got, sum_of(my_whole, sum.got), first_of(my_whole, first.got),
                 last_of(my_whole, last.got), count_of(count.got), min_of(my_real, least.got),
                 argmin_of(my_real, least_at.got), argmax_of(my_real, most_at.got));
    expect_slice(key.got, own, key.expected, groups);
    expect_slice(sum.got, own, sum.expected, groups);
    expect_slice(first.got, own, first.expected, groups);
    expect_slice(last.got, own, last.expected, groups);
    expect_slice(count.got, own, count.expected, groups);
    expect_slice(least.got, own, least.expected, groups);
    expect_slice(least_at.got, own, least_at.expected, groups);
    expect_slice(most_at.got, own, most_at.expected, groups);
    if (kind == 0) {  // hardly a key occurs twice
      const auto size = static_cast<std::size_t>(ranks().size());
      EXPECT_LE(own, groups / size + 2 + (sizeof(K) == 1 ? 2 * size + groups : 0));
    }
  }
}

TYPED_TEST(mpi_groups, sums_and_means_have_the_bits_of_one_machine) {
  using K = TypeParam;
  std::mt19937 random(54);
  for (int kind = 0; kind < 4; ++kind) {
    const std::size_t n = random() % 6000 + 1;
    const auto keys = keys_of_kind<K>(kind, n, random);
    const auto values = random_values<float>(n, random);
    const auto [begin, part] = random_part(keys, random);
    const auto own_values = mine(values, begin, part.size());
    outputs<K> key(n);
    outputs<float> sum(n);
    outputs<double> mean(n), variance(n);
    const std::size_t groups =
        group_by(one, keys, key.expected, sum_of(values, sum.expected),
                 mean_of(values, mean.expected), variance_of(values, variance.expected));
    const std::size_t own =
        group_by(exact_ranks(), part, key.got, sum_of(own_values, sum.got),
                 mean_of(own_values, mean.got), variance_of(own_values, variance.got));
    expect_slice(key.got, own, key.expected, groups);
    expect_slice(sum.got, own, sum.expected, groups);
    expect_slice(mean.got, own, mean.expected, groups);
    expect_slice(variance.got, own, variance.expected, groups);
    // Of the default level only the grouping of the values differs.
    const std::size_t again = group_by(ranks(), part, key.got, mean_of(own_values, mean.got));
    std::vector<std::size_t> before(1);
    exclusive_scan(ranks(), std::vector{again}, before, std::size_t{0});
    double size = 0;
    for (const float v : values) size += std::fabs(static_cast<double>(v));
    for (std::size_t i = 0; i < again; ++i) {
      EXPECT_NEAR(mean.got[i], mean.expected[before[0] + i], size * 1e-12);
    }
  }
}

TEST(mpi_keys, groups_keep_the_order_where_the_operator_needs_it) {
  std::mt19937 random(55);
  const auto keys = keys_of_kind<double>(1, 3000, random);
  std::vector<affine> functions(keys.size());
  for (affine& f : functions) f = {static_cast<std::uint32_t>(random()) | 1U, 5};
  outputs<double> key(keys.size());
  outputs<affine> composed(keys.size());
  const std::size_t groups =
      group_by(host, keys, key.expected, reduction_of(functions, composed.expected, then{}));
  for (int k = 0; k < 10; ++k) {
    const auto [begin, part] = random_part(keys, random);
    const std::size_t own =
        group_by(ranks(), part, key.got,
                 reduction_of(mine(functions, begin, part.size()), composed.got, then{}));
    expect_slice(key.got, own, key.expected, groups);
    expect_slice(composed.got, own, composed.expected, groups);
  }
}

TEST(mpi_keys, groups_travel_in_one_all_to_all) {
  const auto place = across(MPI_COMM_WORLD, host);
  std::vector<std::uint32_t> keys(1000), out_keys(1000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::uint32_t>(i % 10);
  std::vector<std::uint32_t> counts(1000);
  (void)take_traffic();
  (void)group_by(place, keys, out_keys, count_of(counts));
  const traffic sent = take_traffic();
  EXPECT_EQ(sent.moves, 1U);
  EXPECT_LE(sent.moved_bytes, 10U * (4 + 8));
  EXPECT_EQ(sent.on_world, 0U);
}

}  // namespace
