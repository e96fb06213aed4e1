#include <gtest/gtest.h>

#include "measure/side_by_side.hpp"
#include "tests/measure/sample.hpp"

namespace warpfold::measure {
namespace {

measurement by(std::string who, std::string op, double us) {
  measurement m = tests::timed(0, std::move(who), us);
  m.op = std::move(op);
  return m;
}

TEST(side_by_side, compares_only_what_did_the_same_job) {
  std::vector<measurement> rows{by("std", "sum", 3000), by("warpfold", "sum", 2000),
                                by("std", "max", 500)};
  rows[1].form = rows[0].form = "inclusive";
  rows[1].ladder = rows[0].ladder = "scan";
  EXPECT_EQ(
      side_by_side(rows, "warpfold"),
      "| job | who | time, ms | quartiles | GB/s | % of read | times ours |\n"
      "|---|---|---:|---:|---:|---:|---:|\n"
      "| scan sum inclusive 4,194,304 i32 | std | 3.00 | 2.85–3.30 | 5.59 | 0.2 | 1.50 |\n"
      "| scan sum inclusive 4,194,304 i32 | warpfold | 2.00 | 1.90–2.20 | 8.39 | 0.3 | 1.00 |\n"
      "| max 4,194,304 i32 | std | 0.500 | 0.475–0.550 | 33.6 | 1.1 | – |\n");
}

TEST(side_by_side, a_wrong_result_has_no_time) {
  std::vector<measurement> rows{by("std", "sum", 3000), by("warpfold", "sum", 2000)};
  rows[1].verdict.right = false;
  const std::string text = side_by_side(rows, "warpfold");
  EXPECT_NE(text.find("| warpfold | WRONG | – | – | – | – |"), std::string::npos) << text;
  EXPECT_NE(text.find("| std | 3.00 | 2.85–3.30 | 5.59 | 0.2 | – |"), std::string::npos) << text;
}

}  // namespace
}  // namespace warpfold::measure
