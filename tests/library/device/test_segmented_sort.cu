// Sorts of segments, on the CPU machine and on CUDA.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <cuda_fp16.h>

#include "tests/library/device/device_sort_test.hpp"
#include "warpfold/segmented_sort.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

template <std::size_t Bytes>
struct item_of {
  unsigned char bytes[Bytes];
};

class device_segmented_sort : public device_test {};

/// Segments of `least` to `most` rows up to `last`, the first of which begins at `first`.
std::vector<std::uint32_t> offsets_of(std::size_t last, unsigned least, unsigned most,
                                      std::uint32_t first = 0) {
  std::mt19937 bits(static_cast<unsigned>(last) + most);
  std::vector<std::uint32_t> offsets{first};
  while (offsets.back() < last) {
    const std::size_t end = offsets.back() + least + bits() % (most - least + 1);
    offsets.push_back(static_cast<std::uint32_t>(std::min(end, last)));
  }
  return offsets;
}

/// Where the rows come from if each segment is sorted.
template <class K, class Offset, class Less>
std::vector<std::size_t> places_in_segments(const std::vector<K>& keys,
                                            const std::vector<Offset>& offsets, const Less& less) {
  std::vector<std::size_t> places(keys.size());
  std::iota(places.begin(), places.end(), 0);
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    std::stable_sort(places.begin() + static_cast<std::ptrdiff_t>(offsets[s]),
                     places.begin() + static_cast<std::ptrdiff_t>(offsets[s + 1]),
                     [&](std::size_t a, std::size_t b) { return less(keys[a], keys[b]); });
  }
  return places;
}

template <class V = std::uint32_t, class K, class Offset, class Less = ascending>
void expect_sorted_segments(const std::vector<K>& keys, const std::vector<Offset>& offsets,
                            const Less& less = {}, std::size_t shift = 0) {
  const std::size_t n = keys.size();
  SCOPED_TRACE(testing::Message() << n << " keys of " << sizeof(K) << " bytes, items of "
                                  << sizeof(V) << ", " << offsets.size() << " offsets");
  const auto places = places_in_segments(keys, offsets, less);
  const auto sorted = at_places(keys, places);
  const auto items = numbered<V>(n);
  const auto along = at_places(items, places);
  const device_buffer<Offset> at(offsets);
  const device_buffer<std::size_t> refused(std::vector<std::size_t>{77});

  const device_buffer<K> in(keys, shift), in_place(keys, shift), out(n, shift + 1);
  ASSERT_TRUE(segmented_sort(device, in_place.room(), at.values(), less, refused.data()).ok());
  EXPECT_TRUE(same_bits(in_place.read(), sorted));
  ASSERT_TRUE(segmented_sort(device, in.values(), at.values(), out.room(), less).ok());
  EXPECT_TRUE(same_bits(out.read(), sorted));

  const device_buffer<K> keys_in_place(keys, shift), keys_out(n, shift);
  const device_buffer<V> given(items, shift), items_in_place(items, shift), items_out(n, shift + 1);
  ASSERT_TRUE(segmented_stable_sort_by_key(device, keys_in_place.room(), items_in_place.room(),
                                           at.values(), less)
                  .ok());
  EXPECT_TRUE(same_bits(keys_in_place.read(), sorted));
  EXPECT_TRUE(same_bits(items_in_place.read(), along));
  ASSERT_TRUE(segmented_stable_sort_by_key(device, in.values(), given.values(), at.values(),
                                           keys_out.room(), items_out.room(), less)
                  .ok());
  EXPECT_TRUE(same_bits(keys_out.read(), sorted));
  EXPECT_TRUE(same_bits(items_out.read(), along));

  const device_buffer<std::int32_t> indices(n, shift);
  ASSERT_TRUE(segmented_argsort(device, in.values(), at.values(), indices.room(), less).ok());
  const auto found = indices.read();
  EXPECT_TRUE(std::equal(found.begin(), found.end(), places.begin(), places.end()));
  EXPECT_TRUE(same_bits(in.read(), keys));
  EXPECT_EQ(refused.read()[0], 0U);
}

// Small tiles have 1,120 rows of 4-byte keys, 864 of 8-byte keys and of 4-byte keys with items.
constexpr std::size_t sizes[] = {0, 1, 2, 33, 863, 865, 1119, 1120, 1121, 2305, 9000, 20'011};
constexpr unsigned lengths[] = {1, 3, 32, 33, 400, 1152, 5000, 100'000};

TEST_F(device_segmented_sort, segments_of_any_length) {
  for (const std::size_t n : sizes) {
    for (const unsigned most : lengths) {
      expect_sorted_segments(random_values<std::uint32_t>(n), offsets_of(n, 0, most), ascending{},
                             most % 4);
      if (n > 9000)
        expect_sorted_segments(random_values<std::uint32_t>(n), offsets_of(n, most, most));
    }
  }
  if (!on_cpu) {
    for (const std::size_t n : {1'048'576U, 3'000'017U, 20'000'003U}) {
      for (const unsigned most : {2U, 60U, 3000U, 100'000U, 30'000'000U}) {
        expect_sorted_segments(random_values<std::uint32_t>(n), offsets_of(n, 0, most));
        expect_sorted_segments(random_values<double>(n), offsets_of(n, 0, most), descending{}, 1);
      }
    }
  }
}

TEST_F(device_segmented_sort, a_short_segment_at_the_end_of_a_tile) {
  for (const std::uint32_t rows : {864U, 1120U}) {
    for (const std::uint32_t more : {1U, 5U, 31U}) {
      const auto keys = random_values<std::uint32_t>(rows + more);
      for (const std::uint32_t begin : {rows - 20, rows - 1, rows}) {
        expect_sorted_segments(keys, std::vector<std::uint32_t>{0, begin, rows + more});
        expect_sorted_segments(keys, std::vector<std::uint32_t>{begin, rows + more});
      }
    }
  }
}

TEST_F(device_segmented_sort, keys_and_items_of_all_sizes) {
  for (const std::size_t n : {33U, 4000U}) {
    for (const unsigned most : {20U, 300U, 100'000U}) {
      const auto offsets = offsets_of(n, 0, most);
      expect_sorted_segments<std::uint8_t>(random_values<std::int8_t>(n), offsets, descending{}, 1);
      expect_sorted_segments<double>(random_values<std::uint16_t>(n), offsets);
      expect_sorted_segments<std::uint16_t>(random_values<std::int64_t>(n), offsets);
      expect_sorted_segments<std::uint64_t>(random_values<float>(n), offsets, descending{}, 3);
      expect_sorted_segments<item_of<3>>(random_values<std::int32_t>(n), offsets, ascending{}, 1);
      expect_sorted_segments<item_of<40>>(random_values<std::uint32_t>(n), offsets);
      expect_sorted_segments(large_keys(n), offsets, by_number{});
    }
  }
}

struct nearer_to_ten {
  __host__ __device__ bool operator()(const __half& a, const __half& b) const {
    return fabsf(__half2float(a) - 10) < fabsf(__half2float(b) - 10);
  }
};

TEST_F(device_segmented_sort, an_own_order_of_half_precision) {
  std::vector<__half> keys;
  for (const std::uint16_t word : random_values<std::uint16_t>(3000)) {
    keys.push_back(__float2half(static_cast<float>(word % 30)));
  }
  expect_sorted_segments(keys, offsets_of(keys.size(), 0, 30), nearer_to_ten{});
}

TEST_F(device_segmented_sort, equal_keys_keep_their_order) {
  for (const std::size_t n : {2000U, 9001U}) {
    for (const unsigned most : {30U, 700U, 100'000U}) {
      for (const auto& keys : looks<std::int32_t>(n)) {
        expect_sorted_segments(keys, offsets_of(n, 0, most));
        expect_sorted_segments(keys, offsets_of(n, 0, most), backwards{});
      }
    }
  }
}

TEST_F(device_segmented_sort, nan_and_zeros_as_sort_has_them) {
  auto keys = random_values<float>(3000);
  for (std::size_t i = 0; i < keys.size(); i += 7) {
    keys[i] = i % 2 == 0 ? std::numeric_limits<float>::quiet_NaN() : -0.0F;
  }
  expect_sorted_segments(keys, offsets_of(keys.size(), 0, 20));
  expect_sorted_segments(keys, offsets_of(keys.size(), 0, 2000), descending{});
}

TEST_F(device_segmented_sort, empty_ones_and_a_giant) {
  for (const std::size_t empty : {1U, 1152U, 9001U}) {
    std::vector<std::uint64_t> offsets(empty + 1, 0);
    expect_sorted_segments(std::vector<int>{}, offsets);
    for (const std::uint64_t giant : {1U, 20'000U}) {  // between empty ones
      auto with_giant = offsets;
      with_giant.insert(with_giant.end(), empty, giant);
      expect_sorted_segments(random_values<std::int32_t>(giant), with_giant);
    }
  }
}

TEST_F(device_segmented_sort, rows_in_no_segment_stay_where_they_are) {
  const auto keys = random_values<std::uint32_t>(9000);
  for (const unsigned most : {9U, 30'000U}) {
    expect_sorted_segments(keys, offsets_of(7003, 0, most, 1501));
    expect_sorted_segments(keys, offsets_of(1600, 0, most, 1501));
  }
  expect_sorted_segments(keys, std::vector<std::uint32_t>{});
  expect_sorted_segments(keys, std::vector<std::uint32_t>{17});
}

TEST_F(device_segmented_sort, wrong_offsets_are_counted_and_rows_stay) {
  const auto keys = random_values<std::uint32_t>(5000);
  const std::vector<std::vector<std::int32_t>> all{
      {0, 10, 9, 5000}, {0, 5001}, {-1, 40, 5000}, {3000, 20, 4000, 1}};
  const std::size_t wrong[] = {1, 1, 1, 2};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const device_buffer<std::int32_t> offsets(all[i]);
    const device_buffer<std::uint32_t> in(keys), out(keys.size());
    const device_buffer<std::size_t> refused(1);
    ASSERT_TRUE(segmented_sort(device, in.values(), offsets.values(), out.room(), ascending{},
                               refused.data())
                    .ok());
    EXPECT_EQ(refused.read()[0], wrong[i]);
    EXPECT_EQ(out.read(), keys);
    ASSERT_TRUE(segmented_sort(device, in.room(), offsets.values()).ok());
    EXPECT_EQ(in.read(), keys);
  }
}

TEST_F(device_segmented_sort, in_given_memory_and_with_a_count_on_the_device) {
  const auto keys = random_values<std::int64_t>(9000);
  const auto offsets = offsets_of(keys.size(), 0, 4000);
  const device_buffer<std::uint32_t> at(offsets);
  const device_buffer<std::int64_t> in(keys), out(keys.size());
  const temp_storage memory(segmented_sort_temp_storage_bytes<std::int64_t>(keys.size()));
  const auto on = device.with(memory);
  for (const std::size_t many :
       {std::size_t{0}, std::size_t{1}, std::size_t{2}, offsets.size(), offsets.size() + 7}) {
    const device_buffer<std::size_t> count(std::vector<std::size_t>{many});
    auto given = offsets;
    given.resize(std::min(many, offsets.size()));
    const status s =
        segmented_sort(on, in.values(), device_sized(at.values(), count.data()), out.room());
    ASSERT_TRUE(s.ok()) << s.reason();
    EXPECT_EQ(out.read(), at_places(keys, places_in_segments(keys, given, ascending{})));
  }
  ASSERT_TRUE(segmented_sort(on, in.values(), at.values(), out.room()).ok());
  EXPECT_EQ(out.read(), at_places(keys, places_in_segments(keys, offsets, ascending{})));
  const temp_storage small(segmented_sort_temp_storage_bytes<std::int64_t>(keys.size()) - 1);
  const status s = segmented_sort(device.with(small), in.values(), at.values(), out.room());
  EXPECT_FALSE(s.ok());
  EXPECT_STREQ(s.reason(),
               "the temp_storage is smaller than segmented_sort_temp_storage_bytes<K, V>(n)");
}

TEST_F(device_segmented_sort, ranges_that_do_not_go_together_are_refused) {
  const device_buffer<std::uint32_t> keys(100), offsets(std::vector<std::uint32_t>{0, 100});
  EXPECT_STREQ(
      segmented_sort(device, keys.values(), offsets.values(), keys.room().subspan(50)).reason(),
      "a sort's keys, items and outputs are as many as each other");
  EXPECT_STREQ(
      segmented_sort(device, keys.values().first(60), offsets.values(), keys.room().subspan(40))
          .reason(),
      "a sort's output overlaps its keys");
  EXPECT_STREQ(segmented_argsort(device, keys.values(), offsets.values(), keys.room()).reason(),
               "the indices of an argsort overlap its keys");
}

TEST_F(device_segmented_sort, segments_of_one_length_and_by_lengths_are_those_of_offsets) {
  const std::size_t n = 9000;
  const auto keys = random_values<std::uint32_t>(n);
  const auto expect_same = [&](const auto& given, const std::vector<std::uint32_t>& offsets) {
    const std::size_t segments = offsets.size() - 1;
    const auto places = places_in_segments(keys, offsets, ascending{});
    const auto sorted = at_places(keys, places);
    const auto items = numbered<std::uint64_t>(n);
    const temp_storage memory(
        std::max(segmented_sort_temp_storage_bytes<std::uint32_t, std::uint64_t>(n, segments),
                 segmented_argsort_temp_storage_bytes<std::uint32_t, std::int32_t>(n, segments)));
    const device_buffer<std::uint32_t> in(keys), in_place(keys);
    const device_buffer<std::uint64_t> along(items);
    const device_buffer<std::int32_t> indices(n);
    const auto where = device.with(memory);
    ASSERT_TRUE(segmented_stable_sort_by_key(where, in_place.room(), along.room(), given).ok());
    EXPECT_EQ(in_place.read(), sorted);
    EXPECT_EQ(along.read(), at_places(items, places));
    ASSERT_TRUE(segmented_argsort(where, in.values(), given, indices.room()).ok());
    const auto found = indices.read();
    EXPECT_TRUE(std::equal(found.begin(), found.end(), places.begin(), places.end()));
    const device_buffer<std::uint32_t> out(n);
    ASSERT_TRUE(segmented_sort(device, in.values(), given, out.room(), descending{}).ok());
    EXPECT_EQ(out.read(), at_places(keys, places_in_segments(keys, offsets, descending{})));
  };
  std::vector<std::uint32_t> even;
  for (std::uint32_t i = 0; i <= 1000; ++i) even.push_back(i * 7);
  expect_same(segments_of_length(7, 1000), even);
  const auto offsets = offsets_of(n - 500, 0, 40);
  std::vector<std::uint32_t> many;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) many.push_back(offsets[s + 1] - offsets[s]);
  const device_buffer<std::uint32_t> of_each(many);
  expect_same(segments_of_lengths(of_each.values()), offsets);
  const std::size_t some = 100;
  const device_buffer<std::size_t> count(std::vector<std::size_t>{some});
  const device_buffer<std::uint32_t> in_place(keys);
  ASSERT_TRUE(segmented_sort(device, in_place.room(),
                             segments_of_lengths(device_sized(of_each.values(), count.data())))
                  .ok());
  const std::vector<std::uint32_t> first(offsets.begin(), offsets.begin() + some + 1);
  EXPECT_EQ(in_place.read(), at_places(keys, places_in_segments(keys, first, ascending{})));
}

TEST_F(device_segmented_sort, wrong_lengths_leave_every_row_in_its_place) {
  const auto keys = random_values<std::uint32_t>(9000);
  const device_buffer<std::uint32_t> in_place(keys);
  const auto refused_of = [&](const std::vector<std::int64_t>& of_each) {
    const device_buffer<std::int64_t> given(of_each);
    const device_buffer<std::size_t> refused(1);
    EXPECT_TRUE(segmented_sort(device, in_place.room(), segments_of_lengths(given.values()),
                               ascending{}, refused.data())
                    .ok());
    EXPECT_EQ(in_place.read(), keys);
    return refused.read()[0];
  };
  std::vector<std::int64_t> many(3000, 3);
  many[2999] = 4;
  EXPECT_EQ(refused_of(many), 1U);
  many[2999] = 3;
  many[70] = -1;
  EXPECT_GE(refused_of(many), 1U);
  many[70] = std::numeric_limits<std::int64_t>::min();
  EXPECT_GE(refused_of(many), 1U);
  expect_refused(segmented_sort(device, in_place.room(), segments_of_length(3, 3001)), 9003, 9000,
                 "rows");
}

}  // namespace
}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
