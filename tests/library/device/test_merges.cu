// Merges in pairs and by fours, in small tiles, so that few rows take many passes.
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

}  // namespace
}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
