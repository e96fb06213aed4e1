// The first k keys through their public calls, on the CPU machine and on CUDA.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tests/library/device/device_test.hpp"
#include "warpfold/sort.hpp"
#include "warpfold/top_k.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

class device_top_k : public device_test {};

/// The indices of the first k of each row, by a stable sort.
template <class K, class Order>
std::vector<std::uint32_t> first_of(const std::vector<K>& keys, std::size_t rows, std::size_t k,
                                    Order order, bool in_input) {
  const std::size_t n = keys.size() / rows;
  std::vector<std::uint32_t> all;
  for (std::size_t row = 0; row < rows; ++row) {
    const K* const own = keys.data() + row * n;
    std::vector<std::uint32_t> at(n);
    std::iota(at.begin(), at.end(), 0U);
    std::stable_sort(at.begin(), at.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return order(own[a], own[b]); });
    at.resize(k);
    if (in_input) std::sort(at.begin(), at.end());
    all.insert(all.end(), at.begin(), at.end());
  }
  return all;
}

template <class K>
std::vector<std::uint8_t> bytes_of(const std::vector<K>& keys) {
  const auto* const first = reinterpret_cast<const std::uint8_t*>(keys.data());
  return {first, first + keys.size() * sizeof(K)};
}

template <class K, class Order = descending, class How = in_key_order>
void expect_first(const std::vector<K>& keys, std::size_t rows, std::size_t k, Order order = {},
                  How how = {}, std::size_t offset = 0) {
  SCOPED_TRACE(testing::Message() << rows << " rows of " << keys.size() / rows << " keys of "
                                  << sizeof(K) << " bytes, k = " << k);
  const std::size_t n = keys.size() / rows;
  const auto expected = first_of(keys, rows, k, order, std::is_same_v<How, in_input_order>);
  std::vector<K> first;
  std::vector<std::uint64_t> items(keys.size()), first_items;
  std::iota(items.begin(), items.end(), 7U);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    first.push_back(keys[i / k * n + expected[i]]);
    first_items.push_back(items[i / k * n + expected[i]]);
  }
  const temp_storage memory(top_k_temp_storage_bytes<K>(n, k, rows));
  const auto where = device.with(memory);
  const device_buffer<K> in(keys, offset), out(rows * k), pairs(rows * k);
  const device_buffer<std::uint64_t> item(items), out_items(rows * k);
  const device_buffer<std::uint32_t> indices(rows * k);
  ASSERT_TRUE(top_k_rows(where, in.values(), rows, n, k, out.room(), order, how).ok());
  EXPECT_EQ(bytes_of(out.read()), bytes_of(first));
  ASSERT_TRUE(argtop_k_rows(where, in.values(), rows, n, k, indices.room(), order, how).ok());
  EXPECT_EQ(indices.read(), expected);
  ASSERT_TRUE(top_k_by_key_rows(device, in.values(), item.values(), rows, n, k, pairs.room(),
                                out_items.room(), order, how)
                  .ok());
  EXPECT_EQ(bytes_of(pairs.read()), bytes_of(first));
  EXPECT_EQ(out_items.read(), first_items);
  EXPECT_EQ(bytes_of(in.read()), bytes_of(keys));
}

TEST_F(device_top_k, any_number_of_keys_and_any_k) {
  for (const std::size_t n : {1, 2, 31, 33, 513, 3000, 6144, 6145, 20'011}) {
    const auto keys = random_values<std::uint32_t>(n);
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}, std::size_t{10}, n / 3, n}) {
      if (k <= n) expect_first(keys, 1, k, descending{}, in_key_order{}, n % 4);
    }
    expect_first(keys, 1, std::min<std::size_t>(n, 300), ascending{}, in_input_order{}, 1);
  }
  expect_first(random_values<std::uint32_t>(140'003), 1, 1);
  expect_first(random_values<std::uint32_t>(140'003), 1, 2048);
  expect_first(random_values<std::uint32_t>(140'003), 1, 2049);
}

TEST_F(device_top_k, any_type) {
  for (const std::size_t n : {100U, 9001U, 70'001U}) {
    for (const std::size_t k : {std::size_t{1}, std::size_t{90}}) {
      expect_first(random_values<std::int8_t>(n), 1, k, descending{}, in_key_order{}, 5);
      expect_first(random_values<std::int64_t>(n), 1, k, ascending{}, in_key_order{}, 1);
      expect_first(random_values<double>(n), 1, k);
    }
  }
  expect_first(random_values<std::int8_t>(600'000), 1, 90);
}

TEST_F(device_top_k, nan_and_zeros_as_a_sort_has_them) {
  auto keys = random_values<float>(9001);
  for (std::size_t i = 0; i < keys.size(); i += 7) keys[i] = i % 2 == 0 ? 0.0F : -0.0F;
  for (std::size_t i = 3; i < keys.size(); i += 500) {
    keys[i] = std::copysign(std::numeric_limits<float>::quiet_NaN(), i % 2 == 0 ? 1.0F : -1.0F);
  }
  expect_first(keys, 1, 30);
  expect_first(keys, 1, 9001);
  std::fill(keys.begin() + 100, keys.end(), std::numeric_limits<float>::quiet_NaN());
  expect_first(keys, 1, 500);
}

TEST_F(device_top_k, equal_keys_by_their_indices) {
  for (const std::size_t n : {9001U, 140'003U}) {
    for (const std::size_t k : {std::size_t{1}, std::size_t{700}}) {
      std::vector<std::uint32_t> keys(n, 5);
      expect_first(keys, 1, k);
      expect_first(keys, 1, k, ascending{}, in_input_order{});
      for (std::size_t i = 0; i < n; ++i) keys[i] = i % 3;
      expect_first(keys, 1, k);
      std::iota(keys.begin(), keys.end(), 0U);
      expect_first(keys, 1, k);
      std::reverse(keys.begin(), keys.end());
      expect_first(keys, 1, k);
      std::fill(keys.begin(), keys.end(), ~0U);
      expect_first(keys, 1, k);
    }
  }
}

TEST_F(device_top_k, each_row_of_a_matrix) {
  for (const std::size_t rows : {2U, 3U, 9U}) {
    for (const std::size_t n : {1U, 100U, 7001U}) {
      expect_first(random_values<std::uint32_t>(rows * n), rows, std::min<std::size_t>(n, 33));
    }
  }
  expect_first(random_values<std::uint32_t>(3 * 140'001), 3, 50);
  expect_first(random_values<std::uint32_t>(3 * 3000), 3, 2500);
}

TEST_F(device_top_k, a_sample_with_bad_luck) {
  for (const std::size_t n : {20'011U, 140'003U}) {
    const tuning::top_k_sample sample(n, 2000);
    for (const std::uint32_t seen : {0U, ~0U}) {  // too many candidates, too few
      auto keys = random_values<std::uint32_t>(n);
      for (unsigned i = 0; i < sample.size; ++i) {
        keys[detail::sample_index(i, n / sample.size)] = seen;
      }
      expect_first(keys, 1, 2000);
    }
  }
}

TEST_F(device_top_k, refuses_what_does_not_fit) {
  const device_buffer<std::uint32_t> in(100), out(10), item(99);
  const device_buffer<std::uint8_t> bytes(300);
  expect_refused(top_k(device, in.values(), 101, out.room()), 101, 100, "keys");
  expect_refused(top_k(device, in.values(), 11, out.room()), 11, 10, "keys");
  expect_refused(argtop_k(device, in.values(), 11, out.room()), 11, 10, "indices");
  expect_refused(top_k_rows(device, in.values(), 3, 33, 2, out.room()), 99, 100, "keys");
  expect_refused(top_k_by_key(device, in.values(), item.values(), 2, out.room(), item.room()), 100,
                 99, "items");
  EXPECT_FALSE(top_k(device, in.values(), 5, in.room()).ok());
  EXPECT_FALSE(top_k_by_key(device, in.values(), in.values(), 5, out.room(), out.room()).ok());
  const temp_storage memory(256);
  const std::size_t needed = top_k_temp_storage_bytes<std::uint32_t>(200'000, 10);
  const device_buffer<std::uint32_t> many(200'000);
  expect_refused(top_k(device.with(memory), many.values(), 10, out.room()), needed, 256);
}

}  // namespace
}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
