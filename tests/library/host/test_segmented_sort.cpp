// Sorts of segments on the host do what std::stable_sort of each does, with any number of threads.
#include <algorithm>
#include <limits>
#include <numeric>

#include <gmock/gmock.h>

#include "tests/library/host/runs_of_keys.hpp"
#include "warpfold/error.hpp"
#include "warpfold/host/segmented_sort.hpp"

namespace warpfold::tests {
namespace {

std::vector<std::size_t> offsets_of_segments(std::size_t first, std::size_t last,
                                             std::size_t most) {
  std::mt19937 bits(static_cast<unsigned>(last));
  std::vector<std::size_t> offsets{first};
  while (offsets.back() < last) {
    offsets.push_back(std::min(last, offsets.back() + bits() % (most + 1)));
  }
  return offsets;
}

template <class K, class Less = ascending>
void expect_sorted(const std::vector<K>& keys, const std::vector<std::size_t>& offsets,
                   const Less& less = {}) {
  std::vector<std::uint32_t> places(keys.size()), numbers(keys.size());
  std::iota(places.begin(), places.end(), 0U);
  numbers = places;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    std::stable_sort(places.begin() + static_cast<std::ptrdiff_t>(offsets[s]),
                     places.begin() + static_cast<std::ptrdiff_t>(offsets[s + 1]),
                     [&](std::size_t a, std::size_t b) { return less(keys[a], keys[b]); });
  }
  std::vector<K> expected;
  for (const auto p : places) expected.push_back(keys[p]);
  for (const unsigned threads : {1, 2, 7}) {
    const auto where = here.threads(threads);
    auto in_place = keys, out = keys, keys_along = keys;
    segmented_sort(where, in_place, offsets, less);
    EXPECT_EQ(in_place, expected);
    std::ranges::fill(out, K{});
    segmented_sort(where, keys, offsets, out, less);
    EXPECT_EQ(out, expected);
    auto items = numbers;
    segmented_stable_sort_by_key(where, keys_along, items, offsets, less);
    EXPECT_EQ(keys_along, expected);
    EXPECT_EQ(items, places);
    std::ranges::fill(out, K{});
    segmented_stable_sort_by_key(where, keys, numbers, offsets, out, items, less);
    EXPECT_EQ(out, expected);
    EXPECT_EQ(items, places);
    std::vector<std::int64_t> indices(keys.size());
    segmented_argsort(where, keys, offsets, indices, less);
    EXPECT_TRUE(std::ranges::equal(indices, places));
  }
}

TEST(host_segmented_sort, segments_of_any_length) {
  for (const std::size_t n : {0U, 1U, 2U, 100U, 8191U, 8193U, 70'001U}) {
    std::mt19937 bits(7);
    std::vector<std::int32_t> keys(n);
    for (auto& k : keys) k = static_cast<std::int32_t>(bits());
    for (const std::size_t most : {1U, 5U, 300U, 20'000U, 100'000U}) {
      expect_sorted(keys, offsets_of_segments(0, n, most));
      expect_sorted(keys, offsets_of_segments(n / 7, n - n / 5, most), descending{});
    }
    expect_sorted(keys, {});
    expect_sorted(keys, {n / 2});
  }
}

TEST(host_segmented_sort, equal_keys_keep_their_order) {
  std::mt19937 bits(9);
  std::vector<double> keys(30'000);
  for (auto& k : keys) k = static_cast<double>(bits() % 5) - 2;
  expect_sorted(keys, offsets_of_segments(0, keys.size(), 2000));
  expect_sorted(keys, offsets_of_segments(0, keys.size(), 25'000),
                [](double a, double b) { return a * a < b * b; });
}

TEST(host_segmented_sort, segments_of_one_length_and_by_lengths_are_those_of_offsets) {
  const auto expect_same = [](const auto& given, const std::vector<int>& offsets) {
    std::vector<int> keys(9000), items(9000);
    std::mt19937 bits(5);
    for (auto& k : keys) k = static_cast<int>(bits());
    std::iota(items.begin(), items.end(), 0);
    auto expected = keys, expected_items = items, sorted = keys;
    segmented_stable_sort_by_key(here, expected, expected_items, offsets);
    segmented_sort(here, keys, given, sorted);
    EXPECT_EQ(sorted, expected);
    std::vector<std::uint32_t> indices(9000);
    segmented_argsort(here, keys, given, indices);
    EXPECT_TRUE(std::ranges::equal(indices, expected_items));
    segmented_stable_sort_by_key(here, keys, items, given);
    EXPECT_EQ(keys, expected);
    EXPECT_EQ(items, expected_items);
  };
  std::vector<int> even, lengths, offsets{0};
  for (int i = 0; i <= 1000; ++i) even.push_back(i * 7);
  expect_same(segments_of_length(7, 1000), even);
  for (int i = 0; i < 120; ++i) {
    lengths.push_back(i);
    offsets.push_back(offsets.back() + i);
  }
  expect_same(segments_of_lengths(lengths), offsets);
}

TEST(host_segmented_sort, what_does_not_go_together_is_refused) {
  std::vector<int> keys(10, 3), out(9), items(10);
  const std::vector<int> falls{0, 5, 4}, passes{0, 11}, right{0, 10};
  EXPECT_THROW(segmented_sort(here, keys, falls), usage_error);
  EXPECT_THROW(segmented_sort(here, keys, passes), usage_error);
  EXPECT_THROW(segmented_sort(here, keys, right, out), usage_error);
  EXPECT_THROW(segmented_stable_sort_by_key(here, keys, out, right), usage_error);
  EXPECT_THROW(segmented_stable_sort_by_key(here, keys, items, passes), usage_error);
  EXPECT_THROW(segmented_argsort(here, keys, right, keys), usage_error);
  EXPECT_THROW(segmented_sort(here, keys, segments_of_length(6, 2)), usage_error);
  EXPECT_THROW(segmented_sort(here, keys, segments_of_lengths(passes)), usage_error);
  EXPECT_EQ(keys, std::vector<int>(10, 3));
}

}  // namespace
}  // namespace warpfold::tests
