// The device sorts through their public calls, on the CPU machine and on CUDA.
#include <functional>
#include <limits>
#include <random>

#include "tests/library/device/device_sort_test.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

class device_sort : public device_test {};

TEST_F(device_sort, any_number_of_keys) {
  for (const std::size_t n :
       {0U, 1U, 2U, 3U, 31U, 32U, 33U, 64U, 127U, 255U, 257U, 1023U, 1024U, 1025U, 2047U}) {
    expect_sorts_by_key<std::uint32_t>(random_values<std::uint32_t>(n), ascending{});
  }
}

TEST_F(device_sort, any_number_of_keys_around_its_clusters) {
  for (const std::size_t n : {2049U, 4096U, 4097U, 8193U, 16384U}) {
    expect_sorts_by_key<std::uint32_t>(random_values<std::uint32_t>(n), ascending{});
  }
}

TEST_F(device_sort, any_number_of_keys_around_its_tiles) {
  // Runs of one cluster, 15360 rows, and one more; tiles of 3840 rows.
  for (const std::size_t n : {16385U, 30721U}) {
    expect_sorts_by_key<std::uint32_t>(random_values<std::uint32_t>(n), ascending{});
  }
  if (!on_cpu) {
    for (const std::size_t n : {262143U, 262145U, 1000003U, 4194305U, 20000003U}) {
      expect_sorts_by_key<std::uint32_t>(random_values<std::uint32_t>(n), ascending{});
      expect_sorts_by_key<std::uint32_t>(random_values<std::uint32_t>(n), backwards{});
    }
  }
}

TEST_F(device_sort, keys_of_every_look) {
  for (const std::size_t n : {100U, 1500U, on_cpu ? 6007U : 600011U}) {
    for (const auto& keys : looks<std::int32_t>(n)) {
      expect_sorts_by_key<std::uint32_t>(keys, descending{});
      expect_sorts_by_key<std::uint32_t>(keys, backwards{});
    }
  }
}

template <class T>
void expect_every_order(std::size_t n) {
  expect_sorts(random_values<T>(n), ascending{});
  expect_sorts_by_key<std::uint16_t>(random_values<T>(n), descending{});
}

TEST_F(device_sort, keys_of_every_type) {
  for (const std::size_t n : {700U, on_cpu ? 2500U : 600011U}) {
    expect_every_order<std::int8_t>(n);
    expect_every_order<std::uint16_t>(n);
    expect_every_order<std::int32_t>(n);
    expect_every_order<std::uint64_t>(n);
    expect_every_order<std::int64_t>(n);
    expect_every_order<float>(n);
    expect_every_order<double>(n);
  }
}

TEST_F(device_sort, many_keys_of_eight_bytes) {
  if (on_cpu) GTEST_SKIP() << "takes long on the CPU machine";
  const std::size_t n = detail::current_device().card_multiprocessors *
                            tuning::sort_plan::merged_a_multiprocessor<8, 8> +
                        11;
  expect_every_order<std::uint64_t>(n);
  expect_every_order<std::int64_t>(n);
  expect_every_order<double>(n);
}

TEST_F(device_sort, the_standard_library_s_orders_of_integers) {
  expect_sorts(random_values<std::int16_t>(3000), std::less<>{});
  expect_sorts(random_values<std::int16_t>(3000), std::greater<std::int16_t>{});
}

template <class T>
void expect_places_of_specials(std::size_t copies) {
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const T tiny = std::numeric_limits<T>::denorm_min();
  const std::vector<T> order{-inf, -1, -tiny, -T{0}, T{0}, tiny, 1, inf, nan, -nan};
  std::vector<T> up;
  for (const T value : order) up.insert(up.end(), copies, value);
  const std::vector<T> down(up.rbegin(), up.rend());
  auto mixed = up;
  std::shuffle(mixed.begin(), mixed.end(), std::mt19937(5));
  const device_buffer<T> keys(mixed);
  ASSERT_TRUE(sort(device, keys.room()).ok());
  EXPECT_TRUE(same_bits(keys.read(), up)) << copies;
  ASSERT_TRUE(sort(device, keys.room(), descending{}).ok());
  EXPECT_TRUE(same_bits(keys.read(), down)) << copies;
}

TEST_F(device_sort, zeros_infinities_and_nan_have_their_places) {
  for (const std::size_t copies : {1U, 60U, on_cpu ? 300U : 250003U}) {  // to every way of sorting
    expect_places_of_specials<float>(copies);
    expect_places_of_specials<double>(copies);
  }
}

TEST_F(device_sort, starts_at_any_key) {
  for (const std::size_t n : {1U, 1000U, 4099U}) {
    for (const std::size_t offset : {1U, 2U, 3U, 5U}) {
      expect_sorts_by_key<std::uint8_t>(random_values<std::uint8_t>(n), ascending{}, offset);
    }
  }
  expect_sorts_by_key<std::uint32_t>(random_values<float>(on_cpu ? 17001 : 1000001), ascending{},
                                     1);
}

}  // namespace
}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
