// Histograms through their public calls, on the CPU machine and on CUDA.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "tests/library/device/device_test.hpp"
#include "warpfold/histogram.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

class device_histogram : public device_test {};

/// By floor of a quotient of integers, or by looking at every bound: by other means than a kernel.
template <class T, class B>
std::size_t bin_by_division(T value, const even_bins<B>& bins) {
  __extension__ using wide = __int128;
  const wide v = value, low = bins.low, high = bins.high;
  if (v < low || v > high) return bins.count;
  const auto bin = static_cast<std::size_t>((v - low) * wide(bins.count) / (high - low));
  return std::min(bin, bins.count - 1);
}
template <class T>
std::size_t bin_by_bounds(T value, const std::vector<T>& bounds) {
  for (std::size_t k = 0; k + 1 < bounds.size(); ++k) {
    const bool is_last = k + 2 == bounds.size();
    if (value >= bounds[k] && (is_last ? value <= bounds[k + 1] : value < bounds[k + 1])) return k;
  }
  return bounds.size();
}
template <class Count, class T, class BinOf>
std::vector<Count> counted(const std::vector<T>& values, std::size_t bins, BinOf bin_of) {
  std::vector<Count> counts(bins);
  for (const T& v : values) {
    const std::size_t bin = bin_of(v);
    if (bin < bins) ++counts[bin];
  }
  return counts;
}

/// Counts of one bin more than there are: what is behind them stays. `given` makes an input of the
/// values in device memory.
template <class Count, class T, class Bins, class Given = std::identity>
std::vector<Count> histogram_of(const std::vector<T>& values, const Bins& bins,
                                std::size_t offset = 0, Given given = {}) {
  const device_buffer<T> in(values, offset);
  const device_buffer<Count> counts(std::vector<Count>(detail::bin_count(bins) + 1, 77));
  EXPECT_TRUE(histogram(device, given(in.values()), bins, counts.room()).ok());
  std::vector<Count> result = counts.read();
  EXPECT_EQ(result.back(), Count{77});
  result.pop_back();
  return result;
}

constexpr std::size_t sizes[] = {0, 1, 31, 33, 1023, 4096, 4097, 20'000, 70'001};
constexpr std::size_t bin_numbers[] = {1, 2, 10, 256, 5000};

template <class T>
void expect_even(std::size_t n, std::size_t count, long long low, long long high,
                 std::size_t offset = 0) {
  SCOPED_TRACE(testing::Message() << n << " values of " << sizeof(T) << " bytes, " << count
                                  << " bins from " << low << " to " << high);
  const even_bins<long long> bins{low, high, count};
  auto values = random_values<T>(n);
  if (n > 2) values[1] = static_cast<T>(low), values[2] = static_cast<T>(high);
  EXPECT_EQ((histogram_of<std::uint32_t>(values, bins, offset)),
            (counted<std::uint32_t>(values, count, [&](T v) { return bin_by_division(v, bins); })));
}

TEST_F(device_histogram, even_bins_of_integers_are_exact) {
  for (const std::size_t n : sizes) {
    for (const std::size_t count : bin_numbers) {
      expect_even<std::uint8_t>(n, count, 0, 256, 3);
      expect_even<std::int8_t>(n, count, -200, 77);
      expect_even<std::int16_t>(n, count, -32768, 32768, 1);
      expect_even<std::uint32_t>(n, count, 0, 1LL << 32, 1);
      expect_even<std::int32_t>(n, count, -1'000'000'007, 1'999'999'999);
      expect_even<std::int64_t>(n, count, std::numeric_limits<long long>::min(),
                                std::numeric_limits<long long>::max());
      expect_even<std::uint64_t>(n, count, 5, std::numeric_limits<long long>::max());
    }
  }
}

template <class T>
void expect_first(std::size_t most, std::size_t size, std::size_t count, std::size_t offset) {
  SCOPED_TRACE(testing::Message() << size << " of " << most << " values of " << sizeof(T)
                                  << " bytes, " << count << " bins");
  const even_bins<long long> bins{0, 128, count};
  const auto values = random_values<T>(most);
  const device_buffer<std::size_t> number(std::vector<std::size_t>{size});
  const std::vector<T> first(values.begin(),
                             values.begin() + static_cast<std::ptrdiff_t>(std::min(size, most)));
  EXPECT_EQ((histogram_of<std::uint32_t>(
                values, bins, offset,
                [&](std::span<const T> in) { return device_sized(in, number.data()); })),
            (counted<std::uint32_t>(first, count, [&](T v) { return bin_by_division(v, bins); })));
}

TEST_F(device_histogram, of_a_number_on_the_device) {
  for (const std::size_t most : {std::size_t{1000}, std::size_t{70'001}}) {
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, std::size_t{4097}, most / 16, most - 1, most, most + 9}) {
      for (const std::size_t count : bin_numbers) {
        expect_first<std::uint8_t>(most, size, count, 3);
        expect_first<std::int16_t>(most, size, count, 1);
      }
      expect_first<std::int64_t>(most, size, 300'000, 0);
    }
  }
}

TEST_F(device_histogram, quotients_next_to_a_bins_edge) {
  std::vector<std::int32_t> values;
  const even_bins<int> bins{-7, 1'000'003, 30'011};
  for (int k = 0; k <= 30'011; ++k) {
    const auto edge = static_cast<int>(1'000'010LL * k / 30'011) - 7;
    for (const int d : {-1, 0, 1}) values.push_back(edge + d);
  }
  EXPECT_EQ((histogram_of<std::uint64_t>(values, bins)),
            (counted<std::uint64_t>(values, bins.count,
                                    [&](int v) { return bin_by_division(v, bins); })));
}

TEST_F(device_histogram, even_bins_of_floating_point_values) {
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> values{0.0F,   -0.0F, 0.1F, 0.25F, 0.5F, 0.999F, 1.0F,
                                  1.001F, -0.1F, inf,  -inf,  NAN,  1e-40F, 0.75F};
  EXPECT_EQ((histogram_of<std::uint32_t>(values, even_bins{0.0F, 1.0F, 4})),
            (std::vector<std::uint32_t>{4, 1, 1, 3}));
  const std::vector<double> wide(values.begin(), values.end());
  EXPECT_EQ((histogram_of<std::uint64_t>(wide, even_bins{0, 1, 4})),
            (std::vector<std::uint64_t>{4, 1, 1, 3}));
  const std::vector<int> whole{0, 1, 2, 3, 4, 5};  // between edges that are no integers
  EXPECT_EQ((histogram_of<int>(whole, even_bins{0.5, 3.5, 2})), (std::vector<int>{1, 2}));
}

template <class T>
void expect_bounds(std::size_t n, std::size_t count) {
  auto bounds = random_values<T>(count + 1, 7);
  std::sort(bounds.begin(), bounds.end());
  bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
  if (bounds.size() < 2) return;
  auto values = random_values<T>(n);
  for (std::size_t i = 0; i < std::min(n, bounds.size()); ++i) values[i] = bounds[i];
  const auto expected = counted<std::uint32_t>(values, bounds.size() - 1,
                                               [&](T v) { return bin_by_bounds(v, bounds); });
  EXPECT_EQ((histogram_of<std::uint32_t>(values, bounds)), expected);  // the host's memory
  const device_buffer<T> there(bounds), in(values);
  const device_buffer<std::uint32_t> counts(bounds.size() - 1);
  ASSERT_TRUE(histogram(device, in.values(), there.values(), counts.room()).ok());
  EXPECT_EQ(counts.read(), expected);
}

TEST_F(device_histogram, between_bounds) {
  for (const std::size_t n : {0U, 33U, 4097U, 20'000U}) {
    for (const std::size_t count : {1U, 2U, 10U, 300U}) {
      expect_bounds<std::int32_t>(n, count);
      expect_bounds<std::uint8_t>(n, count);
      expect_bounds<std::uint64_t>(n, count);
      expect_bounds<float>(n, count);
      expect_bounds<double>(n, count);
    }
  }
  const std::vector<float> values{NAN, 1, 2, 3};
  EXPECT_EQ((histogram_of<int>(values, std::vector<float>{1, 2, 3})), (std::vector<int>{1, 2}));
}

// One value many times, a few in turns, and runs: counters in every form that there is.
TEST_F(device_histogram, any_number_of_bins_and_any_share) {
  for (const std::size_t count : {1U, 10U, 5000U, 60'000U, 100'000U, 1U << 20}) {
    for (const unsigned kinds : {1U, 2U, 1000U}) {
      for (const std::size_t run : {1U, 5U, 3000U}) {
        std::vector<std::uint32_t> values(150'000);
        for (std::size_t i = 0; i < values.size(); ++i) {
          values[i] = static_cast<std::uint32_t>(i / run % kinds * 104'729 % (count + 1));
        }
        EXPECT_EQ((histogram_of<std::uint64_t>(values, each_integer{0, count})),
                  (counted<std::uint64_t>(values, count, [](auto v) { return v; })))
            << count << " bins, " << kinds << " kinds in runs of " << run;
      }
    }
  }
}

TEST_F(device_histogram, cumulative) {
  const device_buffer<int> in(std::vector<int>{0, 1, 1, 5, 9, 10, 11});
  const device_buffer<std::uint32_t> counts(5);
  ASSERT_TRUE(cumulative_histogram(device, in.values(), even_bins{0, 10, 5}, counts.room()).ok());
  EXPECT_EQ(counts.read(), (std::vector<std::uint32_t>{3, 3, 4, 4, 6}));
}

TEST_F(device_histogram, points) {
  for (const std::size_t n : {0U, 1U, 4097U, 50'000U}) {
    const auto x = random_values<float>(n, 1);
    const auto y = random_values<std::int16_t>(n, 2);
    const even_bins<float> columns{-30'000, 20'000, 16};
    const std::vector<std::int16_t> rows{-20'000, -5, 0, 7'000, 30'000};
    std::vector<std::uint32_t> expected(16 * 4);
    detail::real_binner<float> column{};
    ASSERT_TRUE(column.set(columns).ok());
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t a = column(x[i]), b = bin_by_bounds(y[i], rows);
      if (a < 16 && b < 4) ++expected[a * 4 + b];
    }
    const device_buffer<float> xs(x, 1);
    const device_buffer<std::int16_t> ys(y, 1);
    const device_buffer<std::uint32_t> counts(expected.size());
    ASSERT_TRUE(histogram_2d(device, xs.values(), ys.values(), columns, rows, counts.room()).ok());
    EXPECT_EQ(counts.read(), expected);
  }
  const device_buffer<int> five(5), six(6), counts(4);
  const even_bins two{0, 2, 2};
  expect_refused(histogram_2d(device, five.values(), six.values(), two, two, counts.room()), 5, 6,
                 "values");
}

TEST_F(device_histogram, channels) {
  for (const std::size_t n : {0U, 1U, 3000U, 20'000U}) {
    const auto pixels = random_values<std::uint8_t>(n * 4);
    const std::array<even_bins<int>, 3> bins{{{0, 256, 256}, {0, 256, 10}, {100, 200, 7}}};
    std::vector<std::uint32_t> expected(273);
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      if (i % 4 == 3) continue;
      const std::size_t first[] = {0, 256, 266}, bin = bin_by_division(pixels[i], bins[i % 4]);
      if (bin < bins[i % 4].count) ++expected[first[i % 4] + bin];
    }
    const device_buffer<std::uint8_t> in(pixels, 1);
    const device_buffer<std::uint32_t> counts(expected.size());
    ASSERT_TRUE(histogram_channels(device, in.values(), 4, bins, counts.room()).ok());
    EXPECT_EQ(counts.read(), expected);
  }
  const device_buffer<int> five(5), counts(4);
  const std::array<even_bins<int>, 2> two{{{0, 2, 2}, {0, 2, 2}}};
  expect_refused(histogram_channels(device, five.values(), 1, two, counts.room()), 2, 1,
                 "channels");
  expect_refused(histogram_channels(device, five.values(), 3, two, counts.room()), 3, 2,
                 "channels");
}

template <class W>
void expect_sums(std::size_t n, std::size_t count, W scale) {
  SCOPED_TRACE(testing::Message() << n << " weights of " << sizeof(W) << ", " << count << " bins");
  std::vector<std::uint32_t> bins_of_values = random_values<std::uint32_t>(n);
  for (auto& v : bins_of_values) v %= count + 1;
  auto weights = random_values<W>(n, 3);
  for (std::size_t i = 0; i < n; ++i) weights[i] *= i % 3 == 0 ? scale : W{1};
  std::vector<W> expected(count);
  if constexpr (std::is_integral_v<W>) {
    for (std::size_t i = 0; i < n; ++i) {
      if (bins_of_values[i] < count) expected[bins_of_values[i]] += weights[i];
    }
  } else {
    std::vector<exact_accumulator<W>> sums(count);
    for (std::size_t i = 0; i < n; ++i) {
      if (bins_of_values[i] < count) sums[bins_of_values[i]].add(weights[i]);
    }
    for (std::size_t k = 0; k < count; ++k) expected[k] = sums[k].round();
  }
  const device_buffer<std::uint32_t> in(bins_of_values);
  const device_buffer<W> beside(weights, 1), out(count);
  ASSERT_TRUE(
      weighted_histogram(device, in.values(), beside.values(), each_integer{0, count}, out.room())
          .ok());
  EXPECT_EQ(out.read(), expected);
}

TEST_F(device_histogram, weights) {
  for (const std::size_t n : {0U, 1U, 5000U, 40'000U}) {
    for (const std::size_t count : {1U, 10U, 3000U}) {
      expect_sums<std::uint32_t>(n, count, 3);
      expect_sums<std::uint64_t>(n, count, 5);
      expect_sums<float>(n, count, 1e30F);
      expect_sums<float>(n, count, -1e-35F);
      expect_sums<double>(n, count, 1e300);
      expect_sums<double>(n, count, -0x1p-1060);
    }
  }
}

TEST_F(device_histogram, weights_that_are_no_numbers) {
  const float inf = std::numeric_limits<float>::infinity();
  const device_buffer<int> in(std::vector<int>{0, 0, 1, 2, 2, 3, 4, 4});
  const device_buffer<float> beside(std::vector<float>{1, inf, -inf, inf, -inf, NAN, -0.0F, -0.0F});
  const device_buffer<float> sums(6);
  ASSERT_TRUE(
      weighted_histogram(device, in.values(), beside.values(), each_integer{0, 6}, sums.room())
          .ok());
  const auto got = sums.read();
  EXPECT_EQ(got[0], inf);
  EXPECT_EQ(got[1], -inf);
  EXPECT_TRUE(std::isnan(got[2]) && std::isnan(got[3]));
  EXPECT_EQ(got[4], 0.0F);
  EXPECT_FALSE(std::signbit(got[4]) || std::signbit(got[5]));
}

TEST_F(device_histogram, memory_of_weighted_sums) {
  const device_buffer<int> in(10);
  const device_buffer<double> beside(10), sums(7);
  const device_buffer<std::byte> memory(weighted_histogram_temp_storage_bytes<double>(7));
  const auto within = [&](std::size_t bytes) {
    return weighted_histogram(device.with(temp_storage_view{memory.data(), bytes}), in.values(),
                              beside.values(), each_integer{0, 7}, sums.room());
  };
  EXPECT_TRUE(within(memory.size()).ok());
  expect_refused(within(memory.size() - 1), memory.size(), memory.size() - 1);
}

TEST_F(device_histogram, bincount_grows_to_the_largest_value) {
  const device_buffer<std::uint16_t> in(std::vector<std::uint16_t>{3, 0, 3, 700});
  const device_buffer<std::uint64_t> counts(1000);
  EXPECT_EQ(bincount(device, in.values(), counts.room()), 701U);
  auto expected = std::vector<std::uint64_t>(1000);
  expected[0] = expected[700] = 1;
  expected[3] = 2;
  EXPECT_EQ(counts.read(), expected);
  EXPECT_EQ(bincount(device, in.values(), counts.room(), 900), 900U);
  EXPECT_THROW(bincount(device, in.values(), counts.room().first(700)), usage_error);
  EXPECT_THROW(bincount(device, in.values(), counts.room(), 1001), usage_error);
  const device_buffer<int> negative(std::vector<int>{1, -1}), none(0);
  EXPECT_THROW(bincount(device, negative.values(), counts.room()), usage_error);
  EXPECT_EQ(bincount(device, none.values(), counts.room(), 5), 5U);
}

TEST_F(device_histogram, what_is_refused) {
  const device_buffer<float> in(9);
  const device_buffer<int> counts(4);
  const auto with = [&](const auto& bins) {
    return histogram(device, in.values(), bins, counts.room());
  };
  expect_refused(with(even_bins{0.0F, 1.0F, 5}), 5, 4, "counts");
  expect_refused(with(even_bins{0.0F, 1.0F, 0}), 1, 0, "bins");
  expect_refused(with(even_bins{0.0F, 1.0F, most_bins + 1}), most_bins, most_bins + 1, "bins");
  expect_refused(with(std::vector<float>{1}), 2, 1, "bounds");
  const auto reason = [&](const auto& bins) { return std::string(with(bins).reason()); };
  EXPECT_NE(reason(even_bins{1.0F, 1.0F, 4}).find("less than the high"), std::string::npos);
  EXPECT_NE(reason(even_bins{NAN, 1.0F, 4}).find("less than the high"), std::string::npos);
  EXPECT_NE(reason(even_bins{-3e38F, 3e38F, 4}).find("too far apart"), std::string::npos);
  EXPECT_NE(reason(even_bins{0.0F, 1e-42F, 4}).find("too narrow"), std::string::npos);
  EXPECT_NE(reason(std::vector<float>{1, 2, 2}).find("do not rise"), std::string::npos);
  EXPECT_NE(reason(std::vector<float>{1, NAN, 2}).find("is NaN"), std::string::npos);
}

}  // namespace
}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
