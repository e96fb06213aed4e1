// Merges of sorted ranges and searches on the host's threads, against the standard library.
#include <algorithm>
#include <numeric>
#include <vector>

#include "tests/library/host/host_test.hpp"
#include "warpfold/host/merge.hpp"
#include "warpfold/host/search.hpp"

namespace warpfold::tests {
namespace {

/// 32 bytes; the second member does not count.
struct large {
  std::uint64_t key, tag, more[2];
};
struct by_key {
  bool operator()(const large& a, const large& b) const { return a.key < b.key; }
};

template <class K>
bool same_bytes(const std::vector<K>& a, const std::vector<K>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(K)) == 0);
}

template <class K, class Less>
void expect_merges(std::vector<K> a, std::vector<K> b, Less less) {
  std::stable_sort(a.begin(), a.end(), less);
  std::stable_sort(b.begin(), b.end(), less);
  std::vector<K> expected, out(a.size() + b.size()), keys_out(out.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected), less);
  for (const auto& where : {here, here.threads(1)}) {
    merge(where, a, b, out, less);
    ASSERT_TRUE(same_bytes(out, expected)) << a.size() << " and " << b.size();
  }
  std::vector<std::uint32_t> items(out.size()), items_out(out.size()), places(out.size());
  std::iota(items.begin(), items.end(), 0U);
  places = items;
  std::vector<K> all = a;
  all.insert(all.end(), b.begin(), b.end());
  std::stable_sort(places.begin(), places.end(),
                   [&](std::uint32_t i, std::uint32_t j) { return less(all[i], all[j]); });
  const std::span given(items);
  merge_by_key(here, a, given.first(a.size()), b, given.subspan(a.size()), keys_out, items_out,
               less);
  ASSERT_TRUE(same_bytes(keys_out, expected));
  ASSERT_EQ(items_out, places);
}

TEST(host_merge, any_number_of_keys) {
  for (const std::size_t a : {0U, 1U, 63U, 64U, 65U, 1000U}) {
    for (const std::size_t b : {0U, 1U, 64U, 777U}) {
      expect_merges(random_values<std::uint32_t>(a), random_values<std::uint32_t>(b, 2),
                    ascending{});
      expect_merges(random_values<double>(a), random_values<double>(b, 2), descending{});
      auto few = random_values<std::uint8_t>(a), others = random_values<std::uint8_t>(b, 2);
      for (auto& k : few) k %= 3;
      for (auto& k : others) k %= 3;
      expect_merges(few, others, std::less<>());
      std::vector<large> x(a), y(b);
      for (std::size_t i = 0; i < a; ++i) x[i] = {i % 5, i, {}};
      for (std::size_t i = 0; i < b; ++i) y[i] = {i % 5, a + i, {}};
      expect_merges(x, y, by_key{});
    }
  }
}

RC_GTEST_PROP(host_merge, is_that_of_the_standard_library,
              (std::vector<std::int16_t> a, std::vector<std::int16_t> b)) {
  expect_merges(a, b, ascending{});
}

TEST(host_merge, nan_is_the_greatest) {
  const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
  const std::vector<float> a{-0.0F, 1, nan}, b{-1, 0.0F, inf, nan};
  std::vector<float> out(7);
  merge(host, a, b, out);
  EXPECT_EQ(out[0], -1);
  EXPECT_TRUE(std::signbit(out[1]));
  EXPECT_FALSE(std::signbit(out[2]));
  EXPECT_EQ(out[4], inf);
  EXPECT_TRUE(std::isnan(out[5]) && std::isnan(out[6]));
  EXPECT_TRUE(is_sorted(host, out));
  EXPECT_EQ(is_sorted_until(host, out, descending{}), 1U);
}

/// Runs of such lengths among `keys`, which are sorted here: a stable sort of all is what the merge
/// gives. Two keys before them and one behind belong to none.
template <class Offset = std::uint32_t, class K, class Less = ascending>
void expect_merged_runs(std::vector<K> keys, const std::vector<std::size_t>& lengths,
                        Less less = {}) {
  std::vector<Offset> offsets{2};
  for (const std::size_t length : lengths) {
    const auto begin = keys.begin() + static_cast<std::ptrdiff_t>(offsets.back());
    std::stable_sort(begin, begin + static_cast<std::ptrdiff_t>(length), less);
    offsets.push_back(static_cast<Offset>(static_cast<std::size_t>(offsets.back()) + length));
  }
  const std::size_t n = keys.size() - 3;
  ASSERT_EQ(static_cast<std::size_t>(offsets.back()), n + 2);
  std::vector<std::uint32_t> items(keys.size()), places(n);
  std::iota(items.begin(), items.end(), 0U);
  std::iota(places.begin(), places.end(), 2U);
  std::stable_sort(places.begin(), places.end(),
                   [&](std::uint32_t i, std::uint32_t j) { return less(keys[i], keys[j]); });
  std::vector<K> expected;
  for (const std::uint32_t place : places) expected.push_back(keys[place]);
  for (const auto& where : {here, here.threads(1)}) {
    std::vector<K> out(keys.size(), keys.front()), keys_out = out;
    std::vector<std::uint32_t> items_out(keys.size(), 77);
    merge_runs(where, keys, offsets, out, less);
    merge_runs_by_key(where, keys, items, offsets, keys_out, items_out, less);
    const std::vector<K> behind(3, keys.front());
    ASSERT_TRUE(same_bytes(std::vector<K>(out.begin() + static_cast<std::ptrdiff_t>(n), out.end()),
                           behind));
    out.resize(n), keys_out.resize(n);
    ASSERT_TRUE(same_bytes(out, expected)) << n << " keys in " << lengths.size() << " runs";
    ASSERT_TRUE(same_bytes(keys_out, expected));
    ASSERT_EQ(std::vector<std::uint32_t>(3, 77),
              std::vector<std::uint32_t>(items_out.end() - 3, items_out.end()));
    items_out.resize(n);
    ASSERT_EQ(items_out, places);
  }
}

TEST(host_merge, any_number_of_runs) {
  for (const std::size_t runs : {1U, 2U, 3U, 4U, 5U, 8U, 9U, 100U}) {
    for (const std::size_t n : {0U, 1U, 50U, 1000U}) {
      std::vector<std::size_t> even, uneven(runs);
      for (std::size_t i = 0; i < runs; ++i) even.push_back((i + 1) * n / runs - i * n / runs);
      uneven[runs / 2] = n - n / 3;
      uneven[runs - 1] += n / 3;
      for (const auto& lengths : {even, uneven}) {
        expect_merged_runs(random_values<std::uint32_t>(n + 3), lengths);
        expect_merged_runs<std::int64_t>(random_values<double>(n + 3), lengths, descending{});
        std::vector<large> few(n + 3);
        for (std::size_t i = 0; i < few.size(); ++i) few[i] = {i % 5, i, {}};
        expect_merged_runs(few, lengths, by_key{});
      }
    }
  }
}

TEST(host_merge, wrong_offsets_write_nothing) {
  const std::vector<int> keys(10, 1);
  std::vector<int> out(10, 7), items(9);
  for (const std::vector<int>& offsets :
       {std::vector{0, 5, 11}, {0, 6, 5, 10}, {-1, 10}, {10, 0}}) {
    EXPECT_THROW(merge_runs(host, keys, offsets, out), usage_error);
  }
  const std::vector<int> right{0, 5, 10};
  EXPECT_THROW(merge_runs(host, keys, right, std::span(out).first(9)), usage_error);
  EXPECT_THROW(merge_runs_by_key(host, keys, items, right, out, std::vector<int>(10)), usage_error);
  EXPECT_EQ(out, std::vector<int>(10, 7));
  merge_runs(host, keys, std::vector<int>(), out);
  merge_runs(host, keys, std::vector{3}, out);
  EXPECT_EQ(out, std::vector<int>(10, 7));
  EXPECT_THROW(merge_runs(host, out, right, out), usage_error);
}

TEST(host_merge, what_is_refused_writes_nothing) {
  const std::vector<int> a(5, 1), b(5, 2);
  std::vector<int> out(9, 7), items(10);
  EXPECT_THROW(merge(host, a, b, out), usage_error);
  EXPECT_THROW(
      merge_by_key(host, a, std::span(items).first(4), b, std::span(items).first(5), out, items),
      usage_error);
  EXPECT_EQ(out, std::vector<int>(9, 7));
  std::vector<int> all(20);
  EXPECT_THROW(merge(host, std::span(all).first(5), b, std::span(all).subspan(4)), usage_error);
  EXPECT_THROW(merge(host, a, b, items, by_bits(0, 40)), usage_error);
}

TEST(host_search, places_of_many_needles) {
  for (const std::size_t n : {0U, 1U, 2U, 1000U}) {
    auto keys = random_values<std::uint32_t>(n), needles = random_values<std::uint32_t>(500, 3);
    for (auto& k : keys) k %= 300;
    for (auto& k : needles) k %= 310;
    std::sort(keys.rbegin(), keys.rend());
    std::vector<std::uint32_t> lower(500), upper(500), low(500);
    std::vector<std::int64_t> high(500);
    equal_range(here, keys, needles, lower, upper, descending{});
    lower_bound(here, keys, needles, low, descending{});
    upper_bound(here, keys, needles, high, descending{});
    for (std::size_t i = 0; i < needles.size(); ++i) {
      const auto [first, last] =
          std::equal_range(keys.begin(), keys.end(), needles[i], std::greater<>());
      ASSERT_EQ(lower[i], first - keys.begin());
      ASSERT_EQ(upper[i], last - keys.begin());
      ASSERT_EQ(low[i], lower[i]);
      ASSERT_EQ(high[i], upper[i]);
    }
  }
  std::vector<std::uint32_t> some(3), indices(2);
  EXPECT_THROW(lower_bound(host, some, some, indices), usage_error);
  EXPECT_THROW(lower_bound(host, some, some, some), usage_error);
}

TEST(host_search, the_first_index) {
  for (const std::size_t n : {0U, 1U, 64U, 65U, 5000U}) {
    std::vector<int> values(n, 3);
    const auto is_nine = [](int v) { return v == 9; };
    for (const std::size_t at : {std::size_t{0}, n / 2, n - 1, n}) {
      if (at > n) continue;
      for (std::size_t i = at; i < n; i += 13) values[i] = 9;
      EXPECT_EQ(find_if(here, values, is_nine), at);
      EXPECT_EQ(any_of(here, values, is_nine), at < n);
      EXPECT_EQ(none_of(here, values, is_nine), at == n);
      EXPECT_EQ(all_of(here, values, is_nine), n == 0 || (n == 1 && at == 0));
      EXPECT_EQ(count_if(here, values, is_nine), at < n ? (n - 1 - at) / 13 + 1 : 0);
      const std::vector<int> threes(n, 3);
      EXPECT_EQ(mismatch(here, values, threes), at);
      EXPECT_EQ(equal(here, values, threes), at == n);
      std::fill(values.begin(), values.end(), 3);
    }
    std::iota(values.begin(), values.end(), 0);
    EXPECT_TRUE(is_sorted(here, values));
    if (n < 3) continue;
    std::swap(values[n - 2], values[n - 1]);
    EXPECT_EQ(is_sorted_until(here, values), n - 1);
  }
  const std::vector<int> one(1), two(2);
  EXPECT_FALSE(equal(host, one, two));
  EXPECT_EQ(mismatch(host, one, two), 1U);
  EXPECT_THROW(find_if(here, std::vector<int>(300), [](int) -> bool { throw 5; }), int);
}

}  // namespace
}  // namespace warpfold::tests
