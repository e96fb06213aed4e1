#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "measure/facts.hpp"
#include "tests/measure/sample.hpp"

namespace warpfold::measure {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(timing, quantiles_lie_between_order_statistics) {
  const timing t{{4, 1, 3, 2}};
  EXPECT_EQ(t.quantile(0), 1);
  EXPECT_EQ(t.quantile(1), 4);
  EXPECT_EQ(t.median(), 2.5);
  EXPECT_EQ(t.quantile(0.25), 1.75);
  EXPECT_EQ(timing{{7}}.quantile(0.3), 7);
  EXPECT_EQ(t.samples_us.front(), 4) << "the order they were taken in stays";
}

TEST(timing, has_no_quantile_of_nothing) {
  EXPECT_TRUE(std::isnan(timing{}.median()));
  EXPECT_TRUE(std::isnan((timing{{1, nan, 2}}.median())));
  EXPECT_EQ((timing{{1, infinity}}.quantile(1)), infinity);
}

TEST(measurement, speed_is_useful_bytes_over_the_median) {
  measurement m;
  m.useful_bytes = 1'000'000;
  EXPECT_EQ(m.gigabytes_per_second(), 0);
  m.timing = timing{{9, 10, 50}};
  EXPECT_DOUBLE_EQ(m.gigabytes_per_second(), 100);
  m.timing = timing{};
  EXPECT_EQ(m.gigabytes_per_second(), 0);
}

TEST(measurement, finds_counters_by_name) {
  const measurement m = tests::counted(10, "x", 6);
  ASSERT_NE(m.find(counters::shared_store_conflicts), nullptr);
  EXPECT_EQ(*m.find(counters::shared_store_conflicts), 3);
  EXPECT_EQ(m.find("absent"), nullptr);
}

TEST(is_right, never_takes_a_nan_for_a_number) {
  measurement m;
  const auto says = [&](const verdict& v) {
    m.verdict = v;
    return is_right(m);
  };
  EXPECT_TRUE(says({true, "1", "1", 0, 0}));
  EXPECT_TRUE(says({true, "1.01", "1", 0.01, 0.02}));
  EXPECT_TRUE(says({true, "inf", "inf", nan, 0}));
  EXPECT_TRUE(says({true, "-nan", "nan", nan, 0}));
  EXPECT_FALSE(says({false, "1", "1", 0, 0}));
  EXPECT_FALSE(says({true, "1.1", "1", 0.1, 0.02}));
  EXPECT_FALSE(says({true, "nan", "1", nan, 0}));
  EXPECT_FALSE(says({true, "NaN", "1", 0, 0}));
  EXPECT_FALSE(says({true, "1", "nan", 0, 0}));
  EXPECT_FALSE(says({true, "2", "1", nan, infinity}));
  m.skipped = "needs 9.0";
  EXPECT_FALSE(says({true, "1", "1", 0, 0}));
}

}  // namespace
}  // namespace warpfold::measure
