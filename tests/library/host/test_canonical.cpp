// Calls on the host at determinism::gpu_to_gpu equal the reference of the canonical order to the
// bit: with 1, 2 and 7 threads, in chunks of any size.
#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/library/canonical/cases.hpp"
#include "tests/library/canonical/reference.hpp"
#include "tests/library/host/host_test.hpp"
#include "warpfold/host/group.hpp"
#include "warpfold/host/keys.hpp"
#include "warpfold/host/reduce.hpp"
#include "warpfold/host/scan.hpp"
#include "warpfold/host/segments.hpp"

namespace warpfold::tests {
namespace {

template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}
bool same_bits(const std::string& a, const std::string& b) { return a == b; }
template <class T>
bool same_values(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const T& x, const T& y) { return same_bits(x, y); });
}

/// f(place) in tiny chunks and in the usual ones, with 1, 2 and 7 threads.
template <class F>
void everywhere(F f) {
  for (const unsigned threads : {1U, 2U, 7U}) {
    f(here.threads(threads).with(determinism::gpu_to_gpu));
    f(host.threads(threads).with(determinism::gpu_to_gpu));
  }
}

template <class T, class Acc, class Op>
void expect_reference(const std::vector<T>& values, const Acc& init, const Op& op) {
  const std::vector<Acc> converted(values.begin(), values.end());
  const std::size_t n = values.size();
  const Acc root = n == 0 ? init : op(init, canonical::reduce(converted.data(), n, op));
  std::vector<Acc> with_init(n), without(n);
  canonical::inclusive_scan(converted.data(), n, with_init.data(), std::optional<Acc>(init), op);
  canonical::inclusive_scan(converted.data(), n, without.data(), std::optional<Acc>(), op);
  everywhere([&](auto where) {
    ASSERT_TRUE(same_bits(reduce(where, values, init, op), root)) << n;
    std::vector<Acc> out(n), before(n), plain(n);
    inclusive_scan(where, values, out, op, init);
    exclusive_scan(where, values, before, init, op);
    inclusive_scan(where, converted, plain, op);
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_TRUE(same_bits(out[i], with_init[i])) << i << " of " << n;
      ASSERT_TRUE(same_bits(before[i], i == 0 ? init : with_init[i - 1])) << i << " of " << n;
      ASSERT_TRUE(same_bits(plain[i], without[i])) << i << " of " << n;
    }
  });
}

template <class T, class Acc, class Op>
void expect_reference_of_sizes(std::size_t largest, const Acc& init, const Op& op) {
  for (const std::size_t n : sizes_up_to(largest)) {
    std::vector<T> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = value_at<T>(i);
    expect_reference(values, init, op);
  }
}

TEST(host_canonical, floats) {
  expect_reference_of_sizes<float>(70000, 1.5F, pairwise_plus{});
  expect_reference_of_sizes<double>(40000, 1.5, pairwise_plus{});
  expect_reference_of_sizes<float>(9000, 0.1, pairwise_plus{});  // in f64
  expect_reference_of_sizes<std::uint8_t>(9000, 0.1F, pairwise_plus{});
  expect_reference_of_sizes<float>(40000, 1.0F, multiplies{});
  expect_reference_of_sizes<double>(9000, 1.0, multiplies{});
}
TEST(host_canonical, own_operators) {
  expect_reference_of_sizes<affine_f32>(20000, affine_f32{1, 0}, compose_f32{});
  expect_reference_of_sizes<complex_f32>(20000, complex_f32{1, 0}, complex_product{});
  expect_reference_of_sizes<matrix_f32>(9000, matrix_f32{1, 0, 0, 1}, matrix_product{});
  expect_reference_of_sizes<triple>(9000, triple{0, 0, 0}, add_triples{});
}
TEST(host_canonical, values_that_own_memory) {
  for (std::size_t n = 0; n < 70; ++n) {
    std::vector<std::string> names(n);
    for (std::size_t i = 0; i < n; ++i) names[i] = std::to_string(i);
    expect_reference(names, std::string("x"),
                     [](const std::string& a, const std::string& b) { return '(' + a + b + ')'; });
  }
}
TEST(host_canonical, sums_stay_exact) {
  const std::vector<float> values{1e30F, 1, -1e30F};
  everywhere([&](auto where) {
    EXPECT_EQ(reduce(where, values), 1);
    EXPECT_EQ(reduce(where, values, 0.0F, pairwise_plus{}), 0);
  });
}
TEST(host_canonical, rows) {
  for (const std::size_t columns : {0, 1, 2, 7, 16, 100, 129, 70000}) {
    const std::size_t rows = columns > 1000 ? 2 : 9;
    std::vector<float> values(rows * columns);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = value_at<float>(i);
    everywhere([&](auto where) {
      std::vector<float> out(rows);
      reduce_rows(where, values, rows, columns, out, 0.1F);
      for (std::size_t r = 0; r < rows; ++r) {
        const float init = 0.1F;
        const auto* const row = values.data() + r * columns;
        const float expected =
            columns == 0 ? init : init + canonical::reduce(row, columns, pairwise_plus{});
        ASSERT_TRUE(same_bits(out[r], expected)) << columns;
      }
    });
  }
}
TEST(host_canonical, statistics_of_nodes) {
  for (const std::size_t n : sizes_up_to(40000)) {
    if (n == 0) continue;
    std::vector<float> values(n);
    std::vector<detail::tree_moments> leaves(n);
    for (std::size_t i = 0; i < n; ++i) {
      values[i] = value_at<float>(i) + 1000;
      leaves[i] = {1, static_cast<double>(values[i]), 0};
    }
    const auto root = canonical::reduce(leaves.data(), n, detail::join_tree_moments{});
    const auto plain = statistics(host, values);
    everywhere([&](auto where) {
      const auto got = statistics(where, values);
      ASSERT_TRUE(same_bits(got.sum, root.sum)) << n;
      ASSERT_TRUE(same_bits(got.variance, root.squares / root.count)) << n;
      ASSERT_EQ(got.count, n);
      ASSERT_NEAR(got.variance, plain.variance, 1e-9 * plain.variance);
      ASSERT_EQ(got.min, plain.min);
      ASSERT_EQ(got.max, plain.max);
    });
  }
}

/// Segments, and runs of keys, have a tree each: of one value, of a chunk, of more, and of none.
template <class T, class Op>
void expect_trees_of_segments(std::size_t most, const T& init, const Op& op) {
  std::vector<std::size_t> offsets{2};
  for (std::size_t i = 0; i < 40; ++i) {
    offsets.push_back(offsets.back() + (i % 7 == 3 ? most : i % 5 == 2 ? 0 : i * i % 97));
  }
  const std::size_t n = offsets.back() + 3;
  std::vector<T> values(n), keyed(n), sums, run_sums, inclusive, exclusive(n), first(n);
  std::vector<std::size_t> keys(n), run_keys;
  for (std::size_t i = 0; i < n; ++i) values[i] = value_at<T>(i);
  inclusive = values;
  exclusive = values;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    const std::size_t begin = offsets[s], size = offsets[s + 1] - begin;
    std::fill_n(keys.begin() + static_cast<std::ptrdiff_t>(begin), size, s + 1);
    sums.push_back(size == 0 ? init : op(init, canonical::reduce(&values[begin], size, op)));
    canonical::inclusive_scan(&values[begin], size, &inclusive[begin], std::optional<T>(), op);
    if (size == 0) continue;
    run_keys.push_back(s + 1);
    run_sums.push_back(canonical::reduce(&values[begin], size, op));
    canonical::inclusive_scan(&values[begin], size - 1, &exclusive[begin + 1],
                              std::optional<T>(init), op);
    exclusive[begin] = init;
  }
  const std::span<const T> in_runs(values.data() + 2, n - 5);
  const std::span<const std::size_t> key(keys.data() + 2, n - 5);
  const auto inner = [&](const std::vector<T>& all) {
    return std::vector<T>(all.begin() + 2, all.end() - 3);
  };
  everywhere([&](auto where) {
    std::vector<T> sum(sums.size()), scanned(values), from_init(values);
    segmented_reduce(where, values, offsets, sum, init, op);
    ASSERT_TRUE(same_values(sum, sums)) << most;
    segmented_inclusive_scan(where, scanned, offsets, scanned, op);
    ASSERT_TRUE(same_values(scanned, inclusive)) << most;
    segmented_exclusive_scan(where, values, offsets, from_init, init, op);
    ASSERT_TRUE(same_values(from_init, exclusive)) << most;

    std::vector<std::size_t> found(run_keys.size());
    std::vector<T> of_runs(run_keys.size()), by_key(in_runs.size());
    ASSERT_EQ(reduce_by_key(where, key, in_runs, found, of_runs, op), run_keys.size());
    ASSERT_EQ(found, run_keys);
    ASSERT_TRUE(same_values(of_runs, run_sums)) << most;
    inclusive_scan_by_key(where, key, in_runs, by_key, op);
    ASSERT_TRUE(same_values(by_key, inner(inclusive))) << most;
    exclusive_scan_by_key(where, key, in_runs, by_key, init, op);
    ASSERT_TRUE(same_values(by_key, inner(exclusive))) << most;
  });
}

TEST(host_canonical, segments_and_runs) {
  for (const std::size_t most : {1U, 31U, 64U, 65U, 1000U, 70000U}) {
    expect_trees_of_segments<float>(most, 1.5F, plus{});
    expect_trees_of_segments<double>(most, 1.0, multiplies{});
  }
  expect_trees_of_segments<matrix_f32>(1000, matrix_f32{1, 0, 0, 1}, matrix_product{});
}

TEST(host_canonical, runs_without_values_or_room) {
  const std::vector<int> keys{1, 1, 2};
  const std::vector<float> values{1, 2, 3}, none;
  std::vector<int> found(3);
  std::vector<float> sums(1);
  const auto where = here.with(determinism::gpu_to_gpu);
  EXPECT_THROW(reduce_by_key(where, keys, values, found, sums), usage_error);
  EXPECT_EQ(reduce_by_key(where, std::vector<int>(), none, found, sums), 0U);
  inclusive_scan_by_key(where, std::vector<int>(), none, sums);
  segmented_reduce(where, values, std::vector<int>(), sums);
}

TEST(host_canonical, groups) {
  constexpr std::size_t n = 20000;
  const pairwise_plus op;
  std::vector<float> values(n);
  std::map<int, std::vector<float>> groups;  // one of a few values, one of thousands
  std::vector<int> keys(n), expected_keys;
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = value_at<float>(i);
    keys[i] = i % 3 == 0 ? -1 : i % 100 == 1 ? 70000 : static_cast<int>(i * i % 11);
    groups[keys[i]].push_back(values[i]);
  }
  std::vector<float> sums, scattered(70001, 0.5F), expected_scattered(scattered);
  std::vector<double> means, variances;
  for (const auto& [key, own] : groups) {
    std::vector<detail::tree_moments> moments;
    for (const float v : own) moments.push_back({1, v, 0});
    const auto m = canonical::reduce(moments.data(), own.size(), detail::join_tree_moments{});
    expected_keys.push_back(key);
    sums.push_back(canonical::reduce(own.data(), own.size(), op));
    means.push_back(m.sum / m.count);
    variances.push_back(m.squares / m.count);
    if (key >= 0) expected_scattered[static_cast<std::size_t>(key)] += sums.back();
  }
  everywhere([&](auto where) {
    std::vector<int> key(groups.size());
    std::vector<float> sum(groups.size()), scatter(70001, 0.5F), alone(groups.size());
    std::vector<double> mean(groups.size()), variance(groups.size());
    ASSERT_EQ(group_by(where, keys, key, sum_of(values, sum), mean_of(values, mean),
                       variance_of(values, variance)),
              groups.size());
    ASSERT_EQ(key, expected_keys);
    ASSERT_TRUE(same_values(sum, sums) && same_values(mean, means));
    ASSERT_TRUE(same_values(variance, variances));
    group_by(where, keys, key, sum_of(values, alone), last_of(values, sum));
    ASSERT_TRUE(same_values(alone, sums));
    for (std::size_t g = 0; g < key.size(); ++g) ASSERT_EQ(sum[g], groups[key[g]].back());
    std::vector<int> places;
    std::vector<float> own;
    for (std::size_t i = 0; i < n; ++i) {
      if (keys[i] >= 0) places.push_back(keys[i]), own.push_back(values[i]);
    }
    scatter_reduce(where, scatter, places, own);
    ASSERT_TRUE(same_values(scatter, expected_scattered));
    scatter.assign(11, 0.5F);
    for (int& at : places) at %= 11;
    std::vector<float> again(scatter);
    scatter_reduce(where, scatter, places, own);
    const std::size_t found = group_by(where, places, key, sum_of(own, sum));
    for (std::size_t g = 0; g < found; ++g) again[static_cast<std::size_t>(key[g])] += sum[g];
    ASSERT_EQ(scatter, again);
  });
}

}  // namespace
}  // namespace warpfold::tests
