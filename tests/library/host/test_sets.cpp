// Set operations on the host's threads, against the standard library.
#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/library/host/host_test.hpp"
#include "warpfold/host/sets.hpp"

namespace warpfold::tests {
namespace {

/// The second member does not count: it says which of equal keys a result has.
struct tagged {
  std::uint32_t key, tag;
  friend bool operator==(const tagged&, const tagged&) = default;
};
struct by_key {
  bool operator()(const tagged& a, const tagged& b) const { return a.key < b.key; }
};

template <class Std, class Call>
void expect_operation(const std::vector<tagged>& a, const std::vector<tagged>& b, Std std_call,
                      Call call) {
  std::vector<tagged> expected;
  std_call(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected), by_key{});
  const std::size_t n = expected.size();
  const tagged rest{7, 7};
  expected.resize(n + 2, rest);
  for (const auto& where : {here, here.threads(1)}) {
    std::vector<tagged> out(n + 2, rest);
    ASSERT_EQ(call(where, out), n) << a.size() << " and " << b.size();
    ASSERT_EQ(out, expected);
  }
  if (n == 0) return;
  std::vector<tagged> few(n - 1, rest);
  EXPECT_THROW(call(here, few), usage_error);
  EXPECT_EQ(few, std::vector<tagged>(n - 1, rest));
}

/// The same with items, which say what row they are of.
template <class Std, class Call>
void expect_rows(const std::vector<tagged>& a, const std::vector<tagged>& b, Std std_call,
                 Call call) {
  const auto items_of = [](const std::vector<tagged>& rows) {
    std::vector<std::uint64_t> items;
    for (const tagged& row : rows) items.push_back(row.tag * std::uint64_t{7});
    return items;
  };
  const auto a_items = items_of(a), b_items = items_of(b);
  std::vector<tagged> expected;
  std_call(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected), by_key{});
  const std::size_t n = expected.size();
  const tagged rest{7, 7};
  expected.resize(n + 2, rest);
  for (const auto& where : {here, here.threads(1)}) {
    std::vector<tagged> keys(n + 2, rest);
    std::vector<std::uint64_t> items(n + 2, 49);
    ASSERT_EQ(call(where, a, a_items, b, b_items, keys, items, by_key{}), n)
        << a.size() << " and " << b.size();
    ASSERT_EQ(keys, expected);
    ASSERT_EQ(items, items_of(expected));
  }
  std::vector<tagged> keys(n + 2, rest);
  std::vector<std::uint64_t> few(n == 0 ? 0 : n - 1);
  if (n > 0) {
    EXPECT_THROW(call(here, a, a_items, b, b_items, keys, few, by_key{}), usage_error);
  }
  EXPECT_THROW(
      call(here, a, std::vector<std::uint64_t>(a.size() + 1), b, b_items, keys, few, by_key{}),
      usage_error);
  EXPECT_EQ(keys, std::vector<tagged>(n + 2, rest));
}

void expect_operations(std::size_t n, std::size_t m, std::uint32_t kinds) {
  const auto keys = [&](std::size_t count, unsigned seed) {
    const auto random = random_values<std::uint32_t>(count, seed);
    std::vector<tagged> made;
    for (std::size_t i = 0; i < count; ++i) {
      made.push_back({random[i] % kinds, seed << 24 | static_cast<std::uint32_t>(i)});
    }
    std::stable_sort(made.begin(), made.end(), by_key{});
    return made;
  };
  const auto a = keys(n, 1), b = keys(m, 2);
  expect_operation(
      a, b, [](auto... args) { std::set_union(args...); },
      [&](const auto& where, auto& out) { return set_union(where, a, b, out, by_key{}); });
  expect_operation(
      a, b, [](auto... args) { std::set_intersection(args...); },
      [&](const auto& where, auto& out) { return set_intersection(where, a, b, out, by_key{}); });
  expect_operation(
      a, b, [](auto... args) { std::set_difference(args...); },
      [&](const auto& where, auto& out) { return set_difference(where, a, b, out, by_key{}); });
  expect_operation(
      a, b, [](auto... args) { std::set_symmetric_difference(args...); },
      [&](const auto& where, auto& out) {
        return set_symmetric_difference(where, a, b, out, by_key{});
      });
  expect_rows(
      a, b, [](auto... args) { std::set_union(args...); },
      [](const auto& where, auto&&... args) { return set_union_by_key(where, args...); });
  expect_rows(
      a, b, [](auto... args) { std::set_intersection(args...); },
      [](const auto& where, const auto& of_a, const auto& items, const auto& of_b, const auto&,
         auto&&... rest) { return set_intersection_by_key(where, of_a, items, of_b, rest...); });
  expect_rows(
      a, b, [](auto... args) { std::set_difference(args...); },
      [](const auto& where, const auto& of_a, const auto& items, const auto& of_b, const auto&,
         auto&&... rest) { return set_difference_by_key(where, of_a, items, of_b, rest...); });
  expect_rows(
      a, b, [](auto... args) { std::set_symmetric_difference(args...); },
      [](const auto& where, auto&&... args) {
        return set_symmetric_difference_by_key(where, args...);
      });
}

TEST(host_sets, any_number_of_keys) {
  for (const std::size_t n : {0U, 1U, 63U, 64U, 65U, 1000U}) {
    for (const std::size_t m : {0U, 1U, 64U, 777U}) {
      for (const std::uint32_t kinds : {1U, 3U, 500U, ~0U}) expect_operations(n, m, kinds);
    }
  }
  expect_operations(30'000, 20'000, 10'000);
}

TEST(host_sets, nan_is_the_greatest_and_overlaps_are_refused) {
  const float nan = std::nanf("");
  const std::vector<float> a{1, 2, nan}, b{2, nan, nan};
  std::vector<float> out(6);
  EXPECT_EQ(set_union(host, a, b, out), 4U);
  EXPECT_TRUE(out[0] == 1 && out[1] == 2 && std::isnan(out[2]) && std::isnan(out[3]));
  EXPECT_EQ(set_symmetric_difference(host, a, b, out), 2U);
  EXPECT_EQ(out[0], 1);
  EXPECT_TRUE(std::isnan(out[1]));
  EXPECT_THROW(set_union(host, out, b, out), usage_error);
}

}  // namespace
}  // namespace warpfold::tests
