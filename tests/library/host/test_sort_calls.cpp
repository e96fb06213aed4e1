// The host sorts' other calls: out of place, between two buffers, of indices, by some bits, and of
// floats of two bytes; each against std::stable_sort, and what they refuse.
#include <algorithm>
#include <numeric>

#include <gmock/gmock.h>

#include "simt/half.hpp"
#include "tests/library/host/host_test.hpp"
#include "warpfold/error.hpp"
#include "warpfold/host/sort.hpp"

namespace warpfold::tests {
namespace {

/// Any bits, so that floats have NaNs of both signs; some keys are equal.
template <class K>
std::vector<K> any_keys(std::size_t n) {
  std::mt19937_64 bits(n);
  std::vector<K> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t word = bits();
    std::memcpy(static_cast<void*>(&keys[i]), &word, sizeof(K));
    if (i % 3 == 2) keys[i] = keys[i / 2];
  }
  return keys;
}

/// Keys that differ in both halves, and some in one alone.
std::vector<__int128> any_wide_keys(std::size_t n) {
  const auto high = any_keys<std::int8_t>(n);
  const auto low = any_keys<std::int64_t>(n);
  std::vector<__int128> keys;
  for (std::size_t i = 0; i < n; ++i) keys.push_back(__int128{high[i]} << 64 ^ low[i]);
  return keys;
}

/// All calls agree with std::stable_sort of the keys' places.
template <class K, class Less>
void check_calls(const std::vector<K>& keys, const Less& less) {
  SCOPED_TRACE(testing::Message() << keys.size() << " keys of " << sizeof(K) << " bytes");
  const std::size_t n = keys.size();
  std::vector<std::uint32_t> places(n), items(n), indices(n), items_out(n), spare_items(n);
  std::iota(places.begin(), places.end(), 0U);
  items = places;
  std::stable_sort(places.begin(), places.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return less(keys[a], keys[b]); });
  std::vector<K> sorted, out(n), spare(n);
  for (const std::uint32_t p : places) sorted.push_back(keys[p]);
  const auto before = keys;

  argsort(here, keys, indices, less);
  EXPECT_EQ(indices, places);
  std::vector<std::int64_t> wide(n);
  argsort(here, keys, wide, less);
  EXPECT_TRUE(std::equal(wide.begin(), wide.end(), places.begin(), places.end(),
                         [](std::int64_t a, std::uint32_t b) { return a == std::int64_t{b}; }));
  sort(here, keys, out, less);
  EXPECT_TRUE(same_bits(out, sorted));
  std::fill(out.begin(), out.end(), K{});
  sort_by_key(here, keys, items, out, items_out, less);
  EXPECT_TRUE(same_bits(out, sorted));
  EXPECT_EQ(items_out, places);
  EXPECT_TRUE(same_bits(keys, before));

  auto a = keys;
  exchangeable<K> both{a, spare};
  exchangeable<std::uint32_t> along{items, spare_items};
  sort_by_key(here, both, along, less);
  EXPECT_TRUE(same_bits(std::vector<K>(both.current.begin(), both.current.end()), sorted));
  EXPECT_TRUE(std::equal(places.begin(), places.end(), along.current.begin()));
  a = keys;
  exchangeable alone{std::span(a), std::span(spare)};
  sort(here, alone, less);
  EXPECT_TRUE(same_bits(std::vector<K>(alone.current.begin(), alone.current.end()), sorted));
}

TEST(host_sort_calls, keys_of_every_kind) {
  for (const std::size_t n : {0U, 1U, 2U, 17U, 299U, 1001U}) {
    check_calls(any_keys<std::uint8_t>(n), ascending{});
    check_calls(any_keys<std::int64_t>(n), std::greater<>{});
    check_calls(any_keys<float>(n), descending{});
    check_calls(any_keys<__half>(n), ascending{});
    check_calls(any_keys<__nv_bfloat16>(n), descending{});
    check_calls(any_wide_keys(n), descending{});
  }
}

TEST(host_sort_calls, by_some_of_the_bits) {
  for (const std::size_t n : {0U, 1U, 299U, 1001U}) {
    for (const auto& [begin, end] : {std::pair{0U, 32U}, {3U, 4U}, {5U, 21U}, {9U, 9U}}) {
      check_calls(any_keys<std::uint32_t>(n), by_bits(begin, end));
      check_calls(any_keys<std::int32_t>(n), by_bits<descending>(begin, end));
    }
  }
}

struct hit {
  std::int16_t row;
  std::uint16_t column;
  float score;
};
/// The same order, member after member.
template <class Order>
bool comes_before(const hit& a, const hit& b) {
  const Order first{};
  if (first(a.score, b.score) || first(b.score, a.score)) return first(a.score, b.score);
  return first(a.row, b.row);
}
template <class Order>
void check_members(const std::vector<hit>& hits) {
  const by_members<Order, &hit::score, &hit::row> less;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    for (const hit& other : {hits[i / 2], hits[(i * 7 + 1) % hits.size()]}) {
      EXPECT_EQ(less(hits[i], other), comes_before<Order>(hits[i], other));
    }
  }
  check_calls(hits, less);
}
TEST(host_sort_calls, structs_by_some_of_their_members) {
  for (const std::size_t n : {0U, 1U, 299U, 1001U}) {
    auto hits = any_keys<hit>(n);
    for (std::size_t i = 0; i + 3 < n; i += 5) hits[i + 3].score = hits[i].score;
    check_members<ascending>(hits);
    check_members<descending>(hits);
  }
}

/// The order of the values, then NaNs without and with the sign.
template <class T>
void check_specials(std::uint16_t infinity) {
  const auto from_bits = [](unsigned bits) {
    const auto word = static_cast<std::uint16_t>(bits);
    T value;
    std::memcpy(static_cast<void*>(&value), &word, sizeof value);
    return value;
  };
  const unsigned nan = infinity + 1U, sign = 0x8000U;
  std::vector<T> order{T(-1.0F), T(1.0F)};
  order.insert(order.begin(), from_bits(sign | infinity));
  for (const unsigned bits : {sign | 1U, sign, 0U, 1U}) {  // around zero
    order.insert(order.end() - 1, from_bits(bits));
  }
  for (const unsigned bits : {unsigned{infinity}, nan, 0x7fffU, 0xffffU, sign | nan}) {
    order.push_back(from_bits(bits));
  }
  auto mixed = order;
  std::reverse(mixed.begin(), mixed.end());
  sort(here, mixed);
  EXPECT_TRUE(same_bits(mixed, order));
}

TEST(host_sort_calls, zeros_infinities_and_nan_of_two_bytes) {
  check_specials<__half>(0x7c00);
  check_specials<__nv_bfloat16>(0x7f80);
}

TEST(host_sort_calls, what_is_refused_is_not_written) {
  const std::vector<std::uint32_t> before{3, 1, 2, 5, 4};
  auto keys = before, items = before, out = before, few = std::vector<std::uint32_t>(4);
  const auto refuses = [](auto call, const char* why) {
    EXPECT_THAT(call, testing::ThrowsMessage<usage_error>(testing::HasSubstr(why)));
  };
  refuses([&] { sort(here, keys, few); }, "5 keys needed, 4 given");
  refuses([&] { sort_by_key(here, keys, few, out, items); }, "5 items needed, 4 given");
  refuses([&] { argsort(here, keys, few); }, "5 indices needed, 4 given");
  refuses([&] { sort(here, keys, by_bits(4, 33)); }, "33 bits needed, 32 given");
  refuses([&] { sort_by_key(here, keys, items, by_bits(9, 8)); }, "ends where it begins");
  const auto most = std::span(keys).first(4), rest = std::span(keys).subspan(1);
  refuses([&] { sort(here, most, rest); }, "a sort's output overlaps its keys");
  refuses([&] { argsort(here, most, rest); }, "overlap its keys");
  refuses([&] { sort_by_key(here, keys, items, out, out); }, "overlaps another of its ranges");
  exchangeable<std::uint32_t> folded{most, rest};
  refuses([&] { sort_by_key(here, most, rest); }, "the items of a sort overlap its keys");
  refuses([&] { sort(here, folded); }, "overlap");
  for (const auto& values : {keys, items, out}) EXPECT_EQ(values, before);
}

}  // namespace
}  // namespace warpfold::tests
