// Calls on the host at determinism::gpu_to_gpu equal the reference of the canonical order to the
// bit: with 1, 2 and 7 threads, in chunks of any size.
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/library/canonical/cases.hpp"
#include "tests/library/canonical/reference.hpp"
#include "tests/library/host/host_test.hpp"
#include "warpfold/host/reduce.hpp"
#include "warpfold/host/scan.hpp"

namespace warpfold::tests {
namespace {

template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}
bool same_bits(const std::string& a, const std::string& b) { return a == b; }

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

}  // namespace
}  // namespace warpfold::tests
