// Histograms on the host do what plain loops do, with any number of threads; nothing is written
// past an end.
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>

#include <gmock/gmock.h>

#include "tests/library/host/runs_of_keys.hpp"
#include "warpfold/error.hpp"
#include "warpfold/host/histogram.hpp"

namespace warpfold::tests {
namespace {

constexpr unsigned thread_numbers[] = {1, 2, 7};
constexpr std::size_t value_numbers[] = {0, 1, 255, 257, 16'384, 100'003};

template <class Count, class T, class Bins, class BinOf>
void expect_counts(const std::vector<T>& in, const Bins& bins, const BinOf& bin_of) {
  const std::size_t count = detail::bin_count(bins);
  std::vector<Count> expected(count);
  for (const T& v : in) {
    const std::size_t bin = bin_of(v);
    if (bin < count) ++expected[bin];
  }
  for (const unsigned threads : thread_numbers) {
    fenced<Count> out(count);
    histogram(here.threads(threads), in, bins, out.room());
    out.expect(expected);
  }
}

template <class T>
std::size_t bin_by_division(T value, long long low, long long high, std::size_t count) {
  __extension__ using wide = __int128;
  if (wide{value} < low || wide{value} > high) return count;
  const auto bin = static_cast<std::size_t>((wide{value} - low) * wide(count) / (wide{high} - low));
  return std::min(bin, count - 1);
}

template <class T>
class host_histogram : public testing::Test {};
using integers = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint32_t,
                                std::int32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(host_histogram, integers);

TYPED_TEST(host_histogram, even_bins_of_integers_are_exact) {
  using T = TypeParam;
  const long long low = std::is_signed_v<T> ? -100 : 3;
  const long long high = sizeof(T) == 1 ? 120 : (1LL << (8 * sizeof(T) - 2)) + 12'345;
  for (const std::size_t n : value_numbers) {
    auto in = random_values<T>(n);
    if (n > 2) in[1] = static_cast<T>(low), in[2] = static_cast<T>(high);
    for (const std::size_t count : {1U, 2U, 10U, 5000U, 300'000U}) {
      expect_counts<std::uint32_t>(in, even_bins<long long>{low, high, count},
                                   [&](T v) { return bin_by_division(v, low, high, count); });
    }
  }
}

TEST(host_histograms, of_one_value_and_of_runs) {
  for (const std::size_t count : {1U, 10U, 5000U, 1U << 20}) {
    for (const std::size_t run : {1U, 3U, 100'000U}) {
      std::vector<std::uint32_t> in(100'000);
      for (std::size_t i = 0; i < in.size(); ++i) {
        in[i] = static_cast<std::uint32_t>(i / run * 104'729 % (count + 1));
      }
      expect_counts<std::int64_t>(in, each_integer{0, count}, [](auto v) { return v; });
    }
  }
}

TEST(host_histograms, edges_and_what_is_no_number) {
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> in{0, -0.0F, 0.25F, 0.5F, 0.999F, 1, 1.001F, -0.1F, inf, -inf, NAN};
  std::vector<int> counts{9, 9, 9, 9, 9};
  histogram(here, in, even_bins{0.0F, 1.0F, 4}, counts);
  EXPECT_EQ(counts, (std::vector<int>{2, 1, 1, 2, 9}));
  histogram(here, in, std::vector<float>{0, 0.25F, 0.5F, 0.75F, 1}, counts);
  EXPECT_EQ(counts, (std::vector<int>{2, 1, 1, 2, 9}));
  cumulative_histogram(here, in, even_bins{0.0F, 1.0F, 4}, counts);
  EXPECT_EQ(counts, (std::vector<int>{2, 3, 4, 6, 9}));
}

TEST(host_histograms, points_and_channels) {
  const auto x = random_values<std::int16_t>(50'000);
  auto y = x;
  std::reverse(y.begin(), y.end());
  std::vector<std::uint32_t> points(21), pixels(30);
  std::vector<std::int16_t> both;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t a = bin_by_division(x[i], -30'000, 20'000, 7),
                      b = bin_by_division(y[i], 0, 1000, 3);
    if (a < 7 && b < 3) ++points[a * 3 + b];
    if (a < 7) ++pixels[a];
    const std::size_t c = bin_by_division(y[i], -5000, 5000, 23);
    if (c < 23) ++pixels[7 + c];
    both.insert(both.end(), {x[i], y[i], 0});
  }
  const std::array<even_bins<int>, 2> bins{{{-30'000, 20'000, 7}, {-5000, 5000, 23}}};
  for (const unsigned threads : thread_numbers) {
    fenced<std::uint32_t> of_points(21), of_pixels(30);
    histogram_2d(here.threads(threads), x, y, bins[0], even_bins{0, 1000, 3}, of_points.room());
    of_points.expect(points);
    histogram_channels(here.threads(threads), both, 3, bins, of_pixels.room());
    of_pixels.expect(pixels);
  }
}

template <class W>
void expect_sums(std::size_t n, std::size_t count, W scale) {
  const auto in = random_values<std::uint8_t>(n);
  auto weights = random_values<W>(n);
  for (std::size_t i = 0; i < n; i += 3) {
    if constexpr (std::is_integral_v<W>) {  // integers wrap
      weights[i] = static_cast<W>(static_cast<std::uint64_t>(weights[i]) *
                                  static_cast<std::uint64_t>(scale));
    } else {
      weights[i] *= scale;
    }
  }
  std::vector<W> expected(count);
  for (std::size_t k = 0; k < count; ++k) {
    exact_accumulator<double> sum;
    std::uint64_t whole = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (in[i] != k) continue;
      if constexpr (std::is_integral_v<W>) {
        whole += static_cast<std::uint64_t>(weights[i]);
      } else {
        sum.add(weights[i]);
      }
    }
    if constexpr (std::is_integral_v<W>) {
      expected[k] = static_cast<W>(whole);
    } else {
      expected[k] = sum.template round<W>();
    }
  }
  for (const unsigned threads : thread_numbers) {
    fenced<W> out(count);
    weighted_histogram(here.threads(threads), in, weights, each_integer{0, count}, out.room());
    out.expect(expected);
  }
}

TEST(host_histograms, weights) {
  for (const std::size_t n : {0U, 1U, 257U, 70'000U}) {
    expect_sums<std::int32_t>(n, 200, 3);
    expect_sums<std::uint64_t>(n, 10, 5);
    expect_sums<float>(n, 100, 1e30F);
    expect_sums<double>(n, 10, 1e300);
  }
}

TEST(host_histograms, bincount_grows_to_the_largest_value) {
  EXPECT_EQ(bincount(here, std::vector<int>{3, 0, 3}), (std::vector<std::uint64_t>{1, 0, 0, 2}));
  EXPECT_EQ(bincount(here, std::vector<int>{1}, 3), (std::vector<std::uint64_t>{0, 1, 0}));
  EXPECT_EQ(bincount(here, std::vector<int>{}), std::vector<std::uint64_t>{});
  EXPECT_THROW(bincount(here, std::vector<int>{1, -1}), usage_error);
  EXPECT_THROW(bincount(here, std::vector<int>{1 << 24}), usage_error);
}

template <class Call>
void expect_refused(const Call& call, const char* why) {
  try {
    call();
    FAIL() << "it should throw: " << why;
  } catch (const usage_error& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr(why));
  }
}

TEST(host_histograms, what_is_refused) {
  const std::vector<float> in(9), weights(8);
  std::vector<int> counts(4);
  const auto with = [&](const auto& bins) { return [&] { histogram(here, in, bins, counts); }; };
  expect_refused(with(even_bins{0.0F, 1.0F, 5}), "5 counts needed, 4 given");
  expect_refused(with(even_bins{0.0F, 1.0F, 0}), "1 bins needed, 0 given");
  expect_refused(with(even_bins{0.0F, 1.0F, most_bins + 1}), "16777217 given");
  expect_refused(with(even_bins{1.0F, 1.0F, 4}), "less than the high one");
  expect_refused(with(even_bins{0.0F, NAN, 4}), "less than the high one");
  expect_refused(with(even_bins{-3e38F, 3e38F, 4}), "too far apart");
  expect_refused(with(std::vector<float>{1}), "2 bounds needed, 1 given");
  expect_refused(with(std::vector<float>{1, 2, 2}), "do not rise");
  expect_refused(with(std::vector<float>{1, NAN, 2}), "is NaN");
  std::vector<float> sums(4);
  expect_refused(
      [&] {
        weighted_histogram(here, in, weights, even_bins{0.0F, 1.0F, 4}, sums);
      },
      "9 values needed, 8 given");
  EXPECT_EQ(counts, std::vector<int>(4));
}

}  // namespace
}  // namespace warpfold::tests
