// `warpfold steps`: its tables, its pictures, what it refuses.
#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/cli/command_line.hpp"

namespace warpfold::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

const std::string lecture = "--values 10,1,8,-1,0,-2,3,5,-2,-3,2,7,0,11,0,2";

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST_F(command_line, steps_print_the_table_of_the_lecture) {
  const outcome o = run("steps reduce/sequential " + lecture);
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.err, IsEmpty());
  EXPECT_EQ(o.out.find('\x1b'), std::string::npos) << "colour, but not on a terminal";
  for (const char* part :
       {"step 1 · stride 8 · threads 0–7\n",
        "shared      8  -2  10   6   0   9   3   7  -2  -3   2   7   0  11   0   2\n",
        "step 2 · stride 4 · threads 0–3\n",
        "shared      8   7  13  13   0   9   3   7  -2  -3   2   7   0  11   0   2\n",
        "step 3 · stride 2 · threads 0, 1\n",
        "shared     21  20  13  13   0   9   3   7  -2  -3   2   7   0  11   0   2\n",
        "step 4 · stride 1 · thread 0\n",
        "shared     41  20  13  13   0   9   3   7  -2  -3   2   7   0  11   0   2\n",
        "out        41\n", "✓ 41\n"}) {
    EXPECT_THAT(o.out, HasSubstr(part));
  }
  EXPECT_EQ(run("steps reduce/12 " + lecture).out, o.out);
}

TEST_F(command_line, steps_of_a_scan_and_of_a_sort) {
  const std::string values = " --values 3,1,7,0,4,1,6,3";
  EXPECT_THAT(run("steps scan/blelloch --exclusive" + values).out,
              AllOf(HasSubstr("step 5 · stride 2 · threads 0, 1\n        0: [1] [3] → [1] [3]"),
                    HasSubstr("out         0   3   4  11  11  15  16  22\n")));
  EXPECT_THAT(run("steps scan/blelloch" + values).out,
              HasSubstr("out         3   4  11  11  15  16  22  25\n"));
  const outcome sort = run("steps sort/bitonic-shared --pairs" + values);
  EXPECT_THAT(sort.out,
              AllOf(HasSubstr("compare 0:3 1:2 4:7 5:6, smaller first; swapped 1:2 5:6\n"),
                    HasSubstr("out values"), HasSubstr("✓ sorted")));
  EXPECT_THAT(run("steps sort/odd-even --descending" + values).out, HasSubstr("greater first"));
}

TEST_F(command_line, steps_of_a_histogram) {
  const outcome o = run("steps histogram/shared-atomics --bins 4 --values 3,1,0,3,-1,4");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, AllOf(HasSubstr("4 bins of 6 i32"), HasSubstr("0: [0] shared[3] → shared[3]"),
                           HasSubstr("out         1   1   0   2\n"), HasSubstr("✓ counted")));
  expect_refusal("steps histogram/packed --bins 5000", 2, "takes at most 2048 bins");
  expect_refusal("steps histogram/1 --bins 0", 2, "1 to 2^24");
  expect_refusal("steps histogram/1 --type f32", 2, "u32, i32, u64 and i64");
}

TEST_F(command_line, steps_of_a_selection) {
  for (const char* rung : {"ticket", "warp-ticket", "three-launches", "look-back", "wide"}) {
    const outcome o = run(std::string("steps select/") + rung + " --values 3,0,-1,4,0");
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_THAT(o.out, AllOf(HasSubstr("what is not 0 of 5 i32"), HasSubstr("✓ 3 kept"))) << rung;
  }
}

TEST_F(command_line, steps_take_values_of_every_type) {
  EXPECT_THAT(run("steps reduce/modulo --values -3,1,2").out, HasSubstr("✓ 0\n"));
  EXPECT_THAT(run("steps reduce/modulo --type f64 --op max --values ' 1e3, -inf ,0.25'").out,
              HasSubstr("✓ 1000\n"));
  EXPECT_THAT(run("steps sort/bitonic-warp --type u64 --values 18446744073709551615,1").out,
              HasSubstr("                     1  18446744073709551615\n"));
  EXPECT_THAT(run("steps reduce/shuffle --type i64 --block 64 --values 7").out,
              HasSubstr("block of 64 threads"));
}

TEST_F(command_line, steps_draw_a_picture) {
  const std::filesystem::path file = folder_ / "steps.svg";
  const outcome o = run("steps reduce/sequential " + lecture + " --svg " + file.string());
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("✓ 41"));
  const std::string svg = contents(file);
  EXPECT_THAT(svg, AllOf(StartsWith("<svg xmlns="), HasSubstr("prefers-color-scheme: dark"),
                         HasSubstr(">Step 4<"), HasSubstr(">stride 8<"), HasSubstr(">41<"),
                         Not(HasSubstr("bank conflicts<")), testing::EndsWith("</svg>\n")));
  // Shapes of this kind in the groups of this class.
  const auto count = [&](const std::string& shape, const std::string& style) {
    std::size_t n = 0;
    const std::string open = "<g class=\"" + style + "\"";
    for (auto at = svg.find(open); at != std::string::npos; at = svg.find(open, at + 1)) {
      const auto end = svg.find("</g>", at);
      for (auto in = svg.find(shape, at); in < end; in = svg.find(shape, in + 1)) ++n;
    }
    return n;
  };
  EXPECT_EQ(count("<circle ", "w0"), 16U + 8 + 4 + 2 + 1 + 1);
  EXPECT_EQ(count("<circle ", "idle"), 6U * 16 - 32);
  EXPECT_EQ(count("<polygon ", "w0"), 2U * 16 + 3 * (8 + 4 + 2 + 1) + 2);  // reads and writes
  const std::string many = "--values " + [] {
    std::string text = "0";
    for (int i = 1; i < 64; ++i) text += "," + std::to_string(i);
    return text;
  }();
  EXPECT_EQ(run("steps reduce/strided " + many + " --svg " + file.string()).code, 0);
  EXPECT_THAT(contents(file), AllOf(HasSubstr(">3 bank conflicts<"), HasSubstr("class=\"w1\"")));
}

TEST_F(command_line, steps_have_values_by_default) {
  EXPECT_EQ(run("steps reduce/sequential").out, run("steps reduce/sequential " + lecture).out);
  for (const char* what :
       {"scan/blelloch", "sort/bitonic-shared --type u32", "reduce/shuffle", "histogram/copies"}) {
    EXPECT_EQ(run(std::string("steps ") + what).code, 0) << what;
  }
}

TEST_F(command_line, steps_show_every_thread) {
  const std::string out = run("steps reduce/modulo").out;
  EXPECT_THAT(out, AllOf(HasSubstr("14: [14] [15] → [14]\n"), Not(HasSubstr("…\n"))));
  const std::string sort = run("steps sort/bitonic-shared --values " +
                               [] {
                                 std::string text = "31";
                                 for (int i = 30; i >= 0; --i) text += "," + std::to_string(i);
                                 return text;
                               }())
                               .out;
  EXPECT_THAT(sort, AllOf(HasSubstr(" 30:31, smaller first;"), Not(HasSubstr("…\n"))));
}

TEST_F(command_line, a_cascade_cascades_in_its_steps) {
  const outcome o = run("steps reduce/cascade");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, AllOf(StartsWith("reduce/cascade · sum of 128 i32 · 1 block of 32 threads"),
                           HasSubstr("0: [0] [32] [64] [96] → shared[0]"), HasSubstr("✓ 328\n")));
  EXPECT_THAT(o.out, AllOf(HasSubstr("\n  from 96    10 "), HasSubstr("\n  from 112   10 ")));
  EXPECT_THAT(run("steps reduce/unroll-last-warp").out,
              AllOf(HasSubstr("\nno partner: shared written back · threads 0–31\n"),
                    HasSubstr("0: held [16] → [0]")));
}

TEST_F(command_line, pictures_say_what_they_show) {
  const outcome o = run("steps reduce/sequential --svg -");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out,
              AllOf(StartsWith("<svg xmlns="), HasSubstr("role=\"img\" aria-label=\"reduce/"),
                    HasSubstr("<title>reduce/sequential · sum of 16 i32"),
                    HasSubstr("<desc>in → shared · threads 0–15; step 1 · stride 8"),
                    testing::EndsWith("</svg>\n")));
  EXPECT_THAT(run("ladder streams --n 2^12 --backend simt --svg -").out,
              AllOf(StartsWith("<svg"), HasSubstr("<title>streams"), HasSubstr(">polls<")));
}

TEST_F(command_line, pictures_have_themes) {
  const std::string light = run("steps reduce/sequential --svg - --theme light").out;
  const std::string dark = run("steps reduce/sequential --svg - --theme dark").out;
  EXPECT_THAT(light, AllOf(Not(HasSubstr("<style>")), HasSubstr("fill=\"#ffffff\"")));
  EXPECT_THAT(dark, AllOf(Not(HasSubstr("<style>")), HasSubstr("fill=\"#0d1117\""),
                          Not(HasSubstr("#1f2328"))));
  expect_refusal("steps reduce", 2, "name a rung, as in `warpfold steps reduce 1`");
  expect_refusal("steps reduce 99", 2, "rung 99: there is no such rung; the ladder's --list shows");
  expect_refusal("steps reduce/sequential --svg - --theme blue", 2, "auto, light or dark");
}

TEST_F(command_line, one_picture_a_step) {
  const std::string pattern = (folder_ / "step-%d.svg").string();
  EXPECT_EQ(run("steps reduce/sequential --svg " + pattern).code, 0);
  for (int i = 1; i <= 6; ++i) {
    const std::string svg = contents(folder_ / ("step-" + std::to_string(i) + ".svg"));
    EXPECT_THAT(svg, testing::EndsWith("</svg>\n")) << i;
    EXPECT_EQ(svg.find(">Step 1<") != std::string::npos, i == 2) << i;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "step-7.svg"));
  expect_refusal("steps reduce/sequential --svg step-%s.svg", 2, "step-%d.svg");
  expect_refusal("steps reduce/sequential --svg %d-%d.svg", 2, "one %d");
}

TEST_F(command_line, a_sorts_network_has_wires_and_comparators) {
  const std::string values = " --values 3,1,7,0,4,1,6,3";
  const outcome o = run("steps sort/bitonic-shared --network --svg -" + values);
  EXPECT_EQ(o.code, 0) << o.err;
  const auto count = [&](const std::string& text) {
    std::size_t n = 0;
    for (auto at = o.out.find(text); at != std::string::npos; at = o.out.find(text, at + 1)) ++n;
    return n;
  };
  EXPECT_EQ(count("<circle "), 2U * 6 * 4) << "six steps of four comparators";
  EXPECT_EQ(count("<polyline "), 8U + 6 * 4) << "eight wires, and the comparators";
  for (const char* rung : {"odd-even", "bitonic-global", "bitonic-warp"}) {
    EXPECT_EQ(run(std::string("steps sort/") + rung + " --network --svg -" + values).code, 0);
  }
  expect_refusal("steps sort/library --network --svg -" + values, 2,
                 "not a network of comparators");
  expect_refusal("steps sort/odd-even --network", 2, "--svg FILE");
  expect_refusal("steps reduce/sequential --network --svg -", 2, "--network");
}

TEST_F(command_line, each_ladders_steps_have_its_own_options_only) {
  const std::string reduce = run("steps reduce --help").out, sort = run("steps sort --help").out;
  for (const char* option : {"--exclusive", "--pairs", "--descending", "--network"}) {
    EXPECT_THAT(reduce, Not(HasSubstr(option)));
  }
  EXPECT_THAT(reduce, HasSubstr("--op"));
  EXPECT_THAT(
      sort, AllOf(HasSubstr("--network"), Not(HasSubstr("--op ")), Not(HasSubstr("--exclusive"))));
}

TEST_F(command_line, words_of_the_steps_are_explained_where_they_are_used) {
  const std::string cascade = run("steps reduce cascade").out;
  EXPECT_THAT(cascade, AllOf(HasSubstr("held: a value that the thread keeps"),
                             HasSubstr("written back: each value to where it was read"),
                             HasSubstr("numbered: the steps that use the operator")));
  EXPECT_THAT(run("steps reduce strided").out, Not(HasSubstr("numbered:")));
}

TEST_F(command_line, steps_as_json) {
  const outcome o = run("steps reduce/sequential --json -");
  EXPECT_EQ(o.code, 0) << o.err;
  const auto j = nlohmann::json::parse(o.out);
  EXPECT_EQ(j["arrays"][0]["cells"][3], -1);
  EXPECT_EQ(j["steps"][1]["stride"], 8);
  EXPECT_EQ(j["steps"][1]["threads"][7]["reads"].size(), 2U);
  EXPECT_EQ(j["steps"].back()["after"][0]["cells"][0], 41);
  EXPECT_THAT(run("steps reduce/sequential --json " + (folder_ / "s.json").string()).out,
              HasSubstr("✓ 41"));
  EXPECT_EQ(contents(folder_ / "s.json"), o.out);
  expect_refusal("steps reduce/sequential --json - --svg -", 2, "standard output");
}

TEST_F(command_line, a_picture_of_a_warp_is_small) {
  const std::filesystem::path file = folder_ / "shuffle.svg";
  EXPECT_EQ(run("steps reduce/shuffle " + lecture + " --svg " + file.string()).code, 0);
  EXPECT_LT(contents(file).size(), 180'000U);
}

TEST_F(command_line, steps_leave_no_half_picture) {
  const std::filesystem::path file = folder_ / "kept.svg";
  write("kept.svg", "old");
  expect_refusal("steps reduce/sequential --values 1,x --svg " + file.string(), 2, "value 2");
  EXPECT_EQ(contents(file), "old");
  expect_refusal("steps reduce/sequential --values 1,2 --svg " + (folder_ / "no" / "dir").string(),
                 4, "no");
  expect_refusal("steps reduce/sequential --values 1,2 --svg " + folder_.string(), 4,
                 folder_.string());
  std::string many = "1";
  for (int i = 0; i < 100; ++i) many += ",1";
  expect_refusal("steps reduce/sequential --values " + many + " --svg " + file.string(), 2,
                 "at most 64");
  EXPECT_EQ(contents(file), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(command_line, steps_refuse_what_makes_no_sense) {
  expect_refusal("steps reduce --values 1", 2, "name a rung");
  expect_refusal("steps bake/1 --values 1", 2, "reduce, scan, sort, histogram, select");
  expect_refusal("steps reduce/no-such --values 1", 2, "no-such");
  expect_refusal("steps reduce/99 --values 1", 2, "99");
  expect_refusal("steps sort/2 --values 1", 2, "no kernel");
  expect_refusal("steps scan/serial --values 1", 2, "no kernel");
  expect_refusal("steps reduce/sequential --values ''", 2, "value 1");
  expect_refusal("steps reduce/sequential --values 1,,2", 2, "value 2");
  expect_refusal("steps reduce/sequential --values 1,2,", 2, "last comma");
  expect_refusal("steps reduce/sequential --values 1.5", 2, "no i32");
  expect_refusal("steps reduce/sequential --values 3000000000", 2, "no i32");
  expect_refusal("steps reduce/sequential --type u8 --values 1", 2, "i32, i64, f32 and f64");
  expect_refusal("steps sort/bitonic-warp --type i64 --values 1", 2, "u32, i32, f32, u64 and f64");
  expect_refusal("steps reduce/sequential --type f32 --op and --values 1", 2, "integer");
  expect_refusal("steps scan/blelloch --op mean --values 1", 2, "mean");
  expect_refusal("steps reduce/sequential --op mean --values 1", 2, "mean");
  expect_refusal("steps reduce/sequential --exclusive --values 1", 2, "--exclusive");
  expect_refusal("steps scan/blelloch --pairs --values 1", 2, "--pairs");
  expect_refusal("steps scan/blelloch --descending --values 1", 2, "--descending");
  expect_refusal("steps sort/bitonic-warp --op sum --values 1", 2, "--op");
  expect_refusal("steps reduce/sequential --block 8 --values 1,2,3,4,5,6,7,8,9", 2, "at most 8");
  expect_refusal("steps reduce/sequential --block 12 --values 1", 2, "--block 12");
  expect_refusal("steps reduce/sequential --block many --values 1", 2, "--block many");
  std::string many = "1";
  for (int i = 0; i < 1024; ++i) many += ",1";
  expect_refusal("steps reduce/sequential --values " + many, 2, "at most 1024");
  EXPECT_EQ(run("steps --values 1").code, 2);
}

}  // namespace
}  // namespace warpfold::cli
