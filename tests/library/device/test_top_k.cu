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
  for (const std::size_t n : {1, 2, 31, 33, 500, 513, 3000, 6144, 6145, 20'011}) {
    const auto keys = random_values<std::uint32_t>(n);
    for (const std::size_t k : {std::size_t{1}, std::size_t{2}, std::size_t{10}, n / 3, n}) {
      if (k > n || k == 0) continue;
      expect_first(keys, 1, k);
    }
    expect_first(keys, 1, 1, ascending{}, in_input_order{}, 1);
    if (n >= 300) expect_first(keys, 1, 300, descending{}, in_input_order{}, 3);
  }
}

}  // namespace
}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
