// Set operations on sorted ranges through their public calls, on the CPU machine and on CUDA.
#include <cmath>

#include "tests/library/device/device_sort_test.hpp"
#include "warpfold/sets.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

class device_sets : public device_test {};

/// Equal keys differ in the second half, which no order looks at: so the result says which they
/// are.
struct tagged {
  std::uint32_t key, tag;
};
struct by_first_member {
  __host__ __device__ bool operator()(const tagged& a, const tagged& b) const {
    return a.key < b.key;
  }
};

template <class K>
std::vector<K> sorted_keys(std::size_t n, unsigned seed, std::uint32_t kinds) {
  const auto random = random_values<std::uint32_t>(n, seed);
  std::vector<K> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    if constexpr (std::is_same_v<K, tagged>) {
      keys[i] = {random[i] % kinds, seed << 24 | static_cast<std::uint32_t>(i)};
    } else {
      keys[i] = static_cast<K>(random[i] % kinds);
    }
  }
  return keys;
}

/// Both forms of one operation, which std makes of a and b.
template <class K, class Less, class Std, class Call>
void expect_operation(const char* name, const std::vector<K>& a, const std::vector<K>& b, Less less,
                      std::size_t offset, Std std_call, Call call) {
  SCOPED_TRACE(testing::Message() << name << " of " << a.size() << " and " << b.size()
                                  << " keys of " << sizeof(K) << " bytes, from " << offset);
  std::vector<K> expected;
  std_call(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected), less);
  const std::size_t n = expected.size();
  const device_buffer<K> in_a(a, offset), in_b(b, 2 * offset), out(a.size() + b.size(), offset);
  const device_buffer<std::size_t> selected(1);
  auto whole = out.read();
  std::copy(expected.begin(), expected.end(), whole.begin());
  const workspace memory(set_workspace_bytes<K>(a.size() + b.size()));
  for (int again = 0; again < 2; ++again) {
    ASSERT_TRUE(
        call(device.with(memory), in_a.values(), in_b.values(), out.room(), selected.data(), less)
            .ok());
    EXPECT_EQ(selected.read()[0], n);
    EXPECT_TRUE(same_bits(out.read(), whole));
  }
  const auto count = [&](const auto& room) {
    return call(device, in_a.values(), in_b.values(), room, less);
  };
  EXPECT_EQ(count(out.room().first(n)), n);
  EXPECT_TRUE(same_bits(out.read(), whole));
  if (n == 0) return;
  const device_buffer<K> few(n);
  auto filled = few.read();
  std::copy(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(n / 2),
            filled.begin());
  const auto half = few.room().first(n / 2);
  ASSERT_TRUE(call(device, in_a.values(), in_b.values(), half, selected.data(), less).ok());
  EXPECT_EQ(selected.read()[0], n);
  EXPECT_TRUE(same_bits(few.read(), filled));
  EXPECT_THROW(count(half), usage_error);
}

template <class K, class Less = ascending>
void expect_operations(std::vector<K> a, std::vector<K> b, Less less = {}, std::size_t offset = 0) {
  std::stable_sort(a.begin(), a.end(), less);
  std::stable_sort(b.begin(), b.end(), less);
  const auto expect = [&](const char* name, auto std_call, auto call) {
    expect_operation(name, a, b, less, offset, std_call, call);
  };
  expect(
      "union", [](auto... args) { std::set_union(args...); },
      [](const auto&... args) { return set_union(args...); });
  expect(
      "intersection", [](auto... args) { std::set_intersection(args...); },
      [](const auto&... args) { return set_intersection(args...); });
  expect(
      "difference", [](auto... args) { std::set_difference(args...); },
      [](const auto&... args) { return set_difference(args...); });
  expect(
      "symmetric difference", [](auto... args) { std::set_symmetric_difference(args...); },
      [](const auto&... args) { return set_symmetric_difference(args...); });
}

template <class K, class Less = ascending>
void expect_operations(std::size_t n, std::size_t m, std::uint32_t kinds, Less less = {},
                       std::size_t offset = 0) {
  expect_operations(sorted_keys<K>(n, 1, kinds), sorted_keys<K>(m, 2, kinds), less, offset);
}

TEST_F(device_sets, any_number_of_keys) {
  for (const std::size_t n : {0U, 1U, 31U, 896U, 3001U}) {
    for (const std::size_t m : {0U, 1U, 895U, 2500U}) {
      for (const std::uint32_t kinds : {1U, 7U, 5000U, ~0U}) {
        expect_operations<tagged>(n, m, kinds, by_first_member{});
        expect_operations<std::uint32_t>(n, m, kinds, descending{}, 1);
      }
    }
  }
  if (on_cpu) return;
  for (const std::size_t n : {400'000U, 3'000'001U, 12'000'003U}) {
    for (const std::uint32_t kinds : {1U, 1000U, 1U << 22, ~0U}) {
      expect_operations<tagged>(n, n / 3, kinds, by_first_member{});
      expect_operations<std::uint32_t>(n / 3, n, kinds);
    }
  }
}

/// Ties that many tiles share.
TEST_F(device_sets, long_ties) {
  auto a = sorted_keys<tagged>(9000, 1, 4), b = sorted_keys<tagged>(7000, 2, 4);
  for (std::size_t i = 0; i < 5000; ++i) a[i].key = 2;
  expect_operations(a, b, by_first_member{});
  expect_operations(b, a, by_first_member{}, 1);
  expect_operations(std::vector<tagged>(6000, {1, 1}), std::vector<tagged>(5999, {1, 2}),
                    by_first_member{});
}

/// The tiles of many keys, which few keys do not take, and their search in a launch of its own.
TEST_F(device_sets, large_tiles) {
  const auto a = [] {
    auto keys = sorted_keys<std::uint16_t>(30'000, 1, 9000);
    std::sort(keys.begin(), keys.end());
    return keys;
  }();
  auto b = sorted_keys<std::uint16_t>(20'000, 2, 9000);
  std::sort(b.begin(), b.end());
  std::vector<std::uint16_t> expected;
  std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(),
                                std::back_inserter(expected));
  for (const bool searches_first : {false, true}) {
    const device_buffer<std::uint16_t> in_a(a), in_b(b), out(expected.size());
    const device_buffer<std::size_t> selected(1);
    const auto operate = [&](const auto& problem) {
      const detail::work_place where{device.stream(), nullptr, 0};
      ASSERT_TRUE(
          (detail::set_in_tiles<detail::set_symmetric_difference_of, tuning::set_large_tile<2>>(
               where, problem, detail::radix_order<std::uint16_t, ascending>{}, searches_first)
               .ok()));
      EXPECT_EQ(selected.read()[0], expected.size());
      EXPECT_EQ(out.read(), expected);
    };
    operate(detail::set_problem<std::uint16_t, detail::keys_only>{
        detail::rows_of(in_a.room()), a.size(), detail::rows_of(in_b.room()), b.size(),
        detail::rows_of(out.room()), expected.size(), selected.data()});
    const device_buffer<std::uint16_t> items_out(expected.size());
    operate(detail::set_problem<std::uint16_t, std::uint16_t>{
        detail::rows_of(in_a.room(), in_a.room()), a.size(),
        detail::rows_of(in_b.room(), in_b.room()), b.size(),
        detail::rows_of(out.room(), items_out.room()), expected.size(), selected.data()});
    EXPECT_EQ(items_out.read(), expected);
  }
}

TEST_F(device_sets, any_type) {
  expect_operations<std::uint8_t>(3001, 999, 200, ascending{}, 3);
  expect_operations<std::int16_t>(3001, 999, 60'000, descending{}, 1);
  expect_operations<double>(3001, 2999, 3000);
  auto floats = sorted_keys<float>(2001, 1, 500);
  for (std::size_t i = 0; i < floats.size(); i += 7) floats[i] = i % 2 == 0 ? 0.0F : -0.0F;
  for (std::size_t i = 3; i < floats.size(); i += 11) floats[i] = std::nanf("");
  expect_operations(floats, sorted_keys<float>(1000, 2, 500));
}

/// An item of 28 bytes.
struct wide {
  std::uint32_t words[7];
};
/// The item of a row says which row it is of.
template <class V>
std::vector<V> items_of(const std::vector<tagged>& rows) {
  std::vector<V> items(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if constexpr (std::is_same_v<V, wide>) {
      for (std::uint32_t k = 0; k < 7; ++k) items[i].words[k] = rows[i].tag + k;
    } else {
      items[i] = static_cast<V>(rows[i].tag * 7);
    }
  }
  return items;
}

/// Both forms of one operation by key.
template <class V, class Std, class Call>
void expect_rows(const char* name, const std::vector<tagged>& a, const std::vector<tagged>& b,
                 std::size_t offset, Std std_call, Call call) {
  SCOPED_TRACE(testing::Message() << name << " of " << a.size() << " and " << b.size()
                                  << " rows with items of " << sizeof(V) << " bytes");
  std::vector<tagged> expected;
  std_call(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected), by_first_member{});
  const std::size_t n = expected.size(), room = a.size() + b.size();
  const device_buffer<tagged> in_a(a), in_b(b);
  const device_buffer<V> items_a(items_of<V>(a), offset), items_b(items_of<V>(b), 2 * offset);
  const device_buffer<std::size_t> selected(1);
  const workspace memory(set_workspace_bytes<tagged>(room));
  const auto with = [&](const auto& where, const auto& keys, const auto& items, auto... rest) {
    return call(where, in_a.values(), items_a.values(), in_b.values(), items_b.values(), keys,
                items, rest...);
  };
  /// The first `fit` rows are written, and nothing behind them.
  const auto expect_written = [&](const auto& keys, const auto& items, std::size_t fit) {
    auto due = device_buffer<tagged>(room).read();
    auto due_items = device_buffer<V>(room, offset).read();
    const auto all_items = items_of<V>(expected);
    std::copy_n(expected.begin(), fit, due.begin());
    std::copy_n(all_items.begin(), fit, due_items.begin());
    EXPECT_TRUE(same_bits(keys.read(), due));
    EXPECT_TRUE(same_bits(items.read(), due_items));
  };
  const device_buffer<tagged> keys(room), few_keys(room);
  const device_buffer<V> items(room, offset), few_items(room, offset);
  ASSERT_TRUE(
      with(device.with(memory), keys.room(), items.room(), selected.data(), by_first_member{})
          .ok());
  EXPECT_EQ(selected.read()[0], n);
  expect_written(keys, items, n);
  EXPECT_EQ(with(device, keys.room().first(n), items.room().first(n), by_first_member{}), n);
  expect_written(keys, items, n);
  if (n == 0) return;
  const auto short_items = few_items.room().first(n / 2);
  ASSERT_TRUE(with(device, few_keys.room(), short_items, selected.data(), by_first_member{}).ok());
  EXPECT_EQ(selected.read()[0], n);
  expect_written(few_keys, few_items, n / 2);
  EXPECT_THROW(with(device, few_keys.room(), short_items, by_first_member{}), usage_error);
}

template <class V>
void expect_rows(std::size_t n, std::size_t m, std::uint32_t kinds, std::size_t offset = 0) {
  auto a = sorted_keys<tagged>(n, 1, kinds), b = sorted_keys<tagged>(m, 2, kinds);
  std::stable_sort(a.begin(), a.end(), by_first_member{});
  std::stable_sort(b.begin(), b.end(), by_first_member{});
  const auto expect = [&](const char* name, auto std_call, auto call) {
    expect_rows<V>(name, a, b, offset, std_call, call);
  };
  expect(
      "union", [](auto... args) { std::set_union(args...); },
      [](const auto&... args) { return set_union_by_key(args...); });
  expect(
      "intersection", [](auto... args) { std::set_intersection(args...); },
      [](const auto& where, const auto& keys, const auto& items, const auto& others, const auto&,
         const auto&... rest) {
        return set_intersection_by_key(where, keys, items, others, rest...);
      });
  expect(
      "difference", [](auto... args) { std::set_difference(args...); },
      [](const auto& where, const auto& keys, const auto& items, const auto& others, const auto&,
         const auto&... rest) {
        return set_difference_by_key(where, keys, items, others, rest...);
      });
  expect(
      "symmetric difference", [](auto... args) { std::set_symmetric_difference(args...); },
      [](const auto&... args) { return set_symmetric_difference_by_key(args...); });
}

TEST_F(device_sets, any_items_by_key) {
  for (const std::size_t n : {0U, 1U, 896U, 3001U}) {
    for (const std::size_t m : {0U, 2500U}) {
      for (const std::uint32_t kinds : {1U, 7U, 5000U}) {
        expect_rows<std::uint32_t>(n, m, kinds, 1);
      }
      expect_rows<wide>(n, m, 5000, 1);
    }
  }
  expect_rows<std::uint8_t>(3001, 2500, 900, 3);
  expect_rows<std::uint64_t>(2000, 3000, 900, 1);
  if (on_cpu) return;
  for (const std::size_t n : {400'000U, 3'000'001U, 12'000'003U}) {
    for (const std::uint32_t kinds : {1U, 1000U, 1U << 22, ~0U}) {
      expect_rows<std::uint32_t>(n, n / 3, kinds);
      expect_rows<wide>(n / 3, n, kinds);
    }
  }
}

TEST_F(device_sets, refused_by_key) {
  const device_buffer<std::uint32_t> keys(std::vector<std::uint32_t>(100, 4)), out(100), items(100);
  const device_buffer<std::size_t> selected(std::vector<std::size_t>{7});
  const auto a = keys.values().first(50), b = keys.values().subspan(50);
  const auto few = keys.values().first(49);
  auto* const n = selected.data();
  EXPECT_FALSE(set_union_by_key(device, a, few, b, b, out.room(), items.room(), n).ok());
  EXPECT_FALSE(set_union_by_key(device, a, a, b, few, out.room(), items.room(), n).ok());
  EXPECT_FALSE(set_intersection_by_key(device, a, few, b, out.room(), items.room(), n).ok());
  EXPECT_FALSE(set_difference_by_key(device, a, a, b, out.room(), out.room(), n).ok());
  EXPECT_FALSE(set_difference_by_key(device, a, a, b, out.room(), keys.room(), n).ok());
  EXPECT_THROW(set_union_by_key(device, a, few, b, b, out.room(), items.room()), device_error);
  EXPECT_EQ(selected.read()[0], 7U);
  EXPECT_EQ(out.read(), device_buffer<std::uint32_t>(100).read());
}

TEST_F(device_sets, what_is_refused_writes_nothing) {
  const device_buffer<std::uint32_t> keys(std::vector<std::uint32_t>(100, 4)), out(100);
  const device_buffer<std::size_t> selected(std::vector<std::size_t>{7});
  const auto a = keys.values().first(50), b = keys.values().subspan(50);
  EXPECT_FALSE(set_union(device, a, b, keys.room().subspan(49), selected.data()).ok());
  EXPECT_FALSE(set_difference(device, a, b, out.room(), selected.data(), by_bits(0, 33)).ok());
  const workspace small(1);
  EXPECT_FALSE(set_intersection(device.with(small), a, b, out.room(), selected.data()).ok());
  EXPECT_EQ(selected.read()[0], 7U);
}

#if defined(SIMT_KERNELS)
/// One warp after the other, in any order: results have the same bits, and no check has a finding.
TEST_F(device_sets, the_same_in_eight_orders) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(seed);
    const simt::observe order({.workers = 1, .check = true, .seed = seed, .patience_seconds = 10});
    expect_operations<tagged>(3000, 2000, 900, by_first_member{});
    expect_operations<tagged>(1500, 2500, 2, by_first_member{});
    expect_rows<std::uint32_t>(2000, 1500, 900);
    for (const auto& f : order.findings) ADD_FAILURE() << f.text();
  }
}
#endif

}  // namespace
}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
