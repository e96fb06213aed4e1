// The example's kernels against Nsight Compute on an H100: tests/golden/example_h100.csv, which
// tests/golden/capture_example.sh makes.
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measure/text.hpp"
#include "simt/report.hpp"
#include "tests/golden/example_runs.hpp"

namespace {

using row = std::map<std::string, std::string>;

/// The launches, in order.
std::vector<row> launches_in(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> header;
  std::vector<row> rows;
  for (std::string line; std::getline(file, line);) {
    const auto fields = warpfold::measure::csv_fields(line);
    if (header.empty()) {
      header = fields;
      continue;
    }
    row r;
    for (std::size_t i = 0; i < fields.size(); ++i) r[header.at(i)] = fields[i];
    if (!r["Kernel Name"].empty()) rows.push_back(r);  // the second line has the units
  }
  return rows;
}

double number(std::string text) {
  std::erase(text, ',');
  return std::strtod(text.c_str(), nullptr);
}

TEST(example_golden, counters_equal_ncu) {
  const std::string path = WARPFOLD_GOLDEN "/example_h100.csv";
  if (!std::ifstream(path)) {
    GTEST_SKIP() << path << " is not there; tests/golden/capture_example.sh makes it on an H100";
  }
  const auto golden = launches_in(path);
  const auto runs = example_runs::all();
  ASSERT_EQ(golden.size(), runs.size());
  int compared = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto report = simt::inspect(runs[i].launch, {.count = true});
    ASSERT_EQ(report.total().launches, 1U);
    EXPECT_THAT(golden[i].at("Kernel Name"), testing::HasSubstr(runs[i].kernel));
    for (const auto& [name, ours] : report.total().named()) {
      const auto theirs = golden[i].find(std::string(name));
      if (theirs == golden[i].end()) continue;
      EXPECT_NEAR(ours, number(theirs->second), 0.005001)  // ncu prints two places
          << runs[i].kernel << ", launch " << i << ": " << name;
      ++compared;
    }
    // ncu tells atomics whose result is used from the others, the source does not.
    double atomics = 0;
    for (const char* op : {"atom", "red"}) {
      atomics += number(
          golden[i].at(std::string("l1tex__t_sectors_pipe_lsu_mem_global_op_") + op + ".sum"));
    }
    EXPECT_EQ(static_cast<double>(report.total().global_atomic.sectors), atomics)
        << runs[i].kernel << ", launch " << i;
  }
  EXPECT_EQ(compared, static_cast<int>(runs.size()) * 10);
}

}  // namespace
