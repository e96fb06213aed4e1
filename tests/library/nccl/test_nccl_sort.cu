// Sorts across GPUs against those on the host.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "tests/library/nccl/nccl_test.hpp"

using namespace warpfold;        // NOLINT(google-build-using-namespace)
using namespace warpfold::test;  // NOLINT(google-build-using-namespace)

namespace {

/// Each rank's keys and items after a sort, one behind the other.
template <class K, class V, class Less>
void expect_sorted(const all_devices& devices, const std::vector<K>& keys,
                   const std::vector<V>& items, const std::vector<std::size_t>& bounds,
                   const Less& less) {
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return less(keys[a], keys[b]); });
  devices.run([&](auto place) {
    const auto r = static_cast<std::size_t>(place.rank());
    const std::size_t begin = bounds[r], n = bounds[r + 1] - begin;
    const on_device<K> k(std::span(keys).subspan(begin, n));
    const on_device<V> v(std::span(items).subspan(begin, n));
    const on_device<K> alone(std::span(keys).subspan(begin, n));
    const status by_key = stable_sort_by_key(place, k.view(), v.view(), less);
    ASSERT_TRUE(by_key.ok()) << by_key.reason();
    const status s = sort(place, alone.view(), less);
    ASSERT_TRUE(s.ok()) << s.reason();
    const auto got_keys = k.read(place), got_alone = alone.read(place);
    const auto got_items = v.read(place);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t from = order[begin + i];
      wrong += std::memcmp(&got_keys[i], &keys[from], sizeof(K)) != 0 ||
                       std::memcmp(&got_items[i], &items[from], sizeof(V)) != 0 ||
                       std::memcmp(&got_alone[i], &keys[from], sizeof(K)) != 0
                   ? 1
                   : 0;
    }
    EXPECT_EQ(wrong, 0U) << "rank " << r << " of " << place.size() << ", " << n << " rows";
  });
}

template <class T>
class nccl_sorts : public nccl {};
TYPED_TEST_SUITE(nccl_sorts, value_kinds, );

TYPED_TEST(nccl_sorts, are_stable) {
  using T = TypeParam;
  int kind = 0;
  for_each_count(
      [&](const all_devices& devices, std::mt19937& random) {
        const std::size_t n = random() % 4000 + 1;
        auto keys = random_values<T>(n, random);
        switch (kind++ % 5) {
          case 1: std::fill(keys.begin(), keys.end(), T{7}); break;
          case 2:
            for (T& k : keys) k = static_cast<T>(random() % 3);
            break;
          case 3: std::sort(keys.begin(), keys.end()); break;
          case 4: std::sort(keys.begin(), keys.end(), std::greater<>()); break;
          default: break;
        }
        std::vector<std::uint32_t> items(n);
        std::iota(items.begin(), items.end(), 0);
        const auto bounds = random_split(n, devices.size(), random);
        expect_sorted(devices, keys, items, bounds, ascending{});
        if (kind % 3 == 0) expect_sorted(devices, keys, items, bounds, descending{});
      },
      5);
}

struct last_digit_first {
  __host__ __device__ bool operator()(std::uint32_t a, std::uint32_t b) const {
    return a % 10 < b % 10;
  }
};
struct three_words {
  std::uint32_t word[3];
};

TEST_F(nccl, sorts_by_an_order_of_ones_own_and_rows_too_large_to_be_merged) {
  for_each_count([](const all_devices& devices, std::mt19937& random) {
    const std::size_t n = random() % 3000 + 1;
    std::vector<std::uint32_t> keys(n);
    std::vector<three_words> items(n);
    for (std::size_t i = 0; i < n; ++i) {
      keys[i] = static_cast<std::uint32_t>(random() % 1000);
      items[i] = {{static_cast<std::uint32_t>(i), 1, 2}};
    }
    std::vector<std::uint64_t> places(n);
    std::iota(places.begin(), places.end(), 0);
    std::vector<std::uint8_t> bytes(n);
    for (std::uint8_t& b : bytes) b = static_cast<std::uint8_t>(random());
    const auto bounds = random_split(n, devices.size(), random);
    expect_sorted(devices, keys, bytes, bounds, ascending{});
    expect_sorted(devices, keys, places, bounds, last_digit_first{});
    expect_sorted(devices, keys, items, bounds, ascending{});
  });
}

}  // namespace
