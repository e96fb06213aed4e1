// The device sorts' other calls: out of place, between two buffers, of indices, by some bits, and
// of floats of two bytes; each against std::stable_sort, and what they refuse.
#include <array>
#include <limits>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "tests/library/device/device_sort_test.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

class device_sort_calls : public device_test {
 protected:
  /// To every way of sorting; on a GPU also to the radix sort, in small tiles and in large ones.
  static std::vector<std::size_t> sizes() {
    std::vector<std::size_t> all{0, 1, 2, 33, 1000, 1025, 2501};
    if (!on_cpu) all.insert(all.end(), {20001, 130003, 600011, 4500001});
    return all;
  }
};

/// Any bits, NaNs with and without sign among them, and many keys that are equal in some of them.
template <class K>
std::vector<K> any_keys(std::size_t n, std::uint64_t mask = ~std::uint64_t{0}) {
  const auto bits = random_values<std::uint64_t>(n, 7);
  std::vector<K> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t word = bits[i] & mask;
    std::memcpy(static_cast<void*>(&keys[i]), &word, sizeof(K));
  }
  return keys;
}

template <class K, class Index, class Less>
void expect_indices(const std::vector<K>& keys, const Less& less) {
  SCOPED_TRACE(testing::Message() << keys.size() << " keys of " << sizeof(K) << " bytes");
  const std::size_t n = keys.size();
  const device_buffer<K> in(keys, 1);
  const device_buffer<Index> indices(n, 1);
  temp_storage memory(argsort_temp_storage_bytes<K, Index>(n));
  ASSERT_TRUE(argsort(device.with(memory), in.values(), indices.room(), less).ok());
  const auto places = places_of(keys, less);
  EXPECT_EQ(indices.read(), std::vector<Index>(places.begin(), places.end()));
  EXPECT_TRUE(same_bits(in.read(), keys));
}

TEST_F(device_sort_calls, argsort_gives_the_places_of_the_keys) {
  for (const std::size_t n : sizes()) {
    expect_indices<std::uint32_t, std::uint32_t>(any_keys<std::uint32_t>(n, 0x300f), ascending{});
    expect_indices<float, std::int64_t>(any_keys<float>(n), descending{});
  }
  expect_indices<large_key, std::uint32_t>(large_keys(1500), by_number{});
}

template <class V, class K, class Less>
void expect_sorts_out_of_place(const std::vector<K>& keys, const Less& less) {
  SCOPED_TRACE(testing::Message() << keys.size() << " keys of " << sizeof(K) << " bytes, items of "
                                  << sizeof(V));
  const std::size_t n = keys.size();
  const auto items = numbered<V>(n);
  const auto places = places_of(keys, less);
  const device_buffer<K> in(keys, 1), out(n, 2);
  const device_buffer<V> items_in(items), items_out(n, 1);
  temp_storage memory(std::max(sort_temp_storage_bytes<K, V>(n), sort_temp_storage_bytes<K>(n)));
  const auto on = device.with(memory);
  ASSERT_TRUE(
      sort_by_key(on, in.values(), items_in.values(), out.room(), items_out.room(), less).ok());
  EXPECT_TRUE(same_bits(out.read(), at_places(keys, places)));
  EXPECT_TRUE(same_bits(items_out.read(), at_places(items, places)));
  EXPECT_TRUE(same_bits(items_in.read(), items));
  const device_buffer<K> alone(n, 3);
  ASSERT_TRUE(sort(on, in.values(), alone.room(), less).ok());
  EXPECT_TRUE(same_bits(alone.read(), at_places(keys, places)));
  EXPECT_TRUE(same_bits(in.read(), keys));
}

TEST_F(device_sort_calls, out_of_place_leaves_the_input) {
  for (const std::size_t n : sizes()) {
    expect_sorts_out_of_place<std::uint32_t>(any_keys<std::uint32_t>(n, 0xf0ff), ascending{});
    expect_sorts_out_of_place<std::uint64_t>(any_keys<double>(n), descending{});
  }
}

TEST_F(device_sort_calls, out_of_place_with_large_keys_and_items) {
  for (const std::size_t n : {3U, 1500U}) {
    expect_sorts_out_of_place<std::array<std::uint64_t, 3>>(any_keys<std::uint32_t>(n, 0xff),
                                                            ascending{});
    expect_sorts_out_of_place<std::uint32_t>(large_keys(n), by_number{});
  }
}

TEST_F(device_sort_calls, by_some_of_the_bits) {
  for (const std::size_t n : sizes()) {
    const auto keys = any_keys<std::uint32_t>(n);
    for (const auto& [begin, end] : {std::pair{0U, 32U}, {3U, 4U}, {5U, 21U}, {24U, 32U}}) {
      SCOPED_TRACE(testing::Message() << "bits " << begin << " to " << end);
      expect_sorts_by_key<std::uint32_t>(keys, by_bits(begin, end));
    }
    expect_sorts_by_key<std::uint32_t>(keys, by_bits(9, 9));  // all equal
  }
  expect_sorts_by_key<std::uint32_t>(any_keys<float>(1000), by_bits<descending>(8, 31));
}

template <class K>
void expect_sorts_small_floats(std::size_t n) {
  expect_sorts(any_keys<K>(n), ascending{});
  expect_sorts_by_key<std::uint32_t>(any_keys<K>(n), descending{});
  std::vector<K> sorted = any_keys<K>(n);
  const auto is_nan = [](const K& key) {
    const auto value = static_cast<float>(key);
    return value != value;  // NOLINT(misc-redundant-expression)
  };
  const device_buffer<K> keys(sorted);
  ASSERT_TRUE(sort(device, keys.room()).ok());
  sorted = keys.read();
  for (std::size_t i = 1; i < n; ++i) {  // numbers by value, then NaNs
    ASSERT_TRUE(is_nan(sorted[i]) || (!is_nan(sorted[i - 1]) && static_cast<float>(sorted[i - 1]) <=
                                                                    static_cast<float>(sorted[i])))
        << "key " << i << " of " << n;
  }
}

TEST_F(device_sort_calls, floats_of_two_bytes) {
  for (const std::size_t n : {0U, 1U, 1000U, on_cpu ? 2501U : 600011U}) {
    expect_sorts_small_floats<__half>(n);
    expect_sorts_small_floats<__nv_bfloat16>(n);
  }
}

template <class V, class K, class Less>
void expect_sorts_exchangeable(const std::vector<K>& keys, const Less& less) {
  SCOPED_TRACE(testing::Message() << keys.size() << " keys of " << sizeof(K) << " bytes, items of "
                                  << sizeof(V));
  const std::size_t n = keys.size();
  const auto items = numbered<V>(n);
  const auto places = places_of(keys, less);
  const device_buffer<K> a(keys, 1), b(n, 2), c(keys), d(n);
  const device_buffer<V> items_a(items), items_b(n, 1);
  const auto sorted = [](const auto& now, const auto& first, const auto& second) {
    EXPECT_TRUE(now.data() == first.data() || now.data() == second.data());
    return (now.data() == first.data() ? first : second).read();
  };
  temp_storage memory(std::max(exchanging_sort_temp_storage_bytes<K, V>(n),
                               exchanging_sort_temp_storage_bytes<K>(n)));
  exchangeable<K> both{a.room(), b.room()}, alone{c.room(), d.room()};
  exchangeable<V> along{items_a.room(), items_b.room()};
  ASSERT_TRUE(sort_by_key(device.with(memory), both, along, less).ok());
  EXPECT_TRUE(same_bits(sorted(both.current, a, b), at_places(keys, places)));
  EXPECT_TRUE(same_bits(sorted(along.current, items_a, items_b), at_places(items, places)));
  if (n > 0) {
    EXPECT_EQ(both.current.data() == a.data(), along.current.data() == items_a.data());
    EXPECT_NE(both.current.data(), both.other.data());
  }
  ASSERT_TRUE(sort(device.with(memory), alone, less).ok());
  EXPECT_TRUE(same_bits(sorted(alone.current, c, d), at_places(keys, places)));
}

TEST_F(device_sort_calls, between_two_buffers) {
  for (const std::size_t n : sizes()) {
    expect_sorts_exchangeable<std::uint32_t>(any_keys<std::uint32_t>(n, 0xff00ff), ascending{});
    expect_sorts_exchangeable<std::uint32_t>(any_keys<std::uint32_t>(n), by_bits(4, 23));
    expect_sorts_exchangeable<std::array<std::uint32_t, 4>>(
        any_keys<std::uint8_t>(std::min<std::size_t>(n, 600011)), descending{});
  }
}

TEST_F(device_sort_calls, memory_that_a_sort_between_two_buffers_does_without) {
  constexpr std::size_t n = 1 << 20;
  const std::size_t all = sort_temp_storage_bytes<std::uint32_t, std::uint64_t>(n);
  const std::size_t few = exchanging_sort_temp_storage_bytes<std::uint32_t, std::uint64_t>(n);
  EXPECT_EQ(all - few, n * 12);
}

TEST_F(device_sort_calls, what_is_refused_is_not_written) {
  constexpr std::size_t n = 1000;
  const auto values = random_values<std::uint32_t>(n);
  const device_buffer<std::uint32_t> keys(values), out(values), items(values), items_out(values);
  expect_refused(sort(device, keys.values(), out.room().first(n - 1)), n, n - 1, "keys");
  expect_refused(
      sort_by_key(device, keys.values(), items.values().first(3), out.room(), items_out.room()), n,
      3, "items");
  expect_refused(argsort(device, keys.values(), out.room().first(7)), n, 7, "indices");
  expect_refused(sort(device, keys.room(), by_bits(4, 33)), 33, 32, "bits");
  expect_refused(argsort(device, keys.values(), out.room(), by_bits(9, 8)), 9, 8, "bits");
  const auto rest = keys.room().subspan(1), most = keys.room().first(n - 1);
  EXPECT_STREQ(sort(device, most, rest).reason(), "a sort's output overlaps its keys");
  EXPECT_STREQ(argsort(device, most, rest).reason(), "the indices of an argsort overlap its keys");
  EXPECT_STREQ(sort_by_key(device, keys.values(), items.values(), out.room(), out.room()).reason(),
               "a sort's output of keys overlaps another of its ranges");
  EXPECT_STREQ(
      sort_by_key(device, keys.values(), items.values(), out.room(), items.room()).reason(),
      "a sort's output of items overlaps another of its ranges");
  EXPECT_STREQ(sort_by_key(device, most, rest).reason(), "the items of a sort overlap its keys");
  exchangeable<std::uint32_t> folded{most, rest};
  EXPECT_STREQ(sort(device, folded).reason(), "the two buffers of exchangeable keys overlap");
  exchangeable<std::uint32_t> uneven{keys.room(), out.room().first(5)};
  expect_refused(sort(device, uneven), n, 5, "keys");
  temp_storage memory(256);
  expect_refused(argsort(device.with(memory), keys.values(), out.room()),
                 argsort_temp_storage_bytes<std::uint32_t>(n), 256);
  for (const auto* buffer : {&keys, &out, &items, &items_out}) EXPECT_EQ(buffer->read(), values);
}

}  // namespace
}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
