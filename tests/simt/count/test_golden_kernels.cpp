// What the CPU machine counts for the kernels of tests/golden is what their source says and, but
// for what nvcc makes of it, what Nsight Compute read on a card. tests/golden/capture_kernels.sh
// makes the tables.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "measure/text.hpp"
#include "simt/report.hpp"
#include "tests/golden/golden_runs.hpp"
#include "tests/json_schema.hpp"

namespace {

using counts = std::map<std::string, double>;

/// By kernel.
std::map<std::string, counts> table(const std::string& name) {
  std::ifstream file(WARPFOLD_GOLDEN "/" + name);
  std::vector<std::string> header;
  std::map<std::string, counts> all;
  for (std::string line; std::getline(file, line);) {
    const auto fields = warpfold::measure::csv_fields(line);
    if (header.empty()) {
      header = fields;
      continue;
    }
    for (std::size_t i = 1; i < fields.size(); ++i) {
      all[fields[0]][header.at(i)] = std::strtod(fields[i].c_str(), nullptr);
    }
  }
  return all;
}

counts counted(const golden_run& r) {
  const auto report = simt::inspect([&] { launch(r); }, {.count = true});
  counts all;
  for (const auto& [name, value] : report.total().named()) all[std::string(name)] = value;
  return all;
}

/// The counters that are not equal, with both values.
std::string differences(const counts& ours, const counts& theirs) {
  std::string text;
  for (const auto& [name, value] : theirs) {
    const auto own = ours.find(name);
    if (own == ours.end() || std::abs(own->second - value) < 0.0051) continue;  // two places
    text += name + ": " + std::to_string(own->second) + " here, " + std::to_string(value) + "\n";
  }
  return text;
}

/// What nvcc does to kernels whose counters differ.
using changes = std::map<std::string, const char*>;

void expect_equal_but_for(const changes& nvcc, const std::vector<golden_run>& runs,
                          const std::string& name) {
  const auto golden = table(name);
  ASSERT_EQ(golden.size(), runs.size());
  for (const golden_run& r : runs) {
    const std::string difference = differences(counted(r), golden.at(r.name));
    if (const auto known = nvcc.find(r.name); known == nvcc.end()) {
      EXPECT_EQ(difference, "") << r.name;
    } else {
      EXPECT_NE(difference, "") << r.name << ": " << known->second;
    }
  }
}

constexpr const char* one_of_two_arms = "makes one access of those in two arms";
constexpr const char* narrowed = "loads one byte of a word";
constexpr const char* stored_once = "keeps a word in a register that is stored twice";
constexpr const char* unrolled = "unrolls a loop whose trip count differs in a warp";
constexpr const char* widened = "reads neighbouring words at once";

TEST(golden_kernels, separate_statements_equal_ncu) {
  expect_equal_but_for({{"one_condition_twice", stored_once},
                        {"adds_to_one_word", stored_once},
                        {"else_stores_elsewhere", one_of_two_arms},
                        {"else_stores_the_same_place", one_of_two_arms},
                        {"else_loads_the_same_place", one_of_two_arms},
                        {"else_calls_the_same_function", one_of_two_arms},
                        {"if_in_range_then_if_not", one_of_two_arms},
                        {"returns_in_each_arm", one_of_two_arms},
                        {"one_tail_of_two_arms", one_of_two_arms},
                        {"loaded_before_used_within", narrowed},
                        {"one_must_hold", narrowed},
                        {"breaks_when_found", narrowed},
                        {"two_ways_out", narrowed}},
                       statement_runs(), "statements_h200.csv");
}

TEST(golden_kernels, what_nvcc_unrolls_and_widens_differs) {
  expect_equal_but_for({{"rows_of_a_sparse_matrix", unrolled},
                        {"hundred_columns", unrolled},
                        {"strides_of_the_grid", unrolled},
                        {"triangle", unrolled},
                        {"tiled_product", widened},
                        {"eight_words_a_lane", widened},
                        {"two_words_a_lane", widened},
                        {"seven_weights", widened},
                        {"one_byte_tells", narrowed}},
                       optimised_runs(), "optimised_h200.csv");
}

/// The counter with what nvcc may make of it.
double bound(const simt::kernel_report& k, const std::string& counter) {
  const simt::counters& c = k.total;
  const auto sum = [](std::uint64_t ours, std::int64_t change) {
    return static_cast<double>(ours) + static_cast<double>(change);
  };
  if (counter == "requests") return sum(c.global_load.requests, k.nvcc.load_requests);
  return sum(c.shared_load.wavefronts, k.nvcc.load_wavefronts);
}

TEST(golden_kernels, reports_say_what_nvcc_may_merge) {
  const auto golden = table("optimised_h200.csv");
  const std::map<std::string, std::string> exact{
      {"rows_of_a_sparse_matrix", "requests"}, {"hundred_columns", "requests"},
      {"strides_of_the_grid", "requests"},     {"triangle", "requests"},
      {"tiled_product", "wavefronts"},         {"eight_words_a_lane", "wavefronts"},
  };
  const std::vector<std::string> unchanged{
      "rows_of_a_sparse_matrix_not_unrolled", "hundred_columns_not_unrolled",
      "hundred_and_twenty_eight_columns", "tiled_product_not_unrolled", "tiled_product_padded"};
  for (const golden_run& r : optimised_runs()) {
    const auto report = simt::inspect([&] { launch(r); }, {.count = true, .lines = true});
    const simt::kernel_report& k = report.kernels().at(0);
    if (const auto known = exact.find(r.name); known != exact.end()) {
      const auto& theirs = golden.at(r.name);
      EXPECT_EQ(bound(k, known->second),
                theirs.at(known->second == "requests"
                              ? "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
                              : "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"))
          << r.name;
      EXPECT_NE(report.text().find("nvcc may merge"), std::string::npos) << r.name;
      const auto json = nlohmann::json::parse(report.json());
      EXPECT_TRUE(json["kernels"][0].contains("nvcc_may_merge")) << r.name;
      EXPECT_THAT(warpfold::tests::json_schema("report").violations(json), testing::IsEmpty());
    } else if (std::find(unchanged.begin(), unchanged.end(), r.name) != unchanged.end()) {
      EXPECT_EQ(report.text().find("nvcc may merge"), std::string::npos) << report.text();
    }
  }
}

TEST(golden_kernels, each_statement_is_counted_apart) {
  // What is loaded again though it is known, or from one of two places, is one load for both.
  const std::vector<std::string> fewer{"one_condition_twice", "store_and_perhaps_again",
                                       "ternary_of_loads",    "ternary_in_shared_memory",
                                       "bounds_and_value",    "one_tail_of_two_arms",
                                       "adds_to_one_word"};
  const auto runs = statement_runs(), as_written = statement_runs_as_written();
  ASSERT_EQ(runs.size(), as_written.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const counts ours = counted(runs[i]), theirs = counted(as_written[i]);
    for (const char* what : {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
                             "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
                             "simt__shared_load_requests", "simt__shared_store_requests"}) {
      if (std::find(fewer.begin(), fewer.end(), runs[i].name) != fewer.end()) {
        EXPECT_LE(ours.at(what), theirs.at(what)) << runs[i].name << ": " << what;
      } else {
        EXPECT_EQ(ours.at(what), theirs.at(what)) << runs[i].name << ": " << what;
      }
    }
  }
}

}  // namespace
