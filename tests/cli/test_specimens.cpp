// warpfold specimens: each is listed, shown as either twin, and run with its findings.
#include "examples/specimens/specimens.hpp"
#include "tests/cli/command_line.hpp"

namespace warpfold::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

TEST_F(command_line, specimens_are_listed) {
  const outcome o = run("specimens");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(run("specimens list").out, o.out);
  EXPECT_EQ(std::count(o.out.begin(), o.out.end(), '\n'), 12);
  for (const auto& s : specimens::all()) {
    EXPECT_THAT(o.out, AllOf(HasSubstr(std::string(s.name) + "  "),
                             HasSubstr("  " + std::string(s.mistake) + "\n")));
  }
}

TEST_F(command_line, specimens_are_shown_as_either_twin) {
  for (const auto& s : specimens::all()) {
    const std::string name(s.name);
    const outcome mistaken = run("specimens show " + name),
                  mended = run("specimens show --mended " + name);
    EXPECT_THAT(mistaken.out, StartsWith(name + ".cu: " + std::string(s.mistake) + "\n("));
    EXPECT_NE(mistaken.out, mended.out);
    for (const outcome& o : {mistaken, mended}) {
      EXPECT_EQ(o.code, 0) << o.err;
      const std::string code = o.out.substr(o.out.find('\n'));
      for (const char* pair : {"{}", "()", "[]"}) {
        EXPECT_EQ(std::count(code.begin(), code.end(), pair[0]),
                  std::count(code.begin(), code.end(), pair[1]))
            << name << " " << pair << code;
      }
      EXPECT_THAT(code, AllOf(HasSubstr("__global__ void " + name + "_kernel("),
                              Not(HasSubstr("Mended")), Not(HasSubstr("// ["))));
    }
  }
}

/// One for each way that a specimen tells its twins apart.
TEST_F(command_line, specimens_are_shown_without_the_other_twin) {
  const auto shown = [&](const std::string& which) { return run("specimens show " + which).out; };
  EXPECT_THAT(
      shown("missing_barrier"),
      AllOf(Not(HasSubstr("  17  ")), HasSubstr("without the lines of its corrected twin")));
  EXPECT_THAT(shown("missing_barrier --mended"), HasSubstr("\n  17      __syncthreads();\n"));
  EXPECT_THAT(shown("early_return"), HasSubstr("\n  13    if (tid >= n) return;\n"));
  EXPECT_THAT(shown("early_return --mended"), Not(HasSubstr("return;")));
  EXPECT_THAT(shown("dropped_tail"),
              AllOf(HasSubstr("\n  17    if (i + tile * 3 < n)\n"), Not(HasSubstr("for ("))));
  EXPECT_THAT(shown("dropped_tail --mended"),
              AllOf(HasSubstr("\n  15    for (unsigned k = i; "), Not(HasSubstr("tile * 3"))));
  EXPECT_THAT(shown("past_the_end"),
              HasSubstr("\n  13    out[i] = in[i] + in[i + blockDim.x];\n  17  }\n"));
  EXPECT_THAT(shown("past_the_end --mended"), HasSubstr("  if (i + blockDim.x < n) {\n"));
  EXPECT_THAT(shown("stale_buffer"), HasSubstr("    } else {\n  22        to[tid] +="));
  EXPECT_THAT(shown("stale_buffer --mended"), HasSubstr("    } else {\n  20        to[tid] ="));
  EXPECT_THAT(shown("narrow_mask"), AllOf(HasSubstr("mask = 0x0000ffffU;"),
                                          HasSubstr("\n  12    if (threadIdx.x < 16) {\n")));
  EXPECT_THAT(shown("narrow_mask --mended"),
              AllOf(HasSubstr("mask = 0xffffffffU;"), HasSubstr("\n  13    for (")));
  EXPECT_THAT(shown("offset_precedence"), HasSubstr("sums[padded(tid)]"));
}

TEST_F(command_line, specimens_are_compared_with_their_twins) {
  for (const auto& s : specimens::all()) {
    const outcome o = run("specimens diff " + std::string(s.name));
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_THAT(o.out, AllOf(StartsWith("--- " + std::string(s.name) + "\n+++ "),
                             HasSubstr("\n@@ "), HasSubstr("\n+")));
  }
  EXPECT_THAT(run("specimens diff last_block_no_fence").out,
              HasSubstr("\n+    __threadfence();\n"));
}

TEST_F(command_line, specimens_run_with_findings_and_their_twins_without) {
  const outcome all = run("specimens run");
  EXPECT_EQ(all.code, 0) << all.err;
  for (const auto& s : specimens::all()) {
    EXPECT_THAT(all.out, HasSubstr(std::string(s.name) + ": " + std::string(s.mistake) + "\n"));
    EXPECT_THAT(all.out, HasSubstr("\n  " + std::string(s.name) + ".cu:"));
  }
  const outcome one = run("specimens run missing_barrier");
  EXPECT_EQ(one.code, 0);
  EXPECT_THAT(one.out, AllOf(HasSubstr("race between warps"), HasSubstr("missing_barrier.cu:16: "),
                             HasSubstr("fix: "), HasSubstr("the corrected twin: no finding\n")));
  EXPECT_THAT(run("specimens run --mended narrow_mask").out, Not(HasSubstr("fix: ")));
}

TEST_F(command_line, specimens_that_are_not_there_are_refused) {
  expect_refusal("specimens show narow_mask", 2, "did you mean narrow_mask?");
  expect_refusal("specimens run unknown_thing", 2, "`warpfold specimens` lists them");
  expect_refusal("specimens show", 2, "name");
  expect_refusal("specimens shwo", 2, "did you mean show?");
}

}  // namespace
}  // namespace warpfold::cli
