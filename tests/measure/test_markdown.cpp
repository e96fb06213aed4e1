#include <algorithm>
#include <sstream>

#include <gtest/gtest.h>

#include "measure/markdown.hpp"
#include "tests/measure/sample.hpp"

namespace warpfold::measure {
namespace {

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

void expect_same_number_of_cells(const std::string& text) {
  std::istringstream stream(text);
  std::ptrdiff_t bars = 0;
  for (std::string line; std::getline(stream, line);) {
    std::ptrdiff_t here = std::count(line.begin(), line.end(), '|');
    for (std::size_t at = 0; (at = line.find("\\|", at)) != std::string::npos; ++at) --here;
    if (bars == 0) bars = here;
    EXPECT_EQ(here, bars) << line;
  }
}

TEST(markdown, shows_ideas_times_and_published_figures) {
  auto rows = tests::cuda_rows();
  rows[4].idea = "a | b";
  rows[4].published.push_back({"H100", 647});
  const std::string text = markdown_table(rows);
  expect_same_number_of_cells(text);
  EXPECT_TRUE(
      text.starts_with("| rung | idea | time, µs | GB/s | step × | cumulative × | % of read "
                       "ceiling | G80, 2^22 int32, GB/s | H100, GB/s | remark |\n"
                       "|---|---|---:|---:|---:|---:|---:|---:|---:|---|\n"))
      << text;
  EXPECT_TRUE(has(text, "| 12 sequential | a \\| b | 25.9 | 647 |")) << text;
  EXPECT_TRUE(has(text, "| WRONG nan, not 8386560 |"));
  EXPECT_TRUE(has(text, "| needs 9.0 |"));
}

TEST(markdown, remarks_on_nothing_when_all_is_right) {
  auto rows = tests::cuda_rows();
  rows.erase(rows.begin() + 5, rows.begin() + 7);
  EXPECT_FALSE(has(markdown_table(rows), "remark"));
}

TEST(markdown, shows_counters_of_the_cpu_machine) {
  const std::string text = markdown_table(tests::simt_rows());
  expect_same_number_of_cells(text);
  EXPECT_TRUE(text.starts_with("| rung | load requests | sectors/request | % load efficiency |"))
      << text;
  EXPECT_EQ(markdown_table(std::span<const measurement>{}), "");
}

}  // namespace
}  // namespace warpfold::measure
