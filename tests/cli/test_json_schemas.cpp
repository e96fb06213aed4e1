// What each command writes with --json is as docs/schema says, and the schemas leave nothing open.
#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/cli/command_line.hpp"
#include "tests/json_schema.hpp"

namespace warpfold::cli {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using tests::json_schema;

class json_output : public command_line {
 protected:
  void expect_valid(const std::string& schema, const std::string& arguments, int code = 0) {
    const outcome o = run(arguments);
    ASSERT_EQ(o.code, code) << arguments << "\n" << o.err;
    EXPECT_THAT(json_schema(schema).violations(nlohmann::json::parse(o.out)), IsEmpty())
        << arguments;
  }
};

TEST_F(json_output, names_the_commit_as_the_version_does) {
  const outcome ran = run("ladder reduce --n 64 --rung 12 --backend simt --json -");
  const std::string commit = nlohmann::json::parse(ran.out)["run"]["commit"];  // "" without git
  EXPECT_THAT(run("--version").out, HasSubstr(commit));
}

TEST_F(json_output, of_ladders) {
  for (const char* what :
       {"reduce --n 1000", "reduce --n 0", "reduce --n 100 --type f64 --op max --finish host",
        "scan --n 1000 --exclusive", "sort --n 300 --pairs --descending",
        "reduce --n 1000 --rung 12 --check", "scan --n 1000 --rung 1,3 --lines"}) {
    expect_valid("measurements",
                 std::string("ladder ") + what + " --block 64 --backend simt --json -");
  }
  expect_valid("measurements", "ladder streams --n 2^12 --backend simt --json -");
}

TEST_F(json_output, of_ladders_that_count_lines) {
  const outcome o = run("ladder reduce --n 1000 --rung 11,12 --lines --check --json -");
  ASSERT_EQ(o.code, 0) << o.err;
  const auto document = nlohmann::json::parse(o.out);
  EXPECT_THAT(json_schema("report").violations(document["report"]), IsEmpty());
  EXPECT_EQ(document["report"]["kernels"][0]["rung"], "11 strided");
  EXPECT_THAT(document["rungs"][0]["text"].get<std::string>(), HasSubstr("__global__"));
  EXPECT_EQ(document["rungs"][1]["file"], "12_sequential.cuh");
}

TEST_F(json_output, of_growth) {
  expect_valid("scaling", "ladder reduce --scaling --n 2^12 --rung 12,14 --json -");
  expect_valid("scaling", "ladder sort --scaling --n 2^12 --rung 1 --json -");
}

TEST_F(json_output, of_bench) {
  setenv("WARPFOLD_CACHE_BYTES", "1048576", 1);  // test_bench.cpp says why
  if (run("bench reduce --backend host --n 1 --samples 1").code == 3) {
    GTEST_SKIP() << "the host's algorithms are not in this build";
  }
  expect_valid("measurements", "bench sort --backend host --n 10,1000 --samples 2 --json -");
}

TEST_F(json_output, of_steps) {
  for (const char* what :
       {"reduce/strided --type f64 --values nan,1,-inf,2,3,4,5,6", "reduce/shuffle",
        "reduce/cascade", "scan/blelloch --exclusive", "sort/bitonic-warp --pairs --type u64",
        "sort/bitonic-shared --type u32", "histogram/match", "select/look-back"}) {
    expect_valid("steps", std::string("steps ") + what + " --json -");
  }
}

TEST_F(json_output, of_judge) {
  const std::string hand_in = write("my.cu", run("judge reduce --template").out);
  expect_valid("judge", "judge reduce --json - " + hand_in);
  std::string counts = run("judge histogram --template").out;
  counts.replace(counts.find(", 1)"), 4, ", 2)");
  expect_valid("judge", "judge histogram --json - " + write("twice.cu", counts), 1);
  expect_valid("judge", "judge reduce --json - " + write("empty.cu", "\n"), 4);
}

TEST_F(json_output, of_commands_on_files) {
  const std::string bytes(64, '\1');
  const std::string file = write("values.bin", bytes), out = (folder_ / "out.npy").string();
  for (const char* what :
       {"reduce --type i32 --json -", "reduce --type f32 --op statistics --json -",
        "reduce --type u8 --op argmax --json -", "scan --type i32 --json -",
        "sort --type f64 --json -", "histogram --type u8 --json -",
        "quantiles --type f32 -q 0,0.5 --json -", "median --type u8 --json -",
        "top 3 --type i64 --indices --json -", "unique --type u32 --count --json -"}) {
    std::string arguments = std::string(what) + " " + file + " " + file;
    if (arguments.starts_with("scan") || arguments.starts_with("sort"))
      arguments += " --output " + out;
    expect_valid("files", arguments);
    std::filesystem::remove(out);
  }
  expect_valid("files", "group --by " + file + " --type u8 --sum " + file +
                            " --values-type u8 --count --json - --sum-out " + out);
}

TEST(json_schema, a_wrong_value_is_found) {
  const auto wrong = [](const char* text) {
    return json_schema("files").violations(nlohmann::json::parse(text));
  };
  EXPECT_THAT(wrong(R"({"schema": 2, "file": "a", "type": "i32", "shape": [2], "backend": "host",
                        "result": {"sum": 3}, "stages": []})"),
              IsEmpty());
  const auto all =
      wrong(R"({"schema": 3, "file": 1, "type": "i33", "shape": [-1], "backend": "host",
                             "result": "3", "new": 1})");
  for (const char* part :
       {"/schema: is 3", "/file: is 1", "/type: is \"i33\"", "/shape/0: is too",
        "/result: is \"3\"", "/new: the schema has no such key", ": has no \"stages\""}) {
    EXPECT_THAT(all, Contains(HasSubstr(part)));
  }
  EXPECT_EQ(all.size(), 7U);
}

}  // namespace
}  // namespace warpfold::cli
