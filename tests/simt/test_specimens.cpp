// Each classic mistake is found at its line; each mended twin is clean.
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/simt/machine.hpp"
#include "tests/specimens/specimens.hpp"

namespace warpfold::tests {
namespace {

using simt::finding_kind;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

struct outcome {
  std::vector<simt::finding> findings;
  std::string error;
  int second = 0;  // of the results
};

using specimen = void (*)(bool, const specimens::buffers&);

outcome run(specimen s, bool mended, std::uint64_t seed = 0) {
  constexpr unsigned n = 128 * 7;
  const device_array<int> in(n, 1), out(n);
  const device_array<unsigned> scratch(1024);
  simt::observe scope({.check = true, .seed = seed, .patience_seconds = 0.3});
  std::string error;
  try {
    s(mended, {in.data(), out.data(), scratch.data(), n});
  } catch (const simt::kernel_error& e) {
    error = e.what();
  }
  return {scope.findings, error, out[1]};
}

int line_of(const std::string& name, const std::string& mark) {
  std::ifstream file(WARPFOLD_SPECIMENS "/" + name + ".cu");
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.find(mark) != std::string::npos) return number;
  }
  ADD_FAILURE() << name << " has no mark " << mark;
  return 0;
}

void expect_clean(specimen s) {
  for (const std::uint64_t seed : {0, 1, 2}) {
    const auto o = run(s, true, seed);
    EXPECT_EQ(o.error, "");
    for (const auto& f : o.findings) ADD_FAILURE() << f.text();
  }
}

/// In every order there is this finding at the marked lines, and nothing else.
void expect_found(specimen s, const std::string& name, finding_kind kind) {
  const int first = line_of(name, "[1]"), second = line_of(name, "[2]");
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    const auto o = run(s, false, seed);
    EXPECT_FALSE(o.findings.empty()) << name << ", seed " << seed;
    bool found = false;
    for (const auto& f : o.findings) {
      EXPECT_THAT(f.here.file, HasSubstr(name + ".cu"));
      EXPECT_THAT(f.kernel, HasSubstr(name + "_kernel<false>"));
      EXPECT_TRUE(f.here.line == first || f.here.line == second) << f.text();
      EXPECT_TRUE(f.other.line == first || f.other.line == second) << f.text();
      found |=
          f.kind == kind && std::minmax(f.here.line, f.other.line) == std::minmax(first, second);
    }
    EXPECT_TRUE(found) << name << ", seed " << seed << ": " << o.findings.size() << " others";
  }
  expect_clean(s);
}

TEST(specimens, missing_barrier) {
  expect_found(specimens::missing_barrier, "missing_barrier", finding_kind::race_between_warps);
}
TEST(specimens, warp_tail_volatile) {
  expect_found(specimens::warp_tail_volatile, "warp_tail_volatile", finding_kind::race_in_warp);
}
TEST(specimens, warp_tail_plain) {
  expect_found(specimens::warp_tail_plain, "warp_tail_plain", finding_kind::race_in_warp);
}
TEST(specimens, past_the_end) {
  expect_found(specimens::past_the_end, "past_the_end", finding_kind::out_of_bounds);
}
TEST(specimens, stale_buffer) {
  expect_found(specimens::stale_buffer, "stale_buffer", finding_kind::unwritten);
}
TEST(specimens, last_block_no_fence) {
  expect_found(specimens::last_block_no_fence, "last_block_no_fence",
               finding_kind::race_between_blocks);
}

std::string place(const std::string& name) {
  return "(" + name + ".cu:" + std::to_string(line_of(name, "[1]")) + ")";
}

TEST(specimens, narrow_mask) {
  EXPECT_THAT(run(specimens::narrow_mask, false).error,
              AllOf(HasSubstr("narrow_mask_kernel<false>"), HasSubstr(place("narrow_mask")),
                    HasSubstr("0x0000ffff")));
  expect_clean(specimens::narrow_mask);
}

TEST(specimens, early_return) {
  EXPECT_THAT(run(specimens::early_return, false).error,
              AllOf(HasSubstr("early_return_kernel<false>"), HasSubstr(place("early_return")),
                    HasSubstr("28 ended")));
  expect_clean(specimens::early_return);
}

TEST(specimens, look_back_block_index) {
  EXPECT_EQ(run(specimens::look_back_block_index, false).error, "") << "blocks in order";
  EXPECT_THAT(run(specimens::look_back_block_index, false, 1).error,
              AllOf(HasSubstr("look_back_block_index_kernel<false>"), HasSubstr("spin")));
  expect_clean(specimens::look_back_block_index);
}

/// The checker sees nothing here: all accesses are in order. Only the result tells.
TEST(specimens, ticket_not_reset) {
  const auto spoilt = run(specimens::ticket_not_reset, false);
  EXPECT_THAT(spoilt.findings, IsEmpty());
  EXPECT_EQ(spoilt.second, 0);
  EXPECT_EQ(run(specimens::ticket_not_reset, true).second, 16);
  expect_clean(specimens::ticket_not_reset);
}

}  // namespace
}  // namespace warpfold::tests
