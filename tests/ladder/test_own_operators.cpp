// The kernels take any associative operator, also one that does not commute, and any order of keys;
// the library's own orders are total.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "ladder/scan/01_hillis_steele.cuh"
#include "ladder/scan/02_double_buffered.cuh"
#include "ladder/scan/04_conflict_free.cuh"
#include "ladder/scan/05_shuffle_scan.cuh"
#include "ladder/scan/07_reduce_then_scan.cuh"
#include "ladder/scan/08_look_back.cuh"
#include "ladder/sort/04_bitonic_shared.cuh"
#include "ladder/sort/06_bitonic_cluster.cuh"
#include "ladder/sort/07_merge_path.cuh"
#include "simt/memory.hpp"
#include "warpfold/order.hpp"

namespace warpfold::ladder {
namespace {

/// x -> a x + b, with a and b in the halves of a word: first the left function, then the right.
struct then {
  std::int64_t operator()(std::int64_t left, std::int64_t right) const {
    const auto a = low(left) * low(right);
    const auto b = high(left) * low(right) + high(right);
    return make(a, b);
  }
  template <class T>
  static constexpr T identity() {
    return 1;
  }
  static std::uint32_t low(std::int64_t f) { return static_cast<std::uint32_t>(f); }
  static std::uint32_t high(std::int64_t f) { return static_cast<std::uint32_t>(f >> 32); }
  static std::int64_t make(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::int64_t>(std::uint64_t{b} << 32 | a);
  }
};

template <class T>
struct device_array {
  explicit device_array(std::size_t n) : data(static_cast<T*>(simt::allocate(n * sizeof(T)))) {}
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
  ~device_array() { simt::free(data); }
  T* data;
};

template <class Rung>
void expect_composition(const char* name) {
  std::mt19937_64 random(7);
  for (const std::size_t n : {1, 33, 1000, 20011}) {
    for (const bool exclusive : {false, true}) {
      const shape s{.n = n, .block = 64, .processors = 3, .value_bytes = 8};
      const device_array<std::int64_t> in(n), out(n);
      const device_array<char> scratch(Rung::scratch_bytes(s));
      std::vector<std::int64_t> expected(n);
      std::int64_t all = 1;
      for (std::size_t i = 0; i < n; ++i) {
        in.data[i] = static_cast<std::int64_t>(random() | 1);
        const std::int64_t before = all;
        all = then{}(all, in.data[i]);
        expected[i] = exclusive ? before : all;
      }
      Rung::template run<std::int64_t, then>({.in = in.data,
                                              .out = out.data,
                                              .n = n,
                                              .exclusive = exclusive,
                                              .shape = s,
                                              .scratch = scratch.data,
                                              .stream = nullptr});
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), out.data)) << name << ", n " << n;
    }
  }
}

TEST(own_operator, composition_of_functions) {
  expect_composition<scan_ladder::hillis_steele>("hillis-steele");
  expect_composition<scan_ladder::double_buffered>("double-buffered");
  expect_composition<scan_ladder::conflict_free>("conflict-free");
  expect_composition<scan_ladder::shuffle_scan>("shuffle-scan");
  expect_composition<scan_ladder::scan_then_propagate>("scan-then-propagate");
  expect_composition<scan_ladder::reduce_then_scan>("reduce-then-scan");
  expect_composition<scan_ladder::look_back>("look-back");
}

TEST(order, floats_are_in_a_total_order) {
  using limits = std::numeric_limits<float>;
  const std::vector<float> rising{-limits::infinity(),
                                  limits::lowest(),
                                  -1,
                                  -limits::min(),
                                  -limits::denorm_min(),
                                  -0.0F,
                                  0.0F,
                                  limits::denorm_min(),
                                  1,
                                  limits::max(),
                                  limits::infinity(),
                                  limits::quiet_NaN(),
                                  -limits::quiet_NaN()};
  for (std::size_t i = 0; i < rising.size(); ++i) {
    for (std::size_t j = 0; j < rising.size(); ++j) {
      EXPECT_EQ(ascending{}(rising[i], rising[j]), i < j) << rising[i] << " " << rising[j];
      EXPECT_EQ(descending{}(rising[i], rising[j]), j < i);
      EXPECT_EQ(ascending{}(static_cast<double>(rising[i]), static_cast<double>(rising[j])), i < j);
    }
  }
  EXPECT_TRUE(ascending{}(std::numeric_limits<std::int32_t>::min(), -1));
  EXPECT_TRUE(ascending{}(-1, 0));
  EXPECT_TRUE(ascending{}(std::uint64_t{1}, ~std::uint64_t{0}));
}

/// Even numbers before odd ones, the greater first.
struct even_first {
  bool operator()(std::int32_t a, std::int32_t b) const {
    return a % 2 != b % 2 ? b % 2 != 0 : b < a;
  }
};

template <class Rung>
void expect_sorted(const char* name) {
  for (const std::size_t n : {1, 2, 100, 5003}) {
    const shape s{.n = n, .block = 32, .processors = 3, .value_bytes = 4};
    const device_array<std::int32_t> in(n), out(n);
    const device_array<char> scratch(Rung::scratch_bytes(s));
    for (std::size_t i = 0; i < n; ++i) in.data[i] = static_cast<std::int32_t>(i * 7919 % 4001);
    std::vector<std::int32_t> expected(in.data, in.data + n);
    std::sort(expected.begin(), expected.end(), even_first{});
    Rung::run(sort_ladder::pass<std::int32_t, sort_ladder::nothing>{.in = {in.data},
                                                                    .out = {out.data},
                                                                    .n = n,
                                                                    .shape = s,
                                                                    .scratch = scratch.data,
                                                                    .stream = nullptr},
              even_first{});
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), out.data)) << name << ", n " << n;
  }
}

TEST(own_order, even_numbers_first) {
  expect_sorted<sort_ladder::bitonic_shared>("bitonic-shared");
  expect_sorted<sort_ladder::bitonic_warp>("bitonic-warp");
  expect_sorted<sort_ladder::bitonic_cluster>("bitonic-cluster");
  expect_sorted<sort_ladder::merge_path>("merge-path");
}

}  // namespace
}  // namespace warpfold::ladder
