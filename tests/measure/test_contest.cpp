#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measure/contest.hpp"
#include "measure/markdown.hpp"
#include "tests/measure/sample.hpp"

namespace warpfold::measure {
namespace {

using testing::HasSubstr;
using testing::Not;

measurement by(std::string who, double us, std::string call = "single") {
  measurement m = tests::timed(0, std::move(who), us);
  m.reference = m.name != "warpfold";
  m.call = std::move(call);
  return m;
}

TEST(contest, a_line_has_all_who_did_the_same_job) {
  const std::vector<measurement> rows{by("warpfold", 20), by("cub", 30), by("thrust", 50),
                                      by("warpfold", 10, "graph"), by("cub", 11, "graph")};
  EXPECT_EQ(markdown_table(contest_columns(rows)),
            "| n | call | time, µs | quartiles | GB/s | % of read | cub, µs | × | thrust, µs | × | "
            "result |\n"
            "|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---|\n"
            "| 4,194,304 | single | 20.0 | 19.0–22.0 | 839 | 27.9 | 30.0 | 1.50 | 50.0 | 2.50 | ✓ "
            "|\n"
            "| 4,194,304 | graph | 10.0 | 9.50–11.0 | 1,678 | 55.7 | 11.0 | 1.10 | – | – | ✓ |\n");
  const std::string text = contest_table(rows);
  EXPECT_THAT(text, HasSubstr("reduce · sum of i32 · NVIDIA H100 80GB HBM3\n"));
  EXPECT_THAT(text, HasSubstr("A plain read reaches 3,012 GB/s here.\n"));
}

TEST(contest, types_share_a_table_and_copies_are_the_ceiling_of_scans) {
  std::vector<measurement> rows{by("warpfold", 20), by("warpfold", 40)};
  rows[1].type = "f64";
  for (auto& row : rows) row.read_ceiling_gbs = 0, row.copy_ceiling_gbs = 2000;
  const std::string text = contest_table(rows);
  EXPECT_THAT(text, HasSubstr("sum of i32, f64"));
  EXPECT_THAT(text, HasSubstr("A copy reaches 2,000 GB/s here."));
  EXPECT_THAT(markdown_table(contest_columns(rows)),
              HasSubstr("| f64 | 4,194,304 | 40.0 | 38.0–44.0 | 419 | 21.0 | ✓ |"));
}

TEST(contest, a_wrong_or_nan_result_has_no_time_and_no_ratio) {
  std::vector<measurement> rows{by("warpfold", 20), by("cub", 30)};
  rows[1].verdict = {true, "nan", "8386560", 0, 1e9};
  EXPECT_THAT(markdown_table(contest_columns(rows)),
              HasSubstr("| 27.9 | – | – | WRONG cub: nan |"));
  rows[0].verdict.right = false;
  EXPECT_THAT(markdown_table(contest_columns(rows)),
              HasSubstr("| 4,194,304 | – | – | – | – | – | – | WRONG warpfold: 8386560 |"));
  EXPECT_EQ(contest_table({}), "");
}

}  // namespace
}  // namespace warpfold::measure
