#include <limits>

#include <gtest/gtest.h>

#include "measure/facts.hpp"
#include "measure/json.hpp"
#include "tests/measure/sample.hpp"
#include "warpfold/error.hpp"

namespace warpfold::measure {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::vector<measurement> all_rows() {
  auto rows = tests::cuda_rows();
  for (auto& row : tests::simt_rows()) rows.push_back(row);
  rows.push_back(tests::timed(0, "cub-radix", 5));
  rows.back().reference = true;
  rows.back().n = std::numeric_limits<std::size_t>::max();
  rows.back().useful_bytes = std::numeric_limits<std::uint64_t>::max();
  rows.back().counters.push_back({"a ratio", 0.1});
  rows.back().launches = 3;
  rows.back().finish = "relaunch";
  rows.back().call = "graph";
  rows.back().copy_ceiling_gbs = 2901.5;
  rows.back().verdict = {true, "1.0000001", "1", 1e-7, 1e-6};
  return rows;
}

TEST(json, comes_back_as_it_went) {
  for (const measurement& row : all_rows()) {
    const json once = to_json(row);
    const measurement back = from_json(json::parse(once.dump()));
    EXPECT_EQ(to_json(back).dump(), once.dump());
    EXPECT_EQ(back.number, row.number);
    EXPECT_EQ(back.name, row.name);
    EXPECT_EQ(back.reference, row.reference);
    EXPECT_EQ(back.n, row.n);
    EXPECT_EQ(back.useful_bytes, row.useful_bytes);
    EXPECT_EQ(back.skipped, row.skipped);
    EXPECT_EQ(back.call, row.call);
    EXPECT_EQ(back.copy_ceiling_gbs, row.copy_ceiling_gbs);
    EXPECT_EQ(back.timing.has_value(), row.timing.has_value());
    if (row.timing) {
      EXPECT_EQ(back.timing->samples_us, row.timing->samples_us);
    }
    ASSERT_EQ(back.counters.size(), row.counters.size());
    for (std::size_t i = 0; i < row.counters.size(); ++i) {
      EXPECT_EQ(back.counters[i].name, row.counters[i].name);
      EXPECT_EQ(back.counters[i].value, row.counters[i].value);
    }
    ASSERT_EQ(back.published.size(), row.published.size());
  }
}

TEST(json, a_prediction_has_its_limiter_and_its_error) {
  measurement row = tests::counted(12, "sequential", 10);
  row.predicted = prediction{.device = "h100",
                             .median_us = 23.5,
                             .queued_us = 20,
                             .error_pct = 9,
                             .limiter = "L2",
                             .registers_known = true,
                             .parts_us = {{"launch", 6}, {"L2", 15}}};
  const json once = to_json(row);
  EXPECT_EQ(once["predicted"].dump(),
            R"({"device":"h100","median_us":23.5,"queued_us":20,"error_pct":9,"limiter":"L2",)"
            R"("registers_known":true,"parts_us":{"launch":6,"L2":15}})");
  EXPECT_EQ(to_json(from_json(json::parse(once.dump()))).dump(), once.dump());
  row.predicted->error_pct = nan;
  EXPECT_TRUE(to_json(row)["predicted"]["error_pct"].is_null()) << "where none was found";
  row.predicted->no_ground = "its threads wait";
  EXPECT_EQ(to_json(row)["predicted"].dump(),
            R"({"device":"h100","no_ground":"its threads wait"})");
}

TEST(json, a_summary_stands_for_samples_that_were_not_kept) {
  measurement row = tests::timed(12, "sequential", 10);
  const timing samples = *row.timing;
  row.timing = timing{{},
                      timing_summary{samples.count(), samples.quantile(0.25), samples.median(),
                                     samples.quantile(0.75), "0123abcd"}};
  const json j = to_json(row);
  EXPECT_FALSE(j["time"].contains("samples_us"));
  EXPECT_EQ(j["time"]["count"], 3);
  EXPECT_EQ(j["gigabytes_per_second"],
            to_json(tests::timed(12, "sequential", 10))["gigabytes_per_second"]);
  const timing back = *from_json(json::parse(j.dump())).timing;
  EXPECT_EQ(back.count(), 3U);
  EXPECT_EQ(back.median(), 10);
  EXPECT_EQ(back.quantile(0.25), 9.5);
  EXPECT_EQ(back.quantile(0.75), samples.quantile(0.75));
  EXPECT_TRUE(std::isnan(back.quantile(0.9))) << "it is not known";
  EXPECT_EQ(to_json(from_json(j)).dump(), j.dump());
}

TEST(json, says_what_a_reader_looks_for) {
  const json j = to_json(tests::timed(12, "sequential", 10));
  EXPECT_EQ(j["rung"], "12 sequential");
  EXPECT_EQ(j["right"], true);
  EXPECT_EQ(j["n"], 4194304);
  EXPECT_EQ(j["time"]["median_us"], 10);
  EXPECT_EQ(j["time"]["q1_us"], 9.5);
  EXPECT_EQ(j["time"]["samples_us"].size(), 3U);
  const json counted = to_json(tests::counted(11, "strided", 6));
  EXPECT_FALSE(counted.contains("time"));
  EXPECT_EQ(counted["counters"][std::string(counters::load_sectors)].dump(), "524288");
}

TEST(json, holds_no_nan_and_never_calls_one_right) {
  measurement m = tests::timed(12, "sequential", nan);
  m.verdict = {true, "nan", "1", nan, std::numeric_limits<double>::infinity()};
  m.counters = {{"c", nan}};
  const json j = to_json(m);
  EXPECT_EQ(j["right"], false);
  EXPECT_EQ(j["error"], "nan");
  EXPECT_EQ(j["bound"], "inf");
  EXPECT_EQ(j["counters"]["c"], "nan");
  EXPECT_EQ(j["time"]["median_us"], "nan");
  EXPECT_TRUE(std::isnan(from_json(j).verdict.error));
  EXPECT_EQ(from_json(j).verdict.bound, std::numeric_limits<double>::infinity());
  json of_schema_1 = j, wrong = j;
  of_schema_1["error"] = nullptr;
  EXPECT_TRUE(std::isnan(from_json(of_schema_1).verdict.error));
  wrong["error"] = "much";
  EXPECT_THROW(from_json(wrong), data_error);
  m.skipped = "needs 9.0";
  EXPECT_TRUE(to_json(m)["right"].is_null());
}

TEST(json_document, holds_the_run_and_its_measurements) {
  const auto rows = all_rows();
  const run_info run{"NVIDIA H100", "580.1", "", "abc123", "warpfold reduce \"x\""};
  const std::string text = json_document(rows, run);
  EXPECT_EQ(json::parse(text)["schema"], 2);
  EXPECT_FALSE(json::parse(text)["run"].contains("toolkit")) << "empty ones are left out";
  const document back = parse_json_document(text);
  EXPECT_EQ(back.run.command, run.command);
  EXPECT_EQ(back.measurements.size(), rows.size());
  EXPECT_EQ(json_document(back.measurements, back.run), text);
  EXPECT_TRUE(parse_json_document(json_document({}, {})).measurements.empty());
  parse_json_document(R"({"schema": 1, "run": {}, "measurements": []})");
}

TEST(json_document, may_leave_out_what_is_empty_or_said_of_the_run) {
  const auto document = parse_json_document(
      R"({"schema": 1, "run": {"device": "NVIDIA H100"}, "measurements": [
          {"ladder": "reduce", "rung": "cub", "reference": true, "backend": "cuda", "n": 8,
           "type": "i32", "op": "sum", "right": true, "useful_bytes": 32, "time":
           {"median_us": 2, "q1_us": 1, "q3_us": 3, "count": 9, "samples_sha256": "0f"}}]})");
  const measurement& row = document.measurements.at(0);
  EXPECT_EQ(row.device, "NVIDIA H100");
  EXPECT_EQ(row.name, "cub");
  EXPECT_TRUE(is_right(row));
  EXPECT_EQ(row.timing->count(), 9U);
  EXPECT_TRUE(row.counters.empty() && row.published.empty() && row.idea.empty());
  EXPECT_EQ(row.read_ceiling_gbs, 0);
}

TEST(json_document, is_text_even_where_a_name_is_not) {
  const std::string text = json_document({}, {.device = "bad \xff byte"});
  EXPECT_EQ(parse_json_document(text).run.device, "bad \xef\xbf\xbd byte");
}

TEST(json_document, refuses_anything_else) {
  for (const char* text :
       {"", "{", "[]", "{}", R"({"schema": 3, "run": {}, "measurements": []})",
        R"({"schema": 1, "run": [], "measurements": []})",
        R"({"schema": 1, "run": {}, "measurements": [{}]})",
        R"({"schema": 1, "run": {}, "measurements": [{"ladder": "x", "rung": "first"}]})"}) {
    EXPECT_THROW(parse_json_document(text), data_error) << text;
  }
}

}  // namespace
}  // namespace warpfold::measure
