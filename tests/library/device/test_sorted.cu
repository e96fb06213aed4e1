// Merges of sorted ranges and searches through their public calls, on the CPU machine and on CUDA.
#include <cmath>
#include <limits>

#include "tests/library/device/device_sort_test.hpp"
#include "warpfold/merge.hpp"
#include "warpfold/search.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

class device_merge : public device_test {};
class device_merge_runs : public device_test {};
class device_search : public device_test {};

/// A key or an item of any size: its first byte decides first, the others break some ties.
template <std::size_t Bytes>
struct object {
  unsigned char byte[Bytes];
};
struct by_first_byte {
  template <std::size_t Bytes>
  __host__ __device__ bool operator()(const object<Bytes>& a, const object<Bytes>& b) const {
    return a.byte[0] < b.byte[0];
  }
};

template <class K>
std::vector<K> random_keys(std::size_t n, unsigned seed) {
  if constexpr (std::is_arithmetic_v<K>) {
    return random_values<K>(n, seed);
  } else {
    const auto bytes = random_values<unsigned char>(n * sizeof(K), seed);
    std::vector<K> keys(n);
    if (n > 0) std::memcpy(static_cast<void*>(keys.data()), bytes.data(), bytes.size());
    return keys;
  }
}
template <class T>
std::vector<T> joined(std::vector<T> a, const std::vector<T>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Merges a and b, which are sorted here, alone and with items. As both are sorted, a stable sort
/// of the two, one behind the other, is what std::merge gives.
template <class V, class K, class Less = ascending>
void expect_merges(std::vector<K> a, std::vector<K> b, Less less = {}, std::size_t offset = 0) {
  SCOPED_TRACE(testing::Message() << a.size() << " and " << b.size() << " keys of " << sizeof(K)
                                  << " bytes, items of " << sizeof(V) << ", from " << offset);
  std::stable_sort(a.begin(), a.end(), less);
  std::stable_sort(b.begin(), b.end(), less);
  const auto keys = joined(a, b);
  std::vector<K> expected;
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected), less);
  const device_buffer<K> in_a(a, offset), in_b(b, 2 * offset), out(keys.size() + 3, offset),
      pairs(keys.size());
  const auto before = out.read();
  ASSERT_TRUE(merge(device, in_a.values(), in_b.values(), out.room(), less).ok());
  const auto behind = std::vector<K>(before.end() - 3, before.end());
  EXPECT_TRUE(same_bits(out.read(), joined(expected, behind)));
  const auto items = numbered<V>(keys.size());
  const auto middle = items.begin() + static_cast<std::ptrdiff_t>(a.size());
  const device_buffer<V> a_items(std::vector<V>(items.begin(), middle), offset),
      b_items(std::vector<V>(middle, items.end())), items_out(keys.size(), offset);
  ASSERT_TRUE(merge_by_key(device, in_a.values(), a_items.values(), in_b.values(), b_items.values(),
                           pairs.room(), items_out.room(), less)
                  .ok());
  EXPECT_TRUE(same_bits(pairs.read(), expected));
  EXPECT_TRUE(same_bits(items_out.read(), at_places(items, places_of(keys, less))));
}
template <class V, class K, class Less = ascending>
void expect_merges(std::size_t a, std::size_t b, Less less = {}, std::size_t offset = 0) {
  expect_merges<V>(random_keys<K>(a, 1), random_keys<K>(b, 2), less, offset);
}

TEST_F(device_merge, any_number_of_keys) {
  for (const std::size_t a : {0U, 1U, 31U, 700U, 896U, 897U, 5003U}) {
    for (const std::size_t b : {0U, 1U, 33U, 895U, 3000U}) {
      expect_merges<std::uint32_t, std::uint32_t>(a, b);
      expect_merges<std::uint64_t, std::int64_t>(a, b, descending{}, 1);
    }
  }
  expect_merges<std::uint32_t, std::uint32_t>(270'001, 100'003);  // tiles of middle size
  if (on_cpu) return;
  for (const std::size_t n : {1U << 20, 2'500'003U, 30'000'001U}) {
    expect_merges<std::uint32_t, std::uint32_t>(n, n / 3);
    expect_merges<std::uint64_t, std::uint64_t>(n / 3, n);
    expect_merges<object<12>, float>(n, n / 7);
  }
}

TEST_F(device_merge, large_tiles) {
  const auto a = random_values<std::uint8_t>(60'001), b = random_values<std::uint8_t>(5'003, 2);
  auto sorted_a = a, sorted_b = b;
  std::sort(sorted_a.begin(), sorted_a.end());
  std::sort(sorted_b.begin(), sorted_b.end());
  const device_buffer<std::uint8_t> in_a(sorted_a), in_b(sorted_b), out(a.size() + b.size());
  using view = detail::key_value_view<std::uint8_t, detail::keys_only>;
  ASSERT_TRUE(detail::merge_pass(view{in_a.data(), nullptr}, view{out.data(), nullptr}, out.size(),
                                 detail::two_runs<view>{a.size(), {in_b.data(), nullptr}}, nullptr,
                                 detail::radix_order<std::uint8_t, ascending>{},
                                 tuning::large_merges<1>, device.stream())
                  .ok());
  auto expected = joined(a, b);
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(out.read(), expected);
  const device_buffer<std::uint8_t> again(out.size());
  ASSERT_TRUE(
      detail::merge_partitioned(view{in_a.data(), nullptr}, a.size(), view{in_b.data(), nullptr},
                                out.size(), view{again.data(), nullptr},
                                detail::radix_order<std::uint8_t, ascending>{}, device.stream())
          .ok());
  EXPECT_EQ(again.read(), expected);
}

TEST_F(device_merge, few_against_many_and_all_ties) {
  expect_merges<std::uint32_t, std::uint32_t>(20'000, 2);
  expect_merges<std::uint32_t, std::uint32_t>(3, 20'000);
  for (const std::size_t n : {500U, 4000U}) {
    const std::vector<std::uint32_t> ties(n, 7), others(n / 2, 9);
    expect_merges<std::uint32_t>(ties, ties);
    expect_merges<object<16>>(ties, ties);
    expect_merges<std::uint32_t>(ties, others);
    expect_merges<std::uint32_t>(others, ties);
    auto few = random_values<std::uint32_t>(n);
    for (auto& k : few) k %= 3;
    expect_merges<std::uint32_t>(few, few, by_bits(0, 1));
  }
}

TEST_F(device_merge, any_type) {
  expect_merges<std::uint8_t, std::int8_t>(3001, 999, descending{}, 3);
  expect_merges<object<3>, std::uint16_t>(3001, 999, ascending{}, 1);
  expect_merges<object<4>, std::uint64_t>(3001, 999, ascending{}, 1);
  expect_merges<object<12>, std::uint32_t>(3001, 999, ascending{}, 3);
  expect_merges<object<32>, double>(3001, 999);
  expect_merges<uint4, std::uint32_t>(3001, 999, ascending{}, 3);
  expect_merges<std::uint32_t, object<3>>(3001, 999, by_first_byte{}, 1);
  expect_merges<std::uint64_t, object<20>>(3001, 999, by_first_byte{});
  expect_merges<std::uint16_t, object<32>>(3001, 999, by_first_byte{});
  expect_merges<std::uint32_t, object<40>>(3001, 999, by_first_byte{}, 1);
  expect_merges<object<100>, object<1000>>(301, 99, by_first_byte{}, 1);
}

TEST_F(device_merge, nan_and_zeros_as_a_sort_has_them) {
  auto keys = random_values<float>(2001);
  for (std::size_t i = 0; i < keys.size(); i += 7) keys[i] = i % 2 == 0 ? 0.0F : -0.0F;
  for (std::size_t i = 3; i < keys.size(); i += 11) keys[i] = std::nanf("");
  keys[5] = -std::nanf("");
  keys[6] = std::numeric_limits<float>::infinity();
  expect_merges<std::uint32_t>(keys, keys, ascending{});
  expect_merges<std::uint32_t>(keys, keys, descending{});
}

TEST_F(device_merge, what_is_refused_writes_nothing) {
  const std::vector<std::uint32_t> sorted(100, 4);
  const device_buffer<std::uint32_t> a(sorted), b(sorted), out(200), items(100);
  const auto before = out.read();
  expect_refused(merge(device, a.values(), b.values(), out.room().first(199)), 200, 199, "keys");
  expect_refused(merge_by_key(device, a.values(), items.values().first(99), b.values(),
                              items.values(), out.room(), device_buffer<std::uint32_t>(200).room()),
                 100, 99, "items");
  expect_refused(merge_by_key(device, a.values(), items.values(), b.values(), items.values(),
                              out.room(), device_buffer<std::uint32_t>(150).room()),
                 200, 150, "items");
  EXPECT_EQ(out.read(), before);
  const device_buffer<std::uint32_t> all(300);
  EXPECT_FALSE(merge(device, all.values().first(100), b.values(), all.room().subspan(99)).ok());
  EXPECT_FALSE(merge_by_key(device, a.values(), items.values(), b.values(), items.values(),
                            all.room().first(200), all.room().subspan(100))
                   .ok());
  EXPECT_FALSE(merge(device, a.values(), b.values(), out.room(), by_bits(0, 33)).ok());
  EXPECT_TRUE(merge(device, a.values(), all.values().first(0), out.room()).ok());
}

/// Runs of such lengths among `keys`, which are sorted here, from row `skipped` on.
template <class Offset, class K, class Less>
std::vector<Offset> sort_runs(std::vector<K>& keys, const std::vector<std::size_t>& lengths,
                              std::size_t skipped, Less less) {
  std::vector<Offset> offsets{static_cast<Offset>(skipped)};
  for (const std::size_t length : lengths) {
    const auto begin = keys.begin() + static_cast<std::ptrdiff_t>(offsets.back());
    std::stable_sort(begin, begin + static_cast<std::ptrdiff_t>(length), less);
    offsets.push_back(static_cast<Offset>(static_cast<std::size_t>(offsets.back()) + length));
  }
  return offsets;
}

/// Merges runs of such lengths, alone and with items; 3 keys and items belong to none. As each run
/// is sorted, the result is what a stable sort of all makes of them.
template <class V, class K, class Offset = std::uint32_t, class Less = ascending>
void expect_merged_runs(std::vector<K> keys, const std::vector<std::size_t>& lengths,
                        Less less = {}, std::size_t offset = 0) {
  SCOPED_TRACE(testing::Message() << lengths.size() << " runs of " << keys.size() << " keys of "
                                  << sizeof(K) << " bytes, items of " << sizeof(V) << ", from "
                                  << offset);
  const std::size_t skipped = 2, n = keys.size() - 3;
  const auto offsets = sort_runs<Offset>(keys, lengths, skipped, less);
  ASSERT_EQ(static_cast<std::size_t>(offsets.back()), n + skipped);
  const auto first = static_cast<std::ptrdiff_t>(skipped), last = static_cast<std::ptrdiff_t>(n);
  const std::vector<K> in_runs(keys.begin() + first, keys.begin() + first + last);
  const auto places = places_of(in_runs, less);
  const auto expected = at_places(in_runs, places);
  const device_buffer<K> in(keys, offset), out(keys.size(), 2 * offset), pairs(keys.size(), offset);
  const device_buffer<Offset> runs(offsets);
  const device_buffer<std::size_t> refused(std::vector<std::size_t>{9});
  const auto before = out.read();
  const auto behind = std::vector<K>(before.end() - 3, before.end());
  ASSERT_TRUE(
      merge_runs(device, in.values(), runs.values(), out.room(), less, refused.data()).ok());
  EXPECT_EQ(refused.read()[0], 0U);
  EXPECT_TRUE(same_bits(out.read(), joined(expected, behind)));

  const auto items = numbered<V>(keys.size());
  const std::vector<V> of_runs(items.begin() + first, items.begin() + first + last);
  const device_buffer<V> items_in(items, offset), items_out(keys.size(), offset);
  const auto items_before = items_out.read();
  const std::vector<V> items_behind(items_before.end() - 3, items_before.end());
  const temp_storage memory(merge_runs_temp_storage_bytes<K, V>(keys.size(), lengths.size()));
  ASSERT_TRUE(merge_runs_by_key(device.with(memory), in.values(), items_in.values(), runs.values(),
                                pairs.room(), items_out.room(), less)
                  .ok());
  EXPECT_TRUE(same_bits(std::vector<K>(pairs.read()), joined(expected, behind)));
  EXPECT_TRUE(same_bits(items_out.read(), joined(at_places(of_runs, places), items_behind)));
}

/// So many lengths that n rows come to: of about the same, or mostly few and some with almost all.
std::vector<std::size_t> lengths_of(std::size_t n, std::size_t runs, bool uneven,
                                    unsigned seed = 1) {
  std::vector<std::size_t> ends = {0, n};
  const auto random = random_values<std::uint32_t>(runs, seed);
  for (std::size_t i = 1; i < runs; ++i) {
    ends.push_back(uneven ? random[i] % 3 == 0 ? random[i] % (n + 1) : n / 2 : i * n / runs);
  }
  std::sort(ends.begin(), ends.end());
  std::vector<std::size_t> lengths;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) lengths.push_back(ends[i + 1] - ends[i]);
  return lengths;
}

TEST_F(device_merge_runs, any_number_of_runs) {
  for (const std::size_t runs : {1U, 2U, 3U, 4U, 5U, 8U, 9U, 16U, 17U, 65U, 700U}) {
    for (const std::size_t n : {0U, 1U, 7U, 900U, 5003U}) {
      for (const bool uneven : {false, true}) {
        const auto lengths = lengths_of(n, runs, uneven);
        expect_merged_runs<std::uint32_t>(random_keys<std::uint32_t>(n + 3, 1), lengths);
        auto few = random_keys<std::int64_t>(n + 3, 2);
        for (auto& k : few) k %= 5;
        expect_merged_runs<std::uint16_t, std::int64_t, std::int64_t>(few, lengths, descending{},
                                                                      1);
      }
    }
  }
  if (on_cpu) return;
  for (const std::size_t n : {1U << 20, 5'000'003U}) {
    for (const std::size_t runs : {3U, 8U, 100U, 5000U}) {
      for (const bool uneven : {false, true}) {
        const auto lengths = lengths_of(n, runs, uneven);
        expect_merged_runs<std::uint32_t>(random_keys<std::uint32_t>(n + 3, 1), lengths);
        expect_merged_runs<std::uint32_t>(random_keys<std::uint64_t>(n + 3, 1), lengths);
        expect_merged_runs<object<12>>(random_keys<float>(n + 3, 1), lengths);
      }
    }
  }
}

/// The tiles of many rows, which few rows do not take.
TEST_F(device_merge_runs, large_tiles) {
  for (const bool uneven : {false, true}) {
    for (const std::size_t runs : {4U, 8U, 11U}) {
      const auto lengths = lengths_of(40'000, runs, uneven);
      auto keys = random_values<std::uint16_t>(40'000);
      const auto offsets = sort_runs<std::uint32_t>(keys, lengths, 0, ascending{});
      const device_buffer<std::uint16_t> in(keys), out(keys.size()), spare(keys.size());
      const device_buffer<std::uint32_t> where(offsets);
      const device_buffer<std::size_t> partitions(8 * 100);
      using view = detail::key_value_view<std::uint16_t, detail::keys_only>;
      const auto merge_by = [&]<unsigned Ways>(std::integral_constant<unsigned, Ways>) {
        return detail::merge_in_passes<Ways, tuning::tile_shape<256, 33, 3>>(
            detail::sort_buffers<std::uint16_t, detail::keys_only>{
                view{in.data(), nullptr}, view{out.data(), nullptr}, view{spare.data(), nullptr}},
            detail::run_offsets<std::uint32_t>{where.data(), runs, keys.size()}, partitions.data(),
            detail::radix_order<std::uint16_t, ascending>{}, device.stream());
      };
      ASSERT_TRUE((detail::runs_plan(runs).ways == 4
                       ? merge_by(std::integral_constant<unsigned, 4>())
                       : merge_by(std::integral_constant<unsigned, 8>()))
                      .ok());
      std::sort(keys.begin(), keys.end());
      EXPECT_EQ(out.read(), keys);
    }
  }
}

TEST_F(device_merge_runs, any_type) {
  const auto lengths = lengths_of(4000, 10, true), few = lengths_of(300, 6, false);
  expect_merged_runs<std::uint8_t>(random_keys<std::int8_t>(4003, 1), lengths, descending{}, 3);
  expect_merged_runs<object<3>>(random_keys<std::uint16_t>(4003, 1), lengths, ascending{}, 1);
  expect_merged_runs<object<12>>(random_keys<std::uint32_t>(4003, 1), lengths, ascending{}, 3);
  expect_merged_runs<double>(random_keys<object<20>>(4003, 1), lengths, by_first_byte{});
  expect_merged_runs<std::uint64_t>(random_keys<object<32>>(4003, 1), lengths, by_first_byte{});
  expect_merged_runs<std::uint32_t>(random_keys<object<40>>(4003, 1), lengths, by_first_byte{}, 1);
  expect_merged_runs<object<1000>>(random_keys<object<100>>(303, 1), few, by_first_byte{}, 1);
  const std::vector<std::uint32_t> ties(4003, 7);
  expect_merged_runs<std::uint32_t>(ties, lengths);
  auto floats = random_keys<float>(4003, 1);
  for (std::size_t i = 0; i < floats.size(); i += 7) floats[i] = i % 2 == 0 ? 0.0F : -0.0F;
  for (std::size_t i = 3; i < floats.size(); i += 11) floats[i] = std::nanf("");
  expect_merged_runs<std::uint32_t>(floats, lengths);
}

TEST_F(device_merge_runs, what_is_refused_writes_nothing) {
  const device_buffer<std::uint32_t> keys(std::vector<std::uint32_t>(100, 4)), out(100), items(100);
  const device_buffer<int> offsets(std::vector<int>{0, 40, 100});
  const auto before = out.read();
  expect_refused(merge_runs(device, keys.values(), offsets.values(), out.room().first(99)), 100, 99,
                 "keys");
  expect_refused(merge_runs_by_key(device, keys.values(), items.values().first(99),
                                   offsets.values(), out.room(), keys.room()),
                 100, 99, "items");
  EXPECT_FALSE(merge_runs(device, keys.values(), offsets.values(), keys.room()).ok());
  EXPECT_FALSE(
      merge_runs(device, keys.values(), offsets.values(), out.room(), by_bits(0, 33)).ok());
  const temp_storage small(1);
  EXPECT_FALSE(merge_runs(device.with(small), keys.values(), offsets.values(), out.room()).ok());
  EXPECT_EQ(out.read(), before);
  EXPECT_TRUE(merge_runs(device, keys.values(), offsets.values().first(0), out.room()).ok());
  EXPECT_TRUE(merge_runs(device, keys.values(), offsets.values().first(1), out.room()).ok());
  EXPECT_EQ(out.read(), before);
}

TEST_F(device_merge_runs, wrong_offsets_are_counted_and_nothing_is_written) {
  const auto expect_counted = [](const std::vector<int>& offsets, std::size_t wrong) {
    SCOPED_TRACE(testing::PrintToString(offsets));
    const std::size_t n = 3000;
    const device_buffer<std::uint32_t> keys(random_values<std::uint32_t>(n)), out(n);
    const device_buffer<object<40>> wide(random_keys<object<40>>(n, 2)), wide_out(n);
    const device_buffer<int> runs(offsets);
    const device_buffer<std::size_t> refused(1);
    const auto before = out.read();
    const auto wide_before = wide_out.read();
    const auto expect_nothing = [&](std::size_t* count) {
      ASSERT_TRUE(merge_runs(device, keys.values(), runs.values(), out.room(), {}, count).ok());
      EXPECT_EQ(out.read(), before);
      if (count != nullptr) EXPECT_EQ(refused.read()[0], wrong);
      ASSERT_TRUE(
          merge_runs(device, wide.values(), runs.values(), wide_out.room(), by_first_byte{}, count)
              .ok());
      EXPECT_TRUE(same_bits(wide_out.read(), wide_before));
      if (count != nullptr) EXPECT_EQ(refused.read()[0], wrong);
    };
    expect_nothing(nullptr);
    expect_nothing(refused.data());
  };
  expect_counted({0, 1000, 3001}, 1);
  expect_counted({0, 2000, 1000, 3000}, 1);
  expect_counted({-1, 1000, 3000}, 1);
  expect_counted({3000, 2000, 1000, 0}, 3);
  expect_counted({5, 2999, 4, 2998, 3, 2997, 2, 2996, 1, 3000, 0, 1 << 30, -7}, 7);
  std::vector<int> many(500);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<int>(i);
  many[400] = 7;
  expect_counted(many, 1);
}

/// Nothing outside the ranges is read or written, and searches end.
TEST_F(device_merge_runs, of_keys_that_are_not_sorted) {
  for (const std::size_t runs : {2U, 8U, 20U}) {
    const std::size_t n = 9000;
    const device_buffer<std::uint32_t> keys(random_values<std::uint32_t>(n)), out(n);
    std::vector<std::size_t> offsets;
    for (std::size_t i = 0; i <= runs; ++i) offsets.push_back(n * i / runs);
    ASSERT_TRUE(
        merge_runs(device, keys.values(), device_buffer<std::size_t>(offsets).values(), out.room())
            .ok());
    (void)out.read();
  }
}

template <class Index, class K, class Less = ascending>
void expect_found(std::vector<K> keys, const std::vector<K>& needles, Less less = {},
                  std::size_t offset = 0) {
  SCOPED_TRACE(testing::Message() << needles.size() << " needles among " << keys.size()
                                  << " keys of " << sizeof(K) << " bytes");
  std::stable_sort(keys.begin(), keys.end(), less);
  std::vector<Index> lower, upper;
  for (const K& needle : needles) {
    const auto [low, high] = std::equal_range(keys.begin(), keys.end(), needle, less);
    lower.push_back(static_cast<Index>(low - keys.begin()));
    upper.push_back(static_cast<Index>(high - keys.begin()));
  }
  const device_buffer<K> sorted(keys, offset), wanted(needles, offset);
  const device_buffer<Index> low(needles.size()), high(needles.size()), both(2 * needles.size());
  ASSERT_TRUE(lower_bound(device, sorted.values(), wanted.values(), low.room(), less).ok());
  EXPECT_EQ(low.read(), lower);
  ASSERT_TRUE(upper_bound(device, sorted.values(), wanted.values(), high.room(), less).ok());
  EXPECT_EQ(high.read(), upper);
  const auto first = both.room().first(needles.size()), last = both.room().last(needles.size());
  ASSERT_TRUE(equal_range(device, sorted.values(), wanted.values(), first, last, less).ok());
  EXPECT_EQ(both.read(), joined(lower, upper));
}

TEST_F(device_search, any_number_of_keys_and_needles) {
  for (const std::size_t n : {0U, 1U, 2U, 3U, 100U, 5003U}) {
    for (const std::size_t needles : {0U, 1U, 257U, 1025U, 3000U}) {
      auto keys = random_values<std::uint32_t>(n), wanted = random_values<std::uint32_t>(needles);
      expect_found<std::uint32_t>(keys, wanted);
      for (auto& k : keys) k %= 50;
      for (auto& k : wanted) k %= 60;
      expect_found<std::int64_t>(keys, wanted, descending{});
    }
  }
  expect_found<std::uint64_t>(random_keys<object<20>>(999, 1), random_keys<object<20>>(400, 2),
                              by_first_byte{}, 1);
  expect_found<std::int32_t>(random_values<std::int8_t>(999), random_values<std::int8_t>(400, 2));
  auto floats = random_values<float>(500);
  floats[3] = std::nanf("");
  floats[4] = -0.0F;
  floats[5] = 0.0F;
  expect_found<std::uint32_t>(floats, floats);
  expect_found<std::uint32_t>(floats, floats, descending{});
}

TEST_F(device_search, what_is_refused_writes_nothing) {
  const device_buffer<std::uint32_t> keys(std::vector<std::uint32_t>(50, 1)), needles(30), out(29);
  const auto before = out.read();
  expect_refused(lower_bound(device, keys.values(), needles.values(), out.room()), 30, 29,
                 "indices");
  EXPECT_FALSE(upper_bound(device, keys.values(), needles.values(), needles.room()).ok());
  EXPECT_FALSE(equal_range(device, keys.values(), needles.values().first(9), out.room().first(9),
                           out.room().subspan(8))
                   .ok());
  EXPECT_FALSE(
      lower_bound(device, keys.values(), needles.values().first(9), out.room(), by_bits(9, 3))
          .ok());
  // Never read: refused before that.
  const std::span<const std::uint32_t> many(keys.data(), std::size_t{1} << 32);
  const std::span<std::uint32_t> few = out.room().first(1);
  EXPECT_FALSE(lower_bound(device, many, needles.values().first(1), few).ok());
  EXPECT_EQ(out.read(), before);
}

struct above {
  int limit;
  __host__ __device__ bool operator()(int value) const { return value > limit; }
};

TEST_F(device_search, the_first_index_at_which_something_holds) {
  for (const std::size_t n : {0U, 1U, 2047U, 2048U, 2049U, 70'001U}) {
    std::vector<int> values(n, 3);
    for (const std::size_t at : {std::size_t{0}, n / 2, n - 1, n}) {
      SCOPED_TRACE(testing::Message() << at << " of " << n);
      if (at > n) continue;
      for (std::size_t i = at; i < n; i += 13) values[i] = 9;
      const device_buffer<int> in(values, 1);
      const device_buffer<std::size_t> index(1);
      EXPECT_EQ(find_if(device, in.values(), above{5}), at);
      ASSERT_TRUE(find_if_into(device, in.values(), index.data(), above{5}).ok());
      EXPECT_EQ(index.read()[0], at);
      EXPECT_EQ(any_of(device, in.values(), above{5}), at < n);
      EXPECT_EQ(none_of(device, in.values(), above{5}), at == n);
      EXPECT_EQ(all_of(device, in.values(), above{5}), at == 0 && n <= 1);
      EXPECT_TRUE(all_of(device, in.values(), above{2}));
      EXPECT_EQ(count_if(device, in.values(), above{5}), at < n ? (n - 1 - at) / 13 + 1 : 0);
      std::fill(values.begin(), values.end(), 3);
    }
  }
}

TEST_F(device_search, the_first_index_that_is_out_of_order) {
  for (const std::size_t n : {0U, 1U, 2U, 2049U, 20'001U}) {
    auto values = random_values<float>(n);
    std::sort(values.begin(), values.end());
    if (n > 2) values[n - 1] = std::nanf("");  // the greatest
    const auto until = [&] {
      return is_sorted_until(device, device_buffer<float>(values, 1).values());
    };
    EXPECT_EQ(until(), n);
    EXPECT_EQ(is_sorted(device, device_buffer<float>(values).values(), descending{}), n < 2);
    for (const std::size_t at : {std::size_t{1}, n / 2, n - 1}) {
      if (at == 0 || at >= n) continue;
      const float before = std::exchange(values[at - 1], std::numeric_limits<float>::infinity());
      EXPECT_EQ(until(), at == n - 1 && n > 2 ? n : at) << n;
      values[at - 1] = before;
    }
  }
  const std::vector<std::uint32_t> ties(5000, 3);
  EXPECT_TRUE(is_sorted(device, device_buffer<std::uint32_t>(ties).values()));
  EXPECT_TRUE(is_sorted(device, device_buffer<std::uint32_t>(ties).values(), descending{}));
}

TEST_F(device_search, the_first_index_that_differs) {
  const auto values = random_values<std::uint64_t>(9001);
  const device_buffer<std::uint64_t> a(values), same(values, 1);
  EXPECT_EQ(mismatch(device, a.values(), same.values()), values.size());
  EXPECT_TRUE(equal(device, a.values(), same.values()));
  EXPECT_FALSE(equal(device, a.values(), same.values().first(9000)));
  EXPECT_EQ(mismatch(device, a.values().first(70), same.values()), 70U);
  for (const std::size_t at : {0U, 4096U, 9000U}) {
    auto other = values;
    for (std::size_t i = at; i < other.size(); i += 1000) ++other[i];
    const device_buffer<std::uint64_t> b(other);
    EXPECT_EQ(mismatch(device, a.values(), b.values()), at);
    EXPECT_FALSE(equal(device, a.values(), b.values()));
  }
  const device_buffer<double> nan(std::vector<double>(3, std::nan("")));
  EXPECT_EQ(mismatch(device, nan.values(), nan.values()), 0U);  // a NaN equals nothing
}

/// Any memory may be given; none is needed.
TEST_F(device_search, in_a_stream_and_in_any_memory) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  const workspace memory(reduce_workspace_bytes<std::size_t>());
  const temp_storage scratch(256);
  const auto where = device.on(stream).with(memory).with(scratch);
  const auto keys = random_values<std::uint32_t>(5000);
  const device_buffer<std::uint32_t> in(keys), sorted(keys.size()), places(keys.size());
  const device_buffer<std::size_t> until(1), count(1);
  auto expected = keys;
  std::sort(expected.begin(), expected.end());
  const device_buffer<std::uint32_t> half(
      std::vector<std::uint32_t>(expected.begin(), expected.begin() + 2500)),
      rest(std::vector<std::uint32_t>(expected.begin() + 2500, expected.end()));
  EXPECT_TRUE(merge(where, half.values(), rest.values(), sorted.room()).ok());
  EXPECT_TRUE(lower_bound(where, sorted.values(), in.values(), places.room()).ok());
  EXPECT_TRUE(is_sorted_until_into(where, sorted.values(), until.data()).ok());
  EXPECT_TRUE(count_if_into(where, in.values(), count.data(), above{0}).ok());
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(until.read()[0], keys.size());
  EXPECT_EQ(count.read()[0],
            static_cast<std::size_t>(std::count_if(keys.begin(), keys.end(), above{0})));
  const auto found = places.read();
  for (std::size_t i = 0; i < keys.size(); ++i) ASSERT_EQ(expected[found[i]], keys[i]);
  ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

#if defined(SIMT_KERNELS)
/// One warp after the other, in any order: results have the same bits, and no check has a finding.
TEST_F(device_search, the_same_in_eight_orders) {
  auto keys = random_values<std::uint32_t>(6000);
  for (auto& k : keys) k %= 900;
  for (unsigned seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(seed);
    const simt::observe order({.workers = 1, .check = true, .seed = seed, .patience_seconds = 10});
    expect_merges<std::uint32_t>(keys, std::vector<std::uint32_t>(keys.begin(), keys.end() - 999));
    expect_merges<object<12>>(keys, keys);
    expect_merged_runs<std::uint32_t>(keys, lengths_of(keys.size() - 3, 8, seed % 2 == 0, seed));
    expect_merged_runs<object<12>>(keys, lengths_of(keys.size() - 3, 70, seed % 2 == 0, seed));
    expect_found<std::uint32_t>(keys, keys);
    const device_buffer<std::uint32_t> in(keys);
    EXPECT_EQ(find_if(device, in.values(), above{890}),
              static_cast<std::size_t>(std::find_if(keys.begin(), keys.end(), above{890}) -
                                       keys.begin()));
    for (const auto& f : order.findings) ADD_FAILURE() << f.text();
  }
}
#endif

}  // namespace
}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
