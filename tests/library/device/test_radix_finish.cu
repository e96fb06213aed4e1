// The radix sort with a finish in place of passes, in small tiles, and what became of it.
#include <cstring>

#include "tests/library/device/radix_test.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

using detail::keys_only, detail::radix_range;

class device_radix_finish : public device_test {};

/// Few threads, and one sample, so that few rows take a finish.
struct small_finish : tuning::radix_finish_shape<64, 2, 1, 3> {
  static constexpr unsigned samples = 1;
};

/// What became of the finish of a sort.
enum class finished { not_tried, all, not_all };

/// Sorts with a finish, if keys are so; by `numbers`, with items that are moved last.
template <class K, class V, class Shape, class Order = ascending>
void expect_finishes(const std::vector<K>& keys, bool in_place, radix_range range,
                     finished expected, bool numbers = false) {
  const std::size_t n = keys.size();
  SCOPED_TRACE(testing::Message() << n << " keys of " << sizeof(K) << " bytes, bits " << range.begin
                                  << " to " << range.end << (in_place ? ", in place" : "")
                                  << (numbers ? ", by number" : ""));
  constexpr bool pairs = !std::is_same_v<V, keys_only>;
  using item = std::conditional_t<pairs, V, char>;
  const auto items = numbered<item>(n);
  const device_buffer<K> in(keys), out(n), spare(n);
  const device_buffer<item> items_in(items), items_out(n), items_spare(n);
  const device_buffer<item_of<12, 4>> large(numbered<item_of<12, 4>>(n)), large_out(n);
  const auto values = [](const device_buffer<item>& buffer) {
    if constexpr (pairs) {
      return buffer.data();
    } else {
      return static_cast<V*>(nullptr);
    }
  };
  const device_buffer<std::uint64_t> work(std::vector<std::uint64_t>(
      detail::radix_memory::bytes<Shape>(n) / 8 + 1, 0x5555'5555'5555'5555));
  const auto& keys_to = in_place ? in : out;
  const auto& items_to = in_place && !numbers ? items_in : items_out;
  bool in_spare = false;
  const detail::sort_buffers<K, V> buffers{{in.data(), numbers ? nullptr : values(items_in)},
                                           {keys_to.data(), values(items_to)},
                                           {spare.data(), values(items_spare)},
                                           &in_spare};
  const detail::radix_order<K, Order> order{};
  const auto sort = [&](const auto& along) {
    return detail::radix_sort<Shape, small_finish>(buffers, n, work.data(), range, order,
                                                   device.stream(), along);
  };
  const auto places = places_of(keys, bits_less<K, Order>{range.begin, range.end});
  if constexpr (std::is_same_v<V, std::uint32_t>) {
    if (numbers) {
      ASSERT_TRUE(
          sort(detail::numbered_items<item_of<12, 4>>{large.data(), large_out.data()}).ok());
      EXPECT_TRUE(same_bits(large_out.read(), at_places(large.read(), places)));
    }
  }
  if (!numbers) {
    ASSERT_TRUE(sort(detail::as_it_is{}).ok());
    if constexpr (pairs) {
      EXPECT_TRUE(same_bits((in_spare ? items_spare : items_to).read(), at_places(items, places)));
    }
  }
  EXPECT_TRUE(same_bits((in_spare ? spare : keys_to).read(), at_places(keys, places)));
  const auto words = work.read();
  detail::radix_control control;
  std::memcpy(static_cast<void*>(&control), words.data(), sizeof control);
  EXPECT_EQ(expected, !control.finish.runs     ? finished::not_tried
                      : control.unfinished > 0 ? finished::not_all
                                               : finished::all);
}
template <class K>
void expect_finishes(const std::vector<K>& keys, radix_range range, finished expected) {
  using shape = tuning::radix_shape<64, 8>;
  using votes =
      tuning::radix_shape<64, 8, 1, 1, std::size_t{1} << 29, tuning::radix_ranking::by_votes>;
  for (const bool in_place : {false, true}) {
    expect_finishes<K, keys_only, shape>(keys, in_place, range, expected);
    expect_finishes<K, std::uint32_t, votes, descending>(keys, in_place, range, expected);
    expect_finishes<K, std::uint32_t, votes>(keys, in_place, range, expected, true);
    if constexpr (sizeof(K) == 4) {
      using packed = tuning::radix_shape<64, 8, 1, 1, std::size_t{1} << 29,
                                         tuning::radix_ranking::by_votes, true>;
      expect_finishes<K, std::uint32_t, packed>(keys, in_place, range, expected);
      expect_finishes<K, std::uint32_t, packed>(keys, in_place, range, expected, true);
    }
  }
}

/// Keys of which 16,384 are four by four alike in the upper 16 bits: four of these are 0.
template <class K>
std::vector<K> keys_in_runs(std::size_t n) {
  auto keys = random_values<K>(n);
  for (K& k : keys) k = static_cast<K>(k >> 4);
  return keys;
}
/// Puts rows that no sample has into a run, some before less and some before greater ones.
template <class K>
void hide_run(std::vector<K>& keys, unsigned rows) {
  const std::size_t n = keys.size();
  std::vector<bool> sampled(n);
  for (unsigned i = 0; i < detail::radix_sample<K>::rows; ++i) {
    sampled[detail::sampled_index(i, n)] = true;
  }
  constexpr K same = K{0x0b0a} << (8 * sizeof(K) - 16);
  for (std::size_t i = 0; i < n && rows > 0; ++i) {
    if (!sampled[i]) keys[i] = same | static_cast<K>(rows-- ^ 2);
  }
}

TEST_F(device_radix_finish, runs_of_rows_that_are_alike_are_finished) {
  expect_finishes(keys_in_runs<std::uint64_t>(20001), {0, 64}, finished::all);
  expect_finishes(keys_in_runs<std::uint32_t>(16384), {0, 32}, finished::all);
}

TEST_F(device_radix_finish, keys_that_are_there_often_are_finished_if_no_two_others_are_alike) {
  auto keys = random_values<std::uint64_t>(16384);
  for (std::size_t i = 64; i < keys.size(); ++i) keys[i] = keys[i % 64];
  expect_finishes(keys, {0, 64}, finished::all);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = keys[0] ^ i % 64;
  expect_finishes(keys, {0, 64}, finished::not_tried);
}

TEST_F(device_radix_finish, a_run_that_is_too_long_is_sorted_by_all_digits) {
  for (const radix_range range : {radix_range{0, 32}, {0, 31}, {1, 32}}) {
    if (on_cpu && range.begin + range.end != 32) continue;  // the others take as long again
    for (const unsigned rows : {16U, 33U}) {
      auto keys = keys_in_runs<std::uint32_t>(16384);
      hide_run(keys, rows);
      expect_finishes(keys, range, rows == 16 ? finished::all : finished::not_all);
    }
  }
}

TEST_F(device_radix_finish, large_keys_of_every_look) {
  if (on_cpu) return;  // sizes of a GPU's tiles
  for (const std::size_t n : {1048577U, 4194303U, 20000003U}) {
    for (const auto& keys : looks<std::uint64_t>(n)) expect_sorts(keys, descending{}, 1);
    expect_sorts(random_values<double>(n), ascending{}, 0);
    expect_sorts_by_key<std::uint64_t>(keys_in_runs<std::uint64_t>(n), ascending{});
  }
}

}  // namespace
}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
