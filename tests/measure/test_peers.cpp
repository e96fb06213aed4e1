#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measure/markdown.hpp"
#include "measure/peers.hpp"
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

TEST(peers, a_line_has_all_who_did_the_same) {
  const std::vector<measurement> rows{by("warpfold", 20), by("cub", 30), by("thrust", 50),
                                      by("warpfold", 10, "graph"), by("cub", 11, "graph")};
  EXPECT_EQ(markdown_table(peer_columns(rows)),
            "| n | call | time, µs | quartiles | GB/s | % of read | cub, µs | × | thrust, µs | × | "
            "result |\n"
            "|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---|\n"
            "| 4,194,304 | single | 20.0 | 19.0–22.0 | 839 | 27.9 | 30.0 | 1.50 | 50.0 | 2.50 | ✓ "
            "|\n"
            "| 4,194,304 | graph | 10.0 | 9.50–11.0 | 1,678 | 55.7 | 11.0 | 1.10 | – | – | ✓ |\n");
  const std::string text = peer_table(rows);
  EXPECT_THAT(text, HasSubstr("reduce · sum of i32 · NVIDIA H100 80GB HBM3\n"));
  EXPECT_THAT(text, HasSubstr("A plain read reaches 3,012 GB/s here.\n"));
}

TEST(peers, types_share_a_table_and_copies_are_the_ceiling_of_scans) {
  std::vector<measurement> rows{by("warpfold", 20), by("warpfold", 40)};
  rows[1].type = "f64";
  for (auto& row : rows) row.read_ceiling_gbs = 0, row.copy_ceiling_gbs = 2000;
  const std::string text = peer_table(rows);
  EXPECT_THAT(text, HasSubstr("sum of i32, f64"));
  EXPECT_THAT(text, HasSubstr("A copy reaches 2,000 GB/s here."));
  EXPECT_THAT(markdown_table(peer_columns(rows)),
              HasSubstr("| f64 | 4,194,304 | 40.0 | 38.0–44.0 | 419 | 21.0 | ✓ |"));
}

TEST(peers, a_wrong_or_nan_result_has_no_time_and_no_ratio) {
  std::vector<measurement> rows{by("warpfold", 20), by("cub", 30)};
  rows[1].verdict = {true, "nan", "8386560", 0, 1e9};
  EXPECT_THAT(markdown_table(peer_columns(rows)), HasSubstr("| 27.9 | – | – | WRONG cub: nan |"));
  rows[0].verdict.right = false;
  EXPECT_THAT(markdown_table(peer_columns(rows)),
              HasSubstr("| 4,194,304 | – | – | – | – | – | – | WRONG warpfold: 8386560 |"));
  EXPECT_EQ(peer_table({}), "");
}

// --- a line for each row

measurement of_case(std::string who, std::string op, double us) {
  measurement m = tests::timed(0, std::move(who), us);
  m.op = std::move(op);
  return m;
}

std::string case_table(std::span<const measurement> rows) {
  const auto columns = case_columns(rows, "warpfold");
  return markdown_table(std::span<const column>(columns));
}

TEST(peers, compare_only_what_is_the_same_case) {
  std::vector<measurement> rows{of_case("std", "sum", 3000), of_case("warpfold", "sum", 2000),
                                of_case("std", "max", 500)};
  rows[1].form = rows[0].form = "inclusive";
  rows[1].ladder = rows[0].ladder = "scan";
  EXPECT_EQ(
      case_table(rows),
      "| job | who | time, ms | quartiles | GB/s | % of read | times ours |\n"
      "|---|---|---:|---:|---:|---:|---:|\n"
      "| scan sum inclusive 4,194,304 i32 | std | 3.00 | 2.85–3.30 | 5.59 | 0.2 | 1.50 |\n"
      "| scan sum inclusive 4,194,304 i32 | warpfold | 2.00 | 1.90–2.20 | 8.39 | 0.3 | 1.00 |\n"
      "| max 4,194,304 i32 | std | 0.500 | 0.475–0.550 | 33.6 | 1.1 | – |\n");
  rows[0].call = "graph";
  EXPECT_THAT(case_table(rows), HasSubstr("| scan sum inclusive 4,194,304 i32 graph | std |"));
  EXPECT_THAT(case_table(rows), HasSubstr("| 5.59 | 0.2 | – |"));
}

TEST(peers, a_wrong_case_has_no_time) {
  std::vector<measurement> rows{of_case("std", "sum", 3000), of_case("warpfold", "sum", 2000)};
  rows[1].verdict.right = false;
  EXPECT_THAT(case_table(rows), HasSubstr("| warpfold | WRONG | – | – | – | – |"));
  EXPECT_THAT(case_table(rows), HasSubstr("| std | 3.00 | 2.85–3.30 | 5.59 | 0.2 | – |"));
}

}  // namespace
}  // namespace warpfold::measure
