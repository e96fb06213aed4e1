// Each classic mistake is found at its line; each mended twin is clean. One was a mistake before
// Volta only.
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "examples/specimens/examine.hpp"

namespace warpfold::tests {
namespace {

using simt::finding_kind;
using specimens::examine;
using specimens::specimen;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t some_orders[] = {0, 1, 2, 3};

struct expectation {
  finding_kind kind;
  bool in_every_order = true;
};
const std::map<std::string_view, expectation> expected{
    {"missing_barrier", {finding_kind::race_between_warps}},
    {"warp_tail_volatile", {finding_kind::race_in_warp}},
    {"warp_tail_plain", {finding_kind::race_in_warp}},
    {"past_the_end", {finding_kind::out_of_bounds}},
    {"dropped_tail", {finding_kind::never_read}},
    {"stale_buffer", {finding_kind::unwritten}},
    {"offset_precedence", {finding_kind::bank_conflict}},
    {"narrow_mask", {finding_kind::wrong_mask}},
    {"look_back_block_index", {finding_kind::spinning, false}},
    {"last_block_no_fence", {finding_kind::race_between_blocks}},
    {"ticket_not_reset", {finding_kind::not_repeatable, false}},
};

bool is_right_today(std::string_view name) { return name == "early_return"; }

int line_of(const std::string& name, const std::string& mark) {
  std::ifstream file(WARPFOLD_SPECIMENS "/" + name + ".cu");
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.find(mark) != std::string::npos) return number;
  }
  ADD_FAILURE() << name << " has no mark " << mark;
  return 0;
}

/// There is this finding at the marked lines, and all others are there too.
void expect_found(const std::vector<simt::finding>& findings, const std::string& name,
                  finding_kind kind) {
  const int first = line_of(name, "[1]"), second = line_of(name, "[2]");
  bool found = false;
  for (const auto& f : findings) {
    EXPECT_THAT(f.kernel, HasSubstr(name + "_kernel<false>"));
    EXPECT_THAT(f.text(), HasSubstr("fix: "));
    if (f.kind == finding_kind::order_dependent) continue;  // comes of the others, and later
    if (f.kind == finding_kind::wide_shift) continue;       // the amount that came of it
    EXPECT_THAT(f.here.file, HasSubstr(name + ".cu"));
    EXPECT_TRUE(f.here.line == first || f.here.line == second) << f.text();
    EXPECT_TRUE(f.other.line == first || f.other.line == second) << f.text();
    found |= f.kind == kind && std::minmax(f.here.line, f.other.line) == std::minmax(first, second);
  }
  EXPECT_TRUE(found) << name << " is not among " << findings.size();
}

class specimen_test : public testing::TestWithParam<specimen> {};

TEST_P(specimen_test, is_found_at_its_line) {
  const specimen& s = GetParam();
  const std::string name(s.name);
  if (is_right_today(name)) {
    for (const auto seed : some_orders) EXPECT_THAT(examine(s, false, seed), IsEmpty());
    return;
  }
  const expectation& e = expected.at(s.name);
  expect_found(examine(s, false), name, e.kind);
  if (!e.in_every_order) return;
  for (const auto seed : some_orders) expect_found(examine(s, false, seed), name, e.kind);
}

TEST_P(specimen_test, has_a_mended_twin_without_findings) {
  for (const auto& f : examine(GetParam(), true)) ADD_FAILURE() << f.text();
  for (const auto seed : some_orders) {
    for (const auto& f : examine(GetParam(), true, seed)) ADD_FAILURE() << f.text();
  }
}

INSTANTIATE_TEST_SUITE_P(of, specimen_test, testing::ValuesIn(specimens::all()),
                         [](const auto& i) { return std::string(i.param.name); });

TEST(specimens, are_the_files_in_their_folder) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(WARPFOLD_SPECIMENS)) {
    const auto& path = entry.path();
    if (path.extension() != ".cu" || path.stem() == "run") continue;
    ++files;
    const std::string name = path.stem().string();
    EXPECT_NE(expected.contains(name), is_right_today(name)) << path;
  }
  EXPECT_EQ(specimens::all().size(), files);
}

TEST(specimens, that_need_another_order_or_another_run_are_not_found_in_one) {
  for (const specimen& s : specimens::all()) {
    if (is_right_today(s.name)) continue;
    if (!expected.at(s.name).in_every_order) EXPECT_THAT(examine(s, false, 0), IsEmpty());
  }
}

}  // namespace
}  // namespace warpfold::tests
