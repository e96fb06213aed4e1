// Merges in pairs and by fours, in small tiles, so that few rows take many passes; and the sort of
// tiles, also where a thread has so many keys that they go through a network.
#include <algorithm>
#include <bit>

#include "tests/library/device/device_sort_test.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

using detail::comparator_order, detail::four_counts, detail::key_value_view;

class device_merges : public device_test {};

using small_tile = tuning::tile_shape<64, 3>;
using small_plan = tuning::merge_plan<small_tile, small_tile, true>;

/// Items are the places that rows had, so their order shows whether equal keys kept theirs.
template <class K>
void expect_merges(const std::vector<K>& keys, bool by_fours) {
  SCOPED_TRACE(testing::Message() << keys.size() << " keys, by fours: " << by_fours);
  const std::size_t n = keys.size();
  const auto items = numbered<std::uint32_t>(n);
  const device_buffer<K> in(keys), out(n), spare(n);
  const device_buffer<std::uint32_t> items_in(items), items_out(n), items_spare(n);
  const device_buffer<four_counts> partitions(n / small_tile::rows + 1);
  using view = key_value_view<K, std::uint32_t>;
  detail::sort_buffers<K, std::uint32_t> rows{view{in.data(), items_in.data()},
                                              view{out.data(), items_out.data()}};
  rows.spare = view{spare.data(), items_spare.data()};
  const small_plan plan{{0, 0}, true, false, by_fours};
  ASSERT_TRUE(detail::sort_by_merges(rows, n, partitions.data(), comparator_order<K, backwards>{},
                                     plan, device.stream())
                  .ok());
  const auto places = places_of(keys, backwards{});
  EXPECT_TRUE(same_bits(out.read(), at_places(keys, places)));
  EXPECT_TRUE(same_bits(items_out.read(), at_places(items, places)));
  EXPECT_TRUE(same_bits(in.read(), keys));
  (void)spare.read(), (void)items_spare.read(), (void)partitions.read();  // nothing beside them
}

TEST_F(device_merges, any_number_of_runs) {
  constexpr std::size_t run = small_tile::rows;
  for (const std::size_t runs : {1U, 2U, 3U, 4U, 5U, 8U, 15U, 16U, 17U}) {
    for (const std::size_t n : {runs * run - 1, runs * run, runs * run + 1}) {
      auto keys = random_values<std::uint32_t>(n);
      expect_merges(keys, true);
      for (auto& k : keys) k %= 3;
      expect_merges(keys, true);
    }
  }
}

TEST_F(device_merges, keys_of_every_look) {
  for (const auto& keys : looks<std::int64_t>(on_cpu ? 12'345 : 1'234'567)) {
    expect_merges(keys, true);
    expect_merges(keys, false);
  }
}

/// All of a run may come before all of the others, in any order of the runs.
TEST_F(device_merges, runs_that_do_not_overlap) {
  constexpr std::size_t run = small_tile::rows, n = 16 * run;
  for (const std::size_t factor : {1U, 3U, 5U, 7U, 15U}) {
    std::vector<std::uint32_t> keys(n);
    for (std::size_t i = 0; i < n; ++i) {
      keys[i] = static_cast<std::uint32_t>(i / run * factor % 16 * run + i % run);
    }
    expect_merges(keys, true);
  }
}

/// Less by the upper bits, so that equals differ.
struct by_upper_bits {
  unsigned shift;
  __host__ __device__ bool operator()(std::uint32_t a, std::uint32_t b) const {
    return (a >> shift) < (b >> shift);
  }
};

/// Tiles sorted one by one are the runs that a stable sort of each would leave.
template <unsigned Items>
void expect_sorts_tiles(const std::vector<std::uint32_t>& keys, by_upper_bits less) {
  using tile = tuning::tile_shape<64, Items>;
  SCOPED_TRACE(testing::Message() << keys.size() << " keys, " << Items << " a thread, without "
                                  << less.shift << " bits");
  const std::size_t n = keys.size();
  const device_buffer<std::uint32_t> in(keys), out(n);
  using view = key_value_view<std::uint32_t, detail::keys_only>;
  const tuning::merge_plan<tile, tile, true> plan{{0, 0}, true, false};
  ASSERT_TRUE(detail::sort_runs(view{in.data(), nullptr}, view{out.data(), nullptr}, n, 0,
                                comparator_order<std::uint32_t, by_upper_bits>{less}, plan,
                                device.stream())
                  .ok());
  auto expected = keys;
  for (std::size_t at = 0; at < n; at += tile::rows) {
    const auto end = std::min(n, at + tile::rows);
    std::stable_sort(expected.begin() + static_cast<std::ptrdiff_t>(at),
                     expected.begin() + static_cast<std::ptrdiff_t>(end), less);
  }
  EXPECT_EQ(out.read(), expected);
}

TEST_F(device_merges, tiles_keep_the_order_of_equals) {
  for (const unsigned shift : {0U, 20U, 31U, 12U}) {
    for (const std::size_t n : {1U, 32U, 33U, 34U, 1055U, 2111U, 2112U, 2113U, 4321U}) {
      expect_sorts_tiles<33>(random_values<std::uint32_t>(n), {shift});
    }
    expect_sorts_tiles<17>(random_values<std::uint32_t>(3000), {shift});
    expect_sorts_tiles<19>(random_values<std::uint32_t>(3000), {shift});
    expect_sorts_tiles<7>(random_values<std::uint32_t>(3000), {shift});
  }
}

/// The network sorts if it sorts all keys of zeros and ones.
template <unsigned Items>
void expect_network_sorts() {
  for (std::uint32_t bits = 0; bits < std::uint32_t{1} << Items; ++bits) {
    std::uint32_t sorted = bits;
    for (const auto& [first, second] : detail::exchanges_of<Items>.of) {
      const std::uint32_t swaps = (sorted >> first & 1) & ~(sorted >> second) & 1;
      sorted ^= swaps << first | swaps << second;
    }
    const auto ones = static_cast<unsigned>(std::popcount(bits));
    ASSERT_EQ(sorted, ((std::uint32_t{1} << ones) - 1) << (Items - ones)) << Items << " keys";
  }
}
TEST(sort_network, sorts_zeros_and_ones) {
  expect_network_sorts<13>();
  expect_network_sorts<15>();
  expect_network_sorts<17>();
  expect_network_sorts<19>();
}

/// Each count of tiles has its way of looking for them: by half a warp or a whole one.
TEST_F(device_merges, many_tiles) {
  if (on_cpu) return;
  expect_merges(random_values<std::uint32_t>(tuning::sort_plan::sampled_more_to *
                                             std::size_t{small_tile::rows}),
                true);
  expect_merges(random_values<std::uint32_t>(
                    tuning::sort_plan::sampled_more_to * std::size_t{small_tile::rows} + 1),
                true);
}

}  // namespace
}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
