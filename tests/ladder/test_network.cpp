// The sorting networks sort, by the 0–1 principle: a network that sorts every sequence of zeros and
// ones sorts every sequence. And the judge of sorts sees what is wrong.
#include <algorithm>
#include <bit>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "ladder/reference/sort.hpp"
#include "ladder/sort/network.hpp"

namespace warpfold {
namespace {

constexpr network_kind kinds[] = {network_kind::odd_even_transposition, network_kind::bitonic,
                                  network_kind::odd_even_merge};

std::size_t comparators(const std::vector<std::vector<comparator>>& layers) {
  std::size_t count = 0;
  for (const auto& layer : layers) count += layer.size();
  return count;
}

TEST(network, sorts_all_zeros_and_ones) {
  for (const auto kind : kinds) {
    for (std::size_t n = 0; n <= 16; ++n) {
      const auto layers = network(n, kind);
      for (std::uint32_t input = 0; input < 1U << n; ++input) {
        std::uint32_t wires = input;  // bit i is wire i
        for (const auto& layer : layers) {
          for (const auto& c : layer) {
            if ((wires >> c.low & 1) > (wires >> c.high & 1)) {
              wires ^= 1U << c.low | 1U << c.high;
            }
          }
        }
        const auto ones = static_cast<unsigned>(std::popcount(input));
        const std::uint32_t sorted = ((1U << ones) - 1) << (n - ones);
        ASSERT_EQ(wires, sorted) << "kind " << static_cast<int>(kind) << ", n " << n << ", input "
                                 << input;
      }
    }
  }
}

TEST(network, no_wire_twice_in_a_layer_and_none_that_is_not_there) {
  for (const auto kind : kinds) {
    for (std::size_t n = 0; n <= 70; ++n) {
      for (const auto& layer : network(n, kind)) {
        std::set<std::size_t> wires;
        for (const auto& c : layer) {
          EXPECT_LT(c.low, c.high);
          EXPECT_LT(c.high, n);
          EXPECT_TRUE(wires.insert(c.low).second);
          EXPECT_TRUE(wires.insert(c.high).second);
        }
      }
    }
  }
}

TEST(network, has_the_size_and_the_depth_of_its_formula) {
  for (std::size_t n = 2; n <= 1024; n *= 2) {
    const auto log = static_cast<std::size_t>(std::bit_width(n) - 1);
    const auto transposition = network(n, network_kind::odd_even_transposition);
    EXPECT_EQ(comparators(transposition), n * (n - 1) / 2);
    const auto bitonic = network(n, network_kind::bitonic);
    EXPECT_EQ(bitonic.size(), log * (log + 1) / 2);
    EXPECT_EQ(comparators(bitonic), n / 2 * (log * (log + 1) / 2));
    const auto merge = network(n, network_kind::odd_even_merge);
    EXPECT_EQ(merge.size(), log * (log + 1) / 2);
    EXPECT_EQ(comparators(merge), n * (log * log - log + 4) / 4 - 1);
  }
}

}  // namespace

namespace ladder {
namespace {

TEST(sort_reference, every_wrong_key_and_value_is_seen) {
  const std::vector<std::uint32_t> keys{5, 3, 9, 3, 1};
  const sort_reference truth({value_type::u32, keys.data(), keys.size()}, false);
  std::vector<std::uint32_t> sorted{1, 3, 3, 5, 9};
  std::vector<std::uint32_t> values{4, 3, 1, 0, 2};
  EXPECT_TRUE(truth.judge(sorted.data(), values.data()).right);
  std::swap(values[1], values[2]);  // equal keys: either order
  EXPECT_TRUE(truth.judge(sorted.data(), values.data()).right);
  for (auto& key : sorted) {
    ++key;
    EXPECT_FALSE(truth.judge(sorted.data(), nullptr).right);
    --key;
  }
  for (auto& value : values) {
    const auto kept = value;
    for (const std::uint32_t other : {0U, 1U, 2U, 3U, 4U, 5U, ~0U}) {
      value = other;
      EXPECT_EQ(truth.judge(sorted.data(), values.data()).right, other == kept) << other;
    }
    value = kept;
  }
}

TEST(sort_reference, recursive_takes_any_size) {
  for (std::size_t n = 0; n < 70; ++n) {
    std::vector<std::int32_t> keys(n), sorted(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::int32_t>(i * 7919 % 31) - 15;
    for (const bool descending : {false, true}) {
      const host_values all{value_type::i32, keys.data(), n};
      sort_recursive(all, descending, sorted.data());
      EXPECT_TRUE(sort_reference(all, descending).judge(sorted.data(), nullptr).right) << n;
      sort_serial(all, descending, sorted.data());
      EXPECT_TRUE(sort_reference(all, descending).judge(sorted.data(), nullptr).right) << n;
    }
  }
}

}  // namespace
}  // namespace ladder
}  // namespace warpfold
