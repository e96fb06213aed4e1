// What the lines of a kernel take of its predicted time.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simt/report.hpp"
#include "tests/simt/user_kernels/reported.hpp"

namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

TEST(line_times, the_line_that_waits_for_memory_comes_first) {
  const auto p = simt::inspect(reported::clean).prediction("h100");
  ASSERT_THAT(p.lines, Not(IsEmpty()));
  EXPECT_EQ(p.lines.front().line, 12) << p.lines_text();  // the load
  EXPECT_GT(p.us, 1);
  double sum = 0;
  for (const auto& l : p.lines) {
    EXPECT_GT(l.us, 0);
    sum += l.us;
  }
  EXPECT_LT(sum, p.us) << "launches are no line's";
  EXPECT_THAT(p.text(), StartsWith("~"));
  EXPECT_THAT(p.text(), AllOf(HasSubstr(" µs"), HasSubstr(" on h100, limited by launch")));
  EXPECT_THAT(p.lines_text(), HasSubstr("reported.cu:12  "));
}

TEST(line_times, bank_conflicts_cost_the_line_that_has_them) {
  const auto report = simt::inspect(reported::bank_conflicts);
  const auto shared_us = [&](int line) {
    for (const auto& l : report.prediction("h100").lines) {
      if (l.line == line) return l.us;
    }
    return 0.0;
  };
  EXPECT_GT(shared_us(23), 3 * shared_us(19)) << report.prediction("h100").lines_text();
}

TEST(line_times, every_device_of_the_list_has_them) {
  const auto report = simt::inspect(reported::one_bin);
  for (const auto& device : simt::device_model_names()) {
    const auto p = report.prediction(device);
    EXPECT_EQ(p.device, device);
    EXPECT_THAT(p.lines, Not(IsEmpty())) << device;
  }
  EXPECT_THROW((void)report.prediction("h1000"), simt::device_file_error);
}

TEST(line_times, no_launch_no_time) {
  const auto p = simt::inspect([] {}).prediction("h100");
  EXPECT_EQ(p.text(), "no prediction for h100: no launch was counted");
  EXPECT_THAT(p.lines, IsEmpty());
}

}  // namespace
