// What the tests of the device sorts share: a sort of pairs, stable, against std::stable_sort.
#pragma once

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "tests/library/device/device_test.hpp"
#include "warpfold/sort.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

template <class V>
std::vector<V> numbered(std::size_t n) {
  std::vector<V> items(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::memcpy(static_cast<void*>(&items[i]), &i, std::min(sizeof i, sizeof(V)));
  }
  return items;
}

template <class K, class Less>
std::vector<std::size_t> places_of(const std::vector<K>& keys, const Less& less) {
  std::vector<std::size_t> places(keys.size());
  std::iota(places.begin(), places.end(), 0);
  std::stable_sort(places.begin(), places.end(),
                   [&](std::size_t a, std::size_t b) { return less(keys[a], keys[b]); });
  return places;
}
template <class T>
std::vector<T> at_places(const std::vector<T>& values, const std::vector<std::size_t>& places) {
  std::vector<T> result;
  for (const std::size_t p : places) result.push_back(values[p]);
  return result;
}

template <class K, class Less>
void expect_sorts(const std::vector<K>& keys, const Less& less, std::size_t offset = 0) {
  SCOPED_TRACE(testing::Message() << keys.size() << " keys of " << sizeof(K) << " bytes from "
                                  << offset);
  const device_buffer<K> sorted(keys, offset);
  ASSERT_TRUE(stable_sort(device, sorted.room(), less).ok());
  EXPECT_TRUE(same_bits(sorted.read(), at_places(keys, places_of(keys, less))));
}

template <class V, class K, class Less>
void expect_sorts_by_key(const std::vector<K>& keys, const Less& less, std::size_t offset = 0) {
  SCOPED_TRACE(testing::Message() << keys.size() << " keys of " << sizeof(K) << " bytes, items of "
                                  << sizeof(V) << " from " << offset);
  const auto items = numbered<V>(keys.size());
  const device_buffer<K> sorted(keys, offset);
  const device_buffer<V> along(items, offset);
  ASSERT_TRUE(stable_sort_by_key(device, sorted.room(), along.room(), less).ok());
  const auto places = places_of(keys, less);
  EXPECT_TRUE(same_bits(sorted.read(), at_places(keys, places)));
  EXPECT_TRUE(same_bits(along.read(), at_places(items, places)));
}

/// Not one of the orders that the library knows: rows are merged.
struct backwards {
  template <class K>
  __host__ __device__ bool operator()(const K& a, const K& b) const {
    return b < a;
  }
};

/// Keys that are too large to be moved about.
struct large_key {
  std::uint32_t number;
  std::array<std::uint32_t, 9> more;
};
struct by_number {
  __host__ __device__ bool operator()(const large_key& a, const large_key& b) const {
    return a.number < b.number;
  }
};
inline std::vector<large_key> large_keys(std::size_t n) {
  std::vector<large_key> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    keys[i] = {static_cast<std::uint32_t>(i * 2654435761U >> 22), {static_cast<unsigned>(i)}};
  }
  return keys;
}

/// Keys of every look: random, few different ones, constant, sorted, reversed.
template <class T>
std::vector<std::vector<T>> looks(std::size_t n) {
  std::vector<std::vector<T>> all(5, random_values<T>(n));
  for (T& v : all[1]) v = static_cast<T>(static_cast<int>(v) % 5);
  std::fill(all[2].begin(), all[2].end(), T{7});
  std::sort(all[3].begin(), all[3].end());
  std::sort(all[4].rbegin(), all[4].rend());
  return all;
}

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
