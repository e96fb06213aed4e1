// The first k keys on the host are those of a stable sort: any size and type, with any number of
// threads; nothing is written past an end.
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "tests/library/host/host_test.hpp"
#include "warpfold/error.hpp"
#include "warpfold/host/top_k.hpp"

namespace warpfold::tests {
namespace {

template <class T>
class host_top_k : public testing::Test {};
using key_types =
    testing::Types<std::int8_t, std::uint16_t, std::int32_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(host_top_k, key_types);

/// The same bits: NaN equals nothing, and zeros differ.
template <class K>
std::vector<detail::rank_type<K>> ranks(const std::vector<K>& keys) {
  std::vector<detail::rank_type<K>> all;
  for (const K key : keys) all.push_back(rank_of(key));
  return all;
}

template <class Order, class How, class K>
void expect_first(const std::vector<K>& keys, std::size_t rows, std::size_t k) {
  const std::size_t n = keys.size() / rows;
  SCOPED_TRACE(testing::Message() << rows << " rows of " << n << ", k = " << k);
  std::vector<std::int32_t> expected;
  std::vector<K> first;
  std::vector<std::size_t> items(keys.size()), first_items;
  std::iota(items.begin(), items.end(), std::size_t{7});
  for (std::size_t row = 0; row < rows; ++row) {
    const K* const own = keys.data() + row * n;
    std::vector<std::int32_t> at(n);
    std::iota(at.begin(), at.end(), 0);
    std::stable_sort(at.begin(), at.end(), [&](auto a, auto b) { return Order{}(own[a], own[b]); });
    at.resize(k);
    if (std::is_same_v<How, in_input_order>) std::sort(at.begin(), at.end());
    for (const std::int32_t i : at) {
      expected.push_back(i);
      first.push_back(own[i]);
      first_items.push_back(items[row * n + static_cast<std::size_t>(i)]);
    }
  }
  for (const unsigned threads : {1U, 2U, 7U}) {
    const auto where = here.threads(threads);
    std::vector<K> out(rows * k), pairs(rows * k);
    std::vector<std::size_t> out_items(rows * k);
    std::vector<std::int32_t> indices(rows * k);
    top_k_rows(where, keys, rows, n, k, out, Order{}, How{});
    EXPECT_EQ(ranks(out), ranks(first));
    argtop_k_rows(where, keys, rows, n, k, indices, Order{}, How{});
    EXPECT_EQ(indices, expected);
    top_k_by_key_rows(where, keys, items, rows, n, k, pairs, out_items, Order{}, How{});
    EXPECT_EQ(ranks(pairs), ranks(first));
    EXPECT_EQ(out_items, first_items);
  }
}

TYPED_TEST(host_top_k, any_number_of_keys_and_any_k) {
  using K = TypeParam;
  for (const std::size_t n : {1U, 2U, 100U, 4095U, 4096U, 30'001U}) {
    const auto keys = random_values<K>(n);
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}, n / 20, n / 3, n}) {
      expect_first<descending, in_key_order>(keys, 1, k);
      expect_first<ascending, in_input_order>(keys, 1, k);
    }
  }
  expect_first<ascending, in_key_order>(random_values<K>(3 * 5000), 3, 40);
}

TYPED_TEST(host_top_k, equal_and_ordered_keys) {
  using K = TypeParam;
  std::vector<K> keys(20'000, K{5});
  expect_first<descending, in_key_order>(keys, 1, 700);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<K>(i % 3);
  expect_first<descending, in_key_order>(keys, 1, 700);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<K>(i % 100);
  std::sort(keys.begin(), keys.end());
  expect_first<descending, in_key_order>(keys, 1, 700);
  expect_first<ascending, in_key_order>(keys, 1, 700);
  if constexpr (std::is_floating_point_v<K>) {
    for (std::size_t i = 0; i < keys.size(); i += 3) {
      keys[i] = std::copysign(i % 2 == 0 ? std::numeric_limits<K>::quiet_NaN() : K{0},
                              i % 4 == 0 ? K{1} : K{-1});
    }
    expect_first<descending, in_key_order>(keys, 1, 700);
    expect_first<ascending, in_key_order>(keys, 1, 9000);
  }
}

TEST(host_top_k_refusals, say_what_does_not_fit) {
  std::vector<int> keys(100), out(10), items(99), most(200);
  EXPECT_THROW(top_k(host, keys, 101, most), usage_error);
  EXPECT_THROW(top_k(host, keys, 11, out), usage_error);
  EXPECT_THROW(top_k(host, keys, 5, keys), usage_error);
  EXPECT_THROW(top_k_rows(host, keys, 3, 33, 2, out), usage_error);
  EXPECT_THROW(argtop_k(host, keys, 11, out), usage_error);
  EXPECT_THROW(top_k_by_key(host, keys, items, 2, out, most), usage_error);
  EXPECT_THROW(top_k_by_key(host, keys, keys, 2, out, out), usage_error);
  try {
    top_k(host, keys, 11, out);
  } catch (const usage_error& e) {
    EXPECT_NE(std::string(e.what()).find("11 keys needed, 10 given"), std::string::npos)
        << e.what();
  }
}

}  // namespace
}  // namespace warpfold::tests
