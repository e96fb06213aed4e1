// Every rung's counters on the CPU machine equal what ncu read for it on an H100. The golden runs
// are small grids, where a conflict is a matter of addresses (docs/counters.md).
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ladder/run/reduce_driver.hpp"
#include "measure/json.hpp"

namespace warpfold::ladder {
namespace {

using measure::measurement;

class golden_rungs : public testing::TestWithParam<const char*> {};

/// On the card, stores to another block's shared memory count as bytes of global stores.
bool leaves_the_rule(const measurement& m, std::string_view counter) {
  return m.name == "cluster" && counter == measure::counters::store_efficiency;
}

TEST_P(golden_rungs, counters_equal_ncu) {
  std::ifstream file(std::string(WARPFOLD_GOLDEN) + "/" + GetParam());
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const auto golden = measure::parse_json_document(text).measurements;
  const measurement& last = golden.back();
  const auto type = std::find_if(value_types.begin(), value_types.end(), [&](const auto& t) {
                      return t.name == last.type;
                    })->type;
  const std::vector<std::byte> zeros(last.n * size_of(type));  // counts don't depend on values
  const auto machine = make_simt_machine();
  const auto rows = run_reduce_ladder({.values = {type, zeros.data(), last.n}, .block = last.block},
                                      *machine, reduce_rungs(machine->backend()));
  ASSERT_EQ(rows.size(), golden.size());
  int compared = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i].name, golden[i].name);
    EXPECT_EQ(rows[i].launches, golden[i].launches) << rows[i].name;
    for (const auto& [name, measured] : golden[i].counters) {
      if (leaves_the_rule(golden[i], name)) continue;
      const double* const ours = rows[i].find(name);
      ASSERT_NE(ours, nullptr) << name;
      const bool conflicts = name.find("bank_conflicts") != std::string::npos;
      // A few conflicts can be other traffic's even there; never fewer than by address.
      EXPECT_LE(*ours, measured + 0.005) << rows[i].name << " " << name;
      EXPECT_GE(*ours, measured - (conflicts ? 4 : 0.005)) << rows[i].name << " " << name;
      ++compared;
    }
  }
  EXPECT_EQ(compared, 22 * 8 - 1);
}

INSTANTIATE_TEST_SUITE_P(h100, golden_rungs,
                         testing::Values("rungs_h100_128.json", "rungs_h100_256.json",
                                         "rungs_h100_512.json"),
                         [](const auto& info) {
                           return "block_" + std::string(info.param).substr(11, 3);
                         });

}  // namespace
}  // namespace warpfold::ladder
