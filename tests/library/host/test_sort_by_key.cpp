// sort_by_key and stable_sort_by_key on the host: items of any size follow their keys, those of
// equal keys in their order.
#include <algorithm>
#include <array>
#include <numeric>

#include <gmock/gmock.h>

#include "tests/library/host/host_test.hpp"
#include "warpfold/error.hpp"
#include "warpfold/host/sort.hpp"

namespace warpfold::tests {
namespace {

/// What becomes of keys and items, by way of std::stable_sort of places.
template <class K, class V, class Less>
void check_by_key(std::vector<K> keys, std::vector<V> items, const Less& less,
                  unsigned threads = 0) {
  std::vector<std::size_t> place(keys.size());
  std::iota(place.begin(), place.end(), 0);
  std::stable_sort(place.begin(), place.end(),
                   [&](std::size_t a, std::size_t b) { return less(keys[a], keys[b]); });
  std::vector<K> expected_keys;
  std::vector<V> expected_items;
  for (const std::size_t p : place) {
    expected_keys.push_back(keys[p]);
    expected_items.push_back(items[p]);
  }
  stable_sort_by_key(here.threads(threads), keys, items, less);
  ASSERT_TRUE(same_bits(keys, expected_keys)) << keys.size();
  ASSERT_TRUE(same_bits(items, expected_items)) << keys.size();
}

template <class V>
std::vector<V> numbered(std::size_t n) {
  std::vector<V> items(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::memcpy(static_cast<void*>(&items[i]), &i, std::min(sizeof i, sizeof(V)));
  }
  return items;
}

template <class T>
class host_sort_by_key_of : public testing::Test {};
using types =
    testing::Types<std::int8_t, std::uint16_t, std::int32_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(host_sort_by_key_of, types);

TYPED_TEST(host_sort_by_key_of, every_size) {
  for (std::size_t n = 0; n < 700; n += n < 150 ? 1 : 13) {
    auto keys = random_values<TypeParam>(n, static_cast<unsigned>(n));
    check_by_key(keys, numbered<std::uint32_t>(n), ascending{});
    for (auto& key : keys) key = static_cast<TypeParam>(static_cast<int>(key) % 7);  // many equal
    check_by_key(keys, numbered<std::uint32_t>(n), ascending{});
    check_by_key(keys, numbered<std::uint32_t>(n), descending{});
    check_by_key(keys, numbered<std::uint32_t>(n), std::greater<>{});
  }
}

TYPED_TEST(host_sort_by_key_of, items_of_every_size) {
  for (const std::size_t n : {33, 1000, 20'011}) {
    const auto keys = random_values<TypeParam>(n);
    check_by_key(keys, numbered<std::uint8_t>(n), ascending{});
    check_by_key(keys, numbered<std::uint16_t>(n), descending{});
    check_by_key(keys, numbered<double>(n), ascending{});
    check_by_key(keys, numbered<std::array<char, 3>>(n), ascending{});
    check_by_key(keys, numbered<std::array<char, 12>>(n), descending{});
    check_by_key(keys, numbered<std::array<std::uint64_t, 9>>(n), ascending{});
    check_by_key(keys, numbered<std::array<char, 12>>(n), std::less<>{});
  }
}

RC_GTEST_PROP(host_sort_by_key, on_any_number_of_threads,
              (const std::vector<std::uint16_t>& bits)) {
  const auto coarse = [](std::uint16_t a, std::uint16_t b) { return a / 8 < b / 8; };
  const unsigned threads = *rc::gen::inRange(0U, 5U);
  check_by_key(bits, numbered<std::uint32_t>(bits.size()), coarse, threads);
  check_by_key(bits, numbered<std::uint32_t>(bits.size()), ascending{}, threads);
}

TEST(host_sort_by_key, pointers) {
  int keys[] = {3, 1, 2};
  char items[] = {'c', 'a', 'b'};
  sort_by_key(here, std::span(keys, 3), std::span(items, 3));
  EXPECT_THAT(keys, testing::ElementsAre(1, 2, 3));
  EXPECT_THAT(items, testing::ElementsAre('a', 'b', 'c'));
  stable_sort_by_key(here, std::span(keys, 3), std::span(items, 3), descending{});
  EXPECT_THAT(items, testing::ElementsAre('c', 'b', 'a'));
}

TEST(host_sort_by_key, as_many_items_as_keys) {
  std::vector<int> keys(5), items(4);
  EXPECT_THAT([&] { sort_by_key(here, keys, items); },
              testing::ThrowsMessage<usage_error>(
                  testing::AllOf(testing::HasSubstr("5 keys"), testing::HasSubstr("4 items"))));
}

}  // namespace
}  // namespace warpfold::tests
