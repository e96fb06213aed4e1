// Sizes from which the library takes its largest shapes, on the CPU machine without its checks: a
// card with less shared memory than those want must do it by others.
#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "tests/library/device/device_buffer.hpp"
#include "warpfold/scan.hpp"
#include "warpfold/sort.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

/// Rows in the order of `keys`, and where they were.
template <class K>
void expect_sorts_pairs(const std::vector<K>& keys) {
  std::vector<std::uint64_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  const device_buffer<K> in(keys);
  const device_buffer<std::uint64_t> items(order);
  stable_sort_by_key(device, in.room(), items.room()).throw_if_failed("sort");
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint64_t a, std::uint64_t b) { return keys[a] < keys[b]; });
  EXPECT_EQ(items.read(), order);
}

std::vector<std::uint32_t> random_keys(std::size_t n) {
  std::mt19937 random(5);
  std::vector<std::uint32_t> keys(n);
  for (auto& k : keys) k = static_cast<std::uint32_t>(random());
  return keys;
}

TEST(large_on_cards, radix_sort_of_keys_with_items_of_eight_bytes) {
  expect_sorts_pairs(random_keys(600'000));    // small tiles
  expect_sorts_pairs(random_keys(1'500'000));  // large ones
}

struct wide_key {
  std::array<std::uint64_t, 4> words;
  friend auto operator<=>(const wide_key&, const wide_key&) = default;
};
struct by_first_word {
  __host__ __device__ bool operator()(const wide_key& a, const wide_key& b) const {
    return a.words[0] < b.words[0];
  }
};

TEST(large_on_cards, merges_of_keys_of_32_bytes) {
  const auto random = random_keys(1'200'000);
  std::vector<wide_key> keys(random.size());
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = {random[i] % 1000, i, ~i, 7};
  const device_buffer<wide_key> in(keys);
  stable_sort(device, in.room(), by_first_word{}).throw_if_failed("sort");
  std::stable_sort(keys.begin(), keys.end(), by_first_word{});
  EXPECT_EQ(in.read(), keys);
}

TEST(large_on_cards, scan_of_more_than_64_mebibytes) {
  std::vector<std::uint64_t> values((std::size_t{8} << 20) + 1000);
  std::iota(values.begin(), values.end(), std::uint64_t{1});
  const device_buffer<std::uint64_t> in(values);
  inclusive_scan(device, in.values(), in.room()).throw_if_failed("scan");
  std::partial_sum(values.begin(), values.end(), values.begin());
  EXPECT_EQ(in.read(), values);
}

}  // namespace
}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
