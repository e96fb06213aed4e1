// min, max, minmax, argmin, argmax, mean and statistics on the host.
#include <algorithm>

#include <gmock/gmock.h>

#include "tests/library/host/host_test.hpp"
#include "warpfold/error.hpp"
#include "warpfold/host/reduce.hpp"

namespace warpfold::tests {
namespace {

using testing::HasSubstr;
using testing::Property;
using testing::Throws;

template <class T>
class host_extremes : public testing::Test {};
using types = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint32_t, std::int32_t,
                             std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(host_extremes, types);

template <class T>
void check_extremes(const std::vector<T>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const auto first_high = std::max_element(values.begin(), values.end());
  EXPECT_EQ(min(here, values), *low);
  EXPECT_EQ(max(here, values), *high);
  EXPECT_EQ(minmax(here, values), (min_max<T>{*low, *high}));
  const auto index = [&](auto it) { return static_cast<std::uint64_t>(it - values.begin()); };
  EXPECT_EQ(argmin(here, values), (position<T>{*low, index(low)}));
  EXPECT_EQ(argmax(here, values), (position<T>{*high, index(first_high)}));
  const auto all = statistics(here, values);
  EXPECT_EQ(all.min, (position<T>{*low, index(low)}));
  EXPECT_EQ(all.max, (position<T>{*high, index(first_high)}));
}

TYPED_TEST(host_extremes, every_size) {
  const auto values = random_values<TypeParam>(4 * chunk_of<TypeParam> + 3);
  for (std::size_t n = 1; n <= values.size(); ++n) {
    check_extremes(std::vector(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n)));
  }
}

TYPED_TEST(host_extremes, the_first_of_equals) {
  // Few different values, so that each stands in many places.
  auto values = random_values<TypeParam>(1000);
  for (TypeParam& value : values)
    value = static_cast<TypeParam>(std::abs(static_cast<double>(value)) > 100 ? 1 : 2);
  check_extremes(values);
  check_extremes(std::vector<TypeParam>(777, TypeParam{5}));
}

TYPED_TEST(host_extremes, of_no_values) {
  const std::vector<TypeParam> none;
  EXPECT_EQ(min(here, none), minimum::identity<TypeParam>());
  EXPECT_EQ(max(here, none), maximum::identity<TypeParam>());
  EXPECT_EQ(minmax(here, none),
            (min_max<TypeParam>{minimum::identity<TypeParam>(), maximum::identity<TypeParam>()}));
  const auto names = [](const char* call) {
    return Throws<usage_error>(Property(&usage_error::what, HasSubstr(call)));
  };
  EXPECT_THAT([&] { argmin(here, none); }, names("argmin"));
  EXPECT_THAT([&] { argmax(here, none); }, names("argmax"));
  EXPECT_THAT([&] { mean(here, none); }, names("mean"));
  EXPECT_THAT([&] { statistics(here, none); }, names("statistics"));
}

template <class T>
class host_extremes_of_floats : public testing::Test {};
using floats = testing::Types<float, double>;
TYPED_TEST_SUITE(host_extremes_of_floats, floats);

TYPED_TEST(host_extremes_of_floats, nan_wherever_it_stands) {
  for (const std::size_t n : {1, 2, 31, 64, 65, 500}) {
    for (std::size_t at = 0; at < n; at += 7) {
      auto values = random_values<TypeParam>(n);
      values[at] = nan_of<TypeParam>;
      values.back() = nan_of<TypeParam>;
      EXPECT_TRUE(std::isnan(min(here, values))) << at << " of " << n;
      EXPECT_TRUE(std::isnan(max(here, values))) << at << " of " << n;
      EXPECT_TRUE(std::isnan(minmax(here, values).min) && std::isnan(minmax(here, values).max));
      EXPECT_EQ(argmin(here, values).index, at);
      EXPECT_EQ(argmax(here, values).index, at);
      const auto all = statistics(here, values);
      EXPECT_TRUE(std::isnan(all.sum) && std::isnan(all.mean) && std::isnan(all.variance));
      EXPECT_EQ(all.min.index, at);
      EXPECT_TRUE(std::isnan(all.max.value));
    }
  }
}

TYPED_TEST(host_extremes_of_floats, infinities_are_values) {
  const std::vector<TypeParam> high(300, infinity_of<TypeParam>);
  EXPECT_EQ(min(here, high), infinity_of<TypeParam>);
  EXPECT_EQ(argmin(here, high).index, 0u);
  const std::vector<TypeParam> low(300, -infinity_of<TypeParam>);
  EXPECT_EQ(max(here, low), -infinity_of<TypeParam>);
  EXPECT_EQ(argmax(here, low).index, 0u);
  const auto all = statistics(here, low);
  EXPECT_EQ(all.mean, -infinity_of<TypeParam>);
  EXPECT_TRUE(std::isnan(all.variance));
}

TYPED_TEST(host_extremes_of_floats, zeros_are_equal_by_place_and_differ_by_sign) {
  for (const bool inverted : {false, true}) {
    for (const std::size_t at : {0U, 1U, 63U, 150U, 199U}) {
      std::vector<TypeParam> values(200, inverted ? -TypeParam{0} : TypeParam{0});
      values[at] = inverted ? TypeParam{0} : -TypeParam{0};
      EXPECT_EQ(argmin(here, values).index, 0u);
      EXPECT_EQ(argmax(here, values).index, 0u);
      EXPECT_TRUE(std::signbit(min(here, values))) << at;
      EXPECT_FALSE(std::signbit(max(here, values))) << at;
      EXPECT_TRUE(std::signbit(minmax(here, values).min) &&
                  !std::signbit(minmax(here, values).max));
    }
  }
}

TYPED_TEST(host_extremes_of_floats, a_mean_far_from_zero_costs_the_variance_nothing) {
  // 1e6 ± 0.5: their squares agree in the first 13 digits.
  std::vector<TypeParam> values(100'000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<TypeParam>(i % 2 == 0 ? 1e6 - 0.5 : 1e6 + 0.5);
  }
  const auto all = statistics(here, values);
  EXPECT_EQ(all.count, values.size());
  EXPECT_EQ(all.mean, 1e6);
  EXPECT_EQ(all.sum, 1e11);
  EXPECT_DOUBLE_EQ(all.variance, 0.25);
  EXPECT_EQ(mean(here, values), 1e6);
}

RC_GTEST_PROP(host_statistics, of_any_integers, (const std::vector<std::int32_t>& values)) {
  RC_PRE(!values.empty());
  long double sum = 0, squares = 0;
  for (const auto value : values) sum += value;
  const long double mean = sum / static_cast<long double>(values.size());
  for (const auto value : values) squares += (value - mean) * (value - mean);
  const long double variance = squares / static_cast<long double>(values.size());
  const auto close = [](double got, long double expected, long double scale) {
    return std::abs(got - expected) <= 1e-13L * std::max(scale, 1.0L);
  };
  const auto all = statistics(here.threads(*rc::gen::inRange(0U, 5U)), values);
  RC_ASSERT(close(all.sum, sum, std::sqrt(squares) + std::abs(sum)));
  RC_ASSERT(close(all.mean, mean, std::sqrt(variance) + std::abs(mean)));
  RC_ASSERT(close(all.variance, variance, variance));
  RC_ASSERT(tests::here.threads(1).thread_limit == 1 &&
            statistics(here.threads(1), values).variance == all.variance);
}

}  // namespace
}  // namespace warpfold::tests
