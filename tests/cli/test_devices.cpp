// Predicted times on the command line: the devices, their tables, and what is refused.
#include <algorithm>
#include <sstream>
#include <string>

#include "measure/json.hpp"
#include "measure/text.hpp"
#include "simt/prediction.hpp"
#include "tests/cli/command_line.hpp"

namespace warpfold::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) {
    line.erase(line.find_last_not_of(' ') + 1);
    widest = std::max(widest, measure::display_width(line));
  }
  return widest;
}

TEST_F(command_line, every_device_of_the_list_has_a_table) {
  const std::string list = run("devices").out;
  for (const auto& device : simt::device_model_names()) {
    EXPECT_THAT(list, HasSubstr(device + " "));
    const outcome o = run("ladder reduce --n 2^12 --rung 12,16 --backend simt --device " + device);
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_THAT(o.out, AllOf(HasSubstr("~"), HasSubstr("predicted for " + device)));
    EXPECT_LE(widest_line(o.out), 120U) << o.out;
  }
}

/// The default's values: 2^22.
TEST_F(command_line, the_widest_rung_of_the_default_table_fits_120_columns) {
  const outcome o = run("ladder reduce --rung 9,11,19 --backend simt");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_LE(widest_line(o.out), 120U) << o.out;
}

TEST_F(command_line, all_counters_fit_120_columns) {
  const outcome o = run("ladder reduce --n 2^16 --backend simt --counters");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("further counters"));
  EXPECT_LE(widest_line(o.out), 120U) << o.out;
}

TEST_F(command_line, a_predicted_row_says_its_limiter_and_error) {
  const outcome o = run("ladder reduce --n 2^16 --rung 12 --backend simt --json -");
  ASSERT_EQ(o.code, 0) << o.err;
  const auto row = measure::parse_json_document(o.out).measurements.back();
  ASSERT_TRUE(row.predicted.has_value());
  EXPECT_EQ(row.predicted->device, "h100");
  EXPECT_GT(row.predicted->median_us, 0);
  EXPECT_GT(row.predicted->error_pct, 0);
  double longest = 0;
  std::string limiter;
  for (const auto& [name, us] : row.predicted->parts_us) {
    if (us > longest) limiter = name;
    longest = std::max(longest, us);
  }
  EXPECT_EQ(row.predicted->limiter, limiter);
}

TEST_F(command_line, a_device_that_cannot_be_predicted_is_refused) {
  expect_refusal("ladder reduce --n 1000 --backend simt --device h1000", 2, "h1000");
  expect_refusal("devices h1000", 2, "h1000");
  expect_refusal("calibrate --spread 0", 2, "--spread 0");
  expect_refusal("calibrate --spread five", 2, "five");
}

}  // namespace
}  // namespace warpfold::cli
