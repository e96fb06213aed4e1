#include <cmath>
#include <sstream>
#include <utility>

#include <gtest/gtest.h>

#include "measure/table.hpp"
#include "measure/text.hpp"
#include "tests/measure/sample.hpp"

namespace warpfold::measure {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::string line_with(const std::string& text, std::string_view part) {
  for (const std::string& line : lines_of(text)) {
    if (has(line, part)) return line;
  }
  return "";
}

/// Every line of headers, rule and rows is as wide as the others; no line is wider than `width`.
void expect_aligned(const std::vector<measurement>& rows, int width = 120) {
  const std::string text = table(rows, {.width = width});
  const std::vector<std::string> lines = lines_of(text);
  ASSERT_GE(lines.size(), rows.size() + 3) << text;
  std::size_t rule = 0;
  while (!lines.at(rule).starts_with("─")) ++rule;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_LE(display_width(lines[i]), static_cast<std::size_t>(width)) << text;
    if (i > 0 && i <= rule + rows.size()) {
      EXPECT_EQ(display_width(lines[i]), display_width(lines[rule])) << text;
    }
  }
}

TEST(table, is_aligned_and_fits) {
  expect_aligned(tests::cuda_rows());
  expect_aligned(tests::simt_rows());
  for (const int width : {20, 40, 60, 80, 100}) {
    expect_aligned(tests::cuda_rows(), width);
    expect_aligned(tests::simt_rows(), width);
  }
}

TEST(table, is_aligned_and_fits_whatever_is_in_it) {
  auto rows = tests::simt_rows();
  rows[1].name = std::string(200, 'x') + "µµµ";
  rows[2].verdict.result = std::string(300, '9');
  rows[3].skipped = "a reason\nof two lines \x1b[31m" + std::string(200, 'z');
  for (counter& c : rows[2].counters) c.value = 1.8e19;
  rows[0].device = std::string(500, 'd');
  expect_aligned(rows);
  rows = tests::cuda_rows();
  rows[2].timing = timing{{1e12}};
  rows[3].timing = timing{{1e-3}};
  for (auto& row : rows) row.counters = rows[0].counters = tests::counted(1, "", 1e15).counters;
  expect_aligned(rows);
}

TEST(table, has_no_rows_to_show) { EXPECT_EQ(table({}), ""); }

TEST(table, has_escapes_only_in_color) {
  auto rows = tests::cuda_rows();
  rows[6].skipped = "needs\x1b[1m 9.0";
  EXPECT_FALSE(has(table(rows), "\x1b"));
  const std::string colored = table(rows, {.color = true});
  EXPECT_TRUE(has(colored, "\x1b[32m✓\x1b[0m 8386560"));
  EXPECT_TRUE(has(colored, "\x1b[1;31mWRONG\x1b[0m nan, not 8386560"));
  EXPECT_TRUE(has(colored, "\x1b[2m–\x1b[0m"));
}

TEST(table, shows_times_and_speedups_of_a_device) {
  const std::string text = table(tests::cuda_rows());
  EXPECT_TRUE(has(text, "reduce · sum of 4,194,304 i32 · block 256 · NVIDIA H100 80GB HBM3\n"));
  EXPECT_TRUE(has(text, "time, µs"));
  EXPECT_TRUE(has(line_with(text, "00 serial"), "2,210"));
  EXPECT_TRUE(has(line_with(text, "11 strided"), "1.80"));
  EXPECT_TRUE(has(line_with(text, "12 sequential"), "2.27"));
  EXPECT_TRUE(has(text, "3,012 GB/s"));
  EXPECT_FALSE(has(text, "conflicts")) << "no row carries counters";
  const std::string skipped = line_with(text, "14 bulk_copy");
  EXPECT_TRUE(has(skipped, "needs 9.0"));
  EXPECT_FALSE(has(skipped, "✓"));
}

TEST(table, compares_with_the_fastest_reference) {
  auto rows = tests::cuda_rows();
  EXPECT_FALSE(has(table(rows, {.width = 160}), "CUB"));
  for (const auto& [name, us] : {std::pair{"cub-radix", 6.3}, std::pair{"cub-merge", 12.6}}) {
    rows.push_back(tests::timed(0, name, us));
    rows.back().reference = true;
  }
  const std::string text = table(rows, {.width = 160});
  EXPECT_TRUE(has(text, "% of"));
  EXPECT_TRUE(has(line_with(text, "18 library"), " 75.0 ")) << text;
  EXPECT_TRUE(has(line_with(text, "cub-radix"), " 100.0 ")) << text;
  EXPECT_TRUE(line_with(text, "cub-merge").starts_with("cub-merge ")) << text;
  EXPECT_TRUE(has(line_with(text, "cub-merge"), " 50.0 ")) << text;
  EXPECT_TRUE(has(line_with(text, "cub-merge"), "–             –")) << "no step of the ladder";
  rows.back().verdict.right = false;
  rows[rows.size() - 2].verdict.right = false;
  EXPECT_FALSE(has(table(rows, {.width = 160}), "CUB")) << "a wrong reference counts for nothing";
}

TEST(table, counts_in_milliseconds_once_all_take_that_long) {
  const std::vector<measurement> rows{tests::timed(10, "slow", 12345),
                                      tests::timed(11, "fast", 1234)};
  const std::string text = table(rows);
  EXPECT_TRUE(has(text, "time, ms"));
  EXPECT_TRUE(has(line_with(text, "10 slow"), " 12.3 "));
}

TEST(table, compares_with_nothing_that_is_wrong) {
  const std::string text = table(tests::cuda_rows());
  const std::string wrong = line_with(text, "13 first_add");
  EXPECT_TRUE(has(wrong, "WRONG nan, not 8386560"));
  EXPECT_FALSE(has(wrong, "✓"));
  EXPECT_TRUE(has(wrong, "–             –")) << wrong;
  EXPECT_TRUE(has(line_with(text, "18 library"), "3.09")) << "25.92 / 8.4, past wrong and skipped";
}

TEST(table, shows_counters_of_the_cpu_machine) {
  const std::string text = table(tests::simt_rows());
  EXPECT_FALSE(has(text, "time"));
  const std::string line = line_with(text, "11 strided");
  for (const char* figure : {"131,072", "4.00", "100.0", "1,843,200", "99.9", "17.3 MB"}) {
    EXPECT_TRUE(has(line, figure)) << figure << " in " << line;
  }
  auto rows = tests::simt_rows();
  rows[2].counters[4].value = 123456789;
  EXPECT_TRUE(has(line_with(table(rows), "11 strided"), " 124 M "));
}

TEST(table, further_counters_are_those_that_the_table_lacks) {
  std::vector<measurement> rows{tests::counted(1, "a", 10), tests::counted(2, "b", 20)};
  rows[0].launches = rows[1].launches = 3;
  const std::string first = table(rows), more = further_table(rows);
  for (const char* head : {"launches", "shared", "atomics"}) {
    EXPECT_EQ(has(first, head), false) << head;
  }
  EXPECT_TRUE(has(more, "launches")) << more;
  EXPECT_FALSE(has(more, "barriers")) << more;
  rows = {tests::row("cuda", 1, "a")};
  EXPECT_EQ(further_table(rows), "");
}

/// Rows of the CPU machine with times, limiters and all that can be counted of them.
std::vector<measurement> predicted_rows() {
  std::vector<measurement> rows{tests::counted(9, "complete-unroll-template", 123456789),
                                tests::counted(19, "one-pass", 20)};
  for (measurement& row : rows) {
    row.launches = 3;
    row.predicted = prediction{
        .device = "h100", .median_us = 23.6, .error_pct = 9, .limiter = "shared wavefronts"};
    for (const auto name :
         {counters::applications, counters::depth, counters::occupancy, counters::store_requests,
          counters::shared_load_requests, counters::global_atomics, counters::bulk_bytes,
          counters::steps_per_warp})
      row.counters.push_back({std::string(name), 12345678});
  }
  rows[1].predicted->no_ground = "its threads wait";
  return rows;
}

TEST(table, predictions_are_marked_and_fit) {
  const auto rows = predicted_rows();
  expect_aligned(rows);
  const std::string text = table(rows);
  EXPECT_TRUE(has(line_with(text, "09 complete"), "~23.6"));
  EXPECT_TRUE(has(line_with(text, "09 complete"), " shared "));
  EXPECT_FALSE(has(line_with(text, "19 one-pass"), "~"));
  EXPECT_TRUE(has(lines_of(text).back(), "not measured; mean error found, %: shared 9."));
  auto unknown = rows;
  unknown[1].predicted->no_ground = "";
  unknown[0].predicted->error_pct = std::nan("");
  EXPECT_TRUE(has(lines_of(table(unknown)).back(), "shared ?, "));
  unknown[1].predicted->error_pct = std::nan("");
  EXPECT_TRUE(has(lines_of(table(unknown)).back(), "its error there is not known"));
}

TEST(table, further_counters_fit_and_none_is_left_out) {
  const auto rows = predicted_rows();
  for (const int width : {80, 120, 4096}) {
    const std::string text = further_table(rows, {.width = width});
    for (const std::string& line : lines_of(text)) {
      EXPECT_LE(display_width(line), static_cast<std::size_t>(std::min(width, 120))) << text;
    }
    EXPECT_EQ(text.find("further counters\n"), text.rfind("further counters\n")) << "once";
    EXPECT_TRUE(has(text, "further counters, continued\n")) << text;
    for (const column& c : further_columns(rows)) {
      const std::string last = c.header.substr(c.header.rfind('\n') + 1);
      EXPECT_TRUE(has(text, last)) << last << " is not in\n" << text;
    }
    EXPECT_FALSE(has(text, "…")) << text;
  }
}

TEST(table, shows_a_device_its_profiler_counters) {
  auto rows = tests::cuda_rows();
  rows[3].counters = tests::counted(11, "", 64).counters;
  const std::string text = table(rows);
  EXPECT_TRUE(has(text, "conflicts"));
  EXPECT_TRUE(has(line_with(text, "11 strided"), "4.00"));
}

TEST(table, names_a_range_of_blocks) {
  auto rows = tests::simt_rows();
  rows[3].block = 1024;
  EXPECT_TRUE(has(table(rows), "block 256 to 1024"));
}

TEST(text, keeps_numbers_short) {
  EXPECT_EQ(humanised(0), "0");
  EXPECT_EQ(humanised(999), "999");
  EXPECT_EQ(humanised(999.9, "B"), "1.00 kB");
  EXPECT_EQ(humanised(12345), "12.3 k");
  EXPECT_EQ(humanised(4194304), "4.19 M");
  EXPECT_EQ(humanised(999'999), "1.00 M");
  EXPECT_EQ(humanised(16777216, "B"), "16.8 MB");
  EXPECT_EQ(humanised(1.8e19), "18.0 E");
  EXPECT_EQ(with_separators(0), "0");
  EXPECT_EQ(with_separators(999), "999");
  EXPECT_EQ(with_separators(1234567.891, 1), "1,234,567.9");
  EXPECT_EQ(with_separators(-1000), "-1,000");
  EXPECT_EQ(with_separators(-0.001, 1), "0.0");
}

TEST(text, keeps_three_significant_digits) {
  const std::vector<std::pair<double, int>> cases{{0, 0},    {0.001, 4}, {0.123, 3}, {1, 2},
                                                  {9.99, 2}, {9.999, 1}, {10, 1},    {99.94, 1},
                                                  {100, 0},  {4e9, 0}};
  for (const auto& [value, decimals] : cases) EXPECT_EQ(decimals_for(value), decimals) << value;
}

TEST(text, is_cut_between_characters) {
  EXPECT_EQ(display_width("✓ × – µ"), 7U);
  EXPECT_EQ(truncated("µµµ", 3), "µµµ");
  EXPECT_EQ(truncated("µµµµ", 3), "µµ…");
  EXPECT_EQ(truncated("abc", 1), "…");
  EXPECT_EQ(truncated("abc", 0), "");
  EXPECT_EQ(one_line("a\nb\x1b[1m\x7f"), "a b [1m ");
}

}  // namespace
}  // namespace warpfold::measure
