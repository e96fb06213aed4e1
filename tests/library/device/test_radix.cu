// The radix sort by itself, in small tiles and portions, so that few rows take many of both.
#include <cuda_fp16.h>

#include "tests/library/device/radix_test.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

using detail::key_value_view, detail::keys_only, detail::radix_range;

class device_radix : public device_test {};

/// 256 rows a tile, three tiles a portion.
using small_shape = tuning::radix_shape<64, 4, 1, 2, 768>;
using small_vote_shape = tuning::radix_shape<64, 4, 1, 1, 768, tuning::radix_ranking::by_votes>;
using small_packed_shape =
    tuning::radix_shape<64, 4, 1, 1, 768, tuning::radix_ranking::by_votes, true>;
template <class K, class V>
using small_shape_for = std::conditional_t<
    std::is_same_v<V, keys_only>, small_shape,
    std::conditional_t<sizeof(K) == 4 && sizeof(V) == 4, small_packed_shape, small_vote_shape>>;

/// Where rows end: in another buffer, where they were, or in either of two.
enum class place { out, in, exchangeable };
constexpr place everywhere[] = {place::out, place::in, place::exchangeable};

/// All rows lie `shift` places behind the beginning of their memory.
template <class K, class V, class Order = ascending, class Shape = small_shape_for<K, V>>
void expect_radix_sorts(const std::vector<K>& keys, place where,
                        radix_range range = {0, 8 * sizeof(K)}, std::size_t shift = 0) {
  const bool in_place = where != place::out;
  SCOPED_TRACE(testing::Message() << keys.size() << " keys of " << sizeof(K) << " bytes, bits "
                                  << range.begin << " to " << range.end << ", to place "
                                  << static_cast<int>(where));
  using view = key_value_view<K, V>;
  const std::size_t n = keys.size();
  const auto shifted = [&](auto values) {
    values.insert(values.begin(), shift, {});
    return values;
  };
  const device_buffer<K> in(shifted(keys)), out(n + shift), spare(n + shift);
  constexpr bool pairs = !std::is_same_v<V, keys_only>;
  using item = std::conditional_t<pairs, V, char>;
  const auto items = numbered<item>(n);
  const device_buffer<item> items_in(shifted(items)), items_out(n + shift), items_spare(n + shift);
  const auto rows = [&](const device_buffer<K>& k, const device_buffer<item>& v) {
    if constexpr (pairs) {
      return view{k.data() + shift, v.data() + shift};
    } else {
      return view{k.data() + shift, nullptr};
    }
  };
  const auto read = [&](const auto& buffer) {
    auto values = buffer.read();
    values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(shift));
    return values;
  };
  // What is left over from other calls must not matter.
  const device_buffer<std::uint64_t> work(std::vector<std::uint64_t>(
      detail::radix_memory::bytes<Shape>(n) / 8 + 1, 0x5555'5555'5555'5555));
  const auto from = rows(in, items_in);
  const auto to = in_place ? from : rows(out, items_out);
  bool in_spare = false;
  const detail::sort_buffers<K, V> buffers{from, to, rows(spare, items_spare),
                                           where == place::exchangeable ? &in_spare : nullptr};
  ASSERT_TRUE(detail::radix_sort<Shape>(buffers, n, work.data(), range,
                                        detail::radix_order<K, Order>{}, device.stream())
                  .ok());
  EXPECT_EQ(in_spare, where == place::exchangeable && range.passes() % 2 == 1);
  const auto places = places_of(keys, bits_less<K, Order>{range.begin, range.end});
  EXPECT_TRUE(same_bits(read(in_spare ? spare : in_place ? in : out), at_places(keys, places)));
  if (!in_place) {
    EXPECT_TRUE(same_bits(read(in), keys));
  }
  if constexpr (pairs) {
    EXPECT_TRUE(same_bits(read(in_spare   ? items_spare
                               : in_place ? items_in
                                          : items_out),
                          at_places(items, places)));
    if (!in_place) {
      EXPECT_TRUE(same_bits(read(items_in), items));
    }
  }
}

/// Keys that differ in both halves, and some in the lower one alone.
std::vector<__int128> wide_values(std::size_t n) {
  const auto high = random_values<std::int64_t>(n), low = random_values<std::int64_t>(n, 2);
  std::vector<__int128> values;
  for (std::size_t i = 0; i < n; ++i) {
    values.push_back(static_cast<__int128>(high[i] % 7) << 64 ^ low[i]);
  }
  return values;
}

/// What the radix sort is told to do with the numbers of rows.
template <class Item, class Along>
void expect_sorts_by_number(const std::vector<std::uint32_t>& keys, bool in_place,
                            radix_range range, const std::vector<Item>& items, Along along_to) {
  SCOPED_TRACE(testing::Message() << keys.size() << " keys, items of " << sizeof(Item)
                                  << (in_place ? " bytes, in place" : " bytes"));
  using view = key_value_view<std::uint32_t, std::uint32_t>;
  const std::size_t n = keys.size();
  const device_buffer<std::uint32_t> in(keys), out(n), spare(n), numbers(n), spare_numbers(n);
  const device_buffer<Item> items_in(items), items_out(n);
  const device_buffer<std::uint64_t> work(detail::radix_memory::bytes<small_packed_shape>(n) / 8 +
                                          1);
  const view from{in.data(), nullptr}, to{in_place ? in.data() : out.data(), numbers.data()};
  const detail::sort_buffers<std::uint32_t, std::uint32_t> buffers{
      from, to, {spare.data(), spare_numbers.data()}};
  const auto along = along_to(items_in.data(), items_out.data());
  ASSERT_TRUE(detail::radix_sort<small_packed_shape>(
                  buffers, n, work.data(), range, detail::radix_order<std::uint32_t, ascending>{},
                  device.stream(), along)
                  .ok());
  const auto places = places_of(keys, bits_less<std::uint32_t, ascending>{range.begin, range.end});
  if constexpr (requires { along.from; }) {
    EXPECT_TRUE(same_bits(items_out.read(), at_places(items, places)));
    EXPECT_TRUE(same_bits(items_in.read(), items));
  } else {
    const auto all = numbered<std::uint32_t>(n);
    const bool in_spare = detail::ends_in_spare(in_place, range.passes());
    EXPECT_TRUE(same_bits((in_spare ? spare_numbers : numbers).read(), at_places(all, places)));
  }
  EXPECT_TRUE(same_bits((in_place ? in : out).read(), at_places(keys, places)));
}
/// Items, and numbers alone.
template <class Item>
void expect_sorts_by_number(const std::vector<std::uint32_t>& keys, radix_range range) {
  const auto items = numbered<Item>(keys.size());
  for (const bool in_place : {false, true}) {
    expect_sorts_by_number(keys, in_place, range, items, [](const Item* from, Item* to) {
      return detail::numbered_items<Item>{from, to};
    });
    expect_sorts_by_number(keys, in_place, range, items,
                           [](const Item*, Item*) { return detail::numbers{}; });
  }
}

TEST_F(device_radix, items_by_their_numbers) {
  for (const radix_range range : {radix_range{0, 32}, {4, 12}, {8, 32}}) {
    for (const auto& keys : looks<std::uint32_t>(1111)) {  // some are all equal
      expect_sorts_by_number<item_of<3, 1>>(keys, range);
      expect_sorts_by_number<item_of<16, 16>>(keys, range);
      expect_sorts_by_number<item_of<24, 8>>(keys, range);
    }
  }
  for (const std::size_t n : {1U, 31U, 256U, 769U}) {
    expect_sorts_by_number<item_of<20, 4>>(random_values<std::uint32_t>(n), {0, 32});
  }
}

TEST_F(device_radix, large_items_and_indices_of_many_rows) {
  if (on_cpu) return;  // sizes of a GPU's tiles
  for (const std::size_t n : {600'001U, 2'100'000U, 5'000'001U}) {
    for (const auto& keys : looks<std::uint32_t>(n)) {
      expect_sorts_by_key<item_of<16, 16>>(keys, ascending{});
      expect_sorts_by_key<item_of<12, 4>>(keys, descending{}, n % 3);
      expect_sorts_by_key<item_of<64, 16>>(keys, ascending{});
    }
    expect_sorts_by_key<item_of<16, 16>>(random_values<std::uint64_t>(n), descending{});
    expect_sorts_by_key<item_of<40, 8>>(random_values<std::uint8_t>(n), ascending{});
    expect_sorts_by_key<item_of<3, 1>>(std::vector<std::uint8_t>(n, 7), ascending{});
    expect_sorts_by_key<item_of<33, 1>>(random_values<std::uint16_t>(n), by_bits(0, 4));
  }
}

TEST_F(device_radix, any_number_of_rows) {
  for (const std::size_t n : {1U, 2U, 255U, 256U, 257U, 768U, 769U, 1536U, 2047U}) {
    expect_radix_sorts<std::uint16_t, std::uint32_t>(random_values<std::uint16_t>(n),
                                                     everywhere[n % 3]);
  }
}

TEST_F(device_radix, keys_and_items_of_every_size) {
  for (const place where : everywhere) {
    expect_radix_sorts<std::uint8_t, keys_only>(random_values<std::uint8_t>(1000), where);
    expect_radix_sorts<std::int8_t, std::uint8_t>(random_values<std::int8_t>(1000), where);
    expect_radix_sorts<std::int32_t, keys_only>(random_values<std::int32_t>(1000), where);
    expect_radix_sorts<float, std::uint16_t>(random_values<float>(1000), where);
    expect_radix_sorts<double, std::uint64_t>(random_values<double>(1000), where);
    expect_radix_sorts<__half, keys_only>(random_values<__half>(1000), where);
    expect_radix_sorts<__int128, keys_only>(wide_values(1000), where);
    expect_radix_sorts<std::uint16_t, std::uint32_t, descending>(random_values<std::uint16_t>(1000),
                                                                 where);
  }
}

TEST_F(device_radix, either_ranking_takes_items_or_none) {
  const auto keys = random_values<std::uint32_t>(1000);
  expect_radix_sorts<std::uint32_t, keys_only, ascending, small_vote_shape>(keys, place::out);
  expect_radix_sorts<std::uint32_t, std::uint16_t, ascending, small_shape>(keys, place::in);
}

TEST_F(device_radix, pairs_of_four_bytes_from_any_address) {
  for (const std::size_t n : {1U, 2U, 255U, 513U, 768U, 1025U, 1536U, 1999U}) {
    for (const std::size_t shift : {0U, 1U, 2U}) {
      for (const place where : everywhere) {
        expect_radix_sorts<float, std::uint32_t>(random_values<float>(n), where, {0, 32}, shift);
      }
    }
  }
  const auto keys = random_values<std::uint32_t>(1000);
  for (const place where : everywhere) {
    expect_radix_sorts<std::uint32_t, std::uint32_t, ascending, small_vote_shape>(keys, where);
  }
}

TEST_F(device_radix, keys_of_every_look) {
  for (const auto& keys : looks<std::uint32_t>(1100)) {
    for (const place where : everywhere) {
      expect_radix_sorts<std::uint32_t, std::uint32_t>(keys, where);
    }
  }
}

TEST_F(device_radix, digits_that_are_all_the_same_are_left_out) {
  for (const std::uint32_t mask : {0xffU, 0xff00ff00U, 0xffff00U, 0x00ffffffU, 0xff000000U}) {
    auto keys = random_values<std::uint32_t>(900);
    for (std::uint32_t& k : keys) k = (k & mask) | 0x12345678U;
    for (const place where : everywhere) {
      expect_radix_sorts<std::uint32_t, std::uint32_t>(keys, where);
    }
  }
}

TEST_F(device_radix, any_range_of_bits) {
  const auto keys = random_values<std::uint32_t>(900);
  for (const radix_range range : {radix_range{0, 1}, {5, 13}, {3, 20}, {8, 32}, {30, 32}}) {
    for (const place where : everywhere) {
      expect_radix_sorts<std::uint32_t, std::uint32_t>(keys, where, range);
      expect_radix_sorts<std::uint32_t, std::uint32_t, descending>(keys, where, range);
    }
  }
}

#if defined(SIMT_KERNELS)
/// Wavefronts of shared memory that a tile's stores take.
std::size_t store_wavefronts(const std::vector<std::uint32_t>& keys) {
  using shape = tuning::radix_tile<4>;
  const std::size_t n = keys.size();
  const device_buffer<std::uint32_t> in(keys), spare(n);
  const device_buffer<std::uint64_t> work(detail::radix_memory::bytes<shape>(n) / 8 + 1);
  using view = key_value_view<std::uint32_t, keys_only>;
  const view rows{in.data(), nullptr};
  const detail::sort_buffers<std::uint32_t, keys_only> buffers{rows, rows, {spare.data(), nullptr}};
  const simt::observe counted{{.count = true}};
  EXPECT_TRUE(detail::radix_sort<shape>(buffers, n, work.data(), {0, 8},
                                        detail::radix_order<std::uint32_t, ascending>{},
                                        device.stream())
                  .ok());
  return counted.total.shared_store.wavefronts;
}

TEST_F(device_radix, sorted_keys_are_put_without_meeting_in_a_bank) {
  using order = detail::radix_order<std::uint32_t, ascending>;
  if (!detail::takes_radix_tile<tuning::radix_tile<4>, order, detail::keys_only>()) {
    GTEST_SKIP() << "a block of this card has too little shared memory for large tiles";
  }
  std::vector<std::uint32_t> sorted(tuning::radix_tile<4>::rows);
  for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i] = static_cast<std::uint32_t>(16 * i);
  // Those of digits' words still meet. If the keys did, too, it would be five times as many.
  EXPECT_LE(2 * store_wavefronts(sorted),
            5 * store_wavefronts(random_values<std::uint32_t>(sorted.size())));
}
#endif

TEST_F(device_radix, keys_from_any_address) {
  if (on_cpu) return;  // sizes of a GPU's tiles
  for (const std::size_t n : {1048577U, 4194303U, 20000003U}) {
    for (const auto& keys : looks<std::uint32_t>(n)) expect_sorts(keys, ascending{}, n % 4);
    expect_sorts(random_values<std::uint8_t>(n), descending{}, n % 16);
    expect_sorts(random_values<float>(n), ascending{}, 1);
  }
}

}  // namespace
}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
