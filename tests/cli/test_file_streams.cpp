// Standard output as an output of the commands on files.
#include <csignal>
#include <fstream>
#include <numeric>
#include <sstream>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/cli/file_commands.hpp"
#include "tests/cli/sorted.hpp"

namespace warpfold::cli {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

const std::string program = WARPFOLD_PROGRAM " ";

class file_streams : public file_command {
 protected:
  std::string bytes(const std::string& name) {
    return (std::ostringstream() << std::ifstream(path(name), std::ios::binary).rdbuf()).str();
  }
  /// What the command writes to a file, and to a pipe and a redirected file under `-`, is the same.
  void expect_same(const std::string& arguments, const std::string& option) {
    const std::string name = path("named");
    ASSERT_EQ(run(arguments + " " + option + " " + name + " --force").code, 0) << arguments;
    for (const std::string to : {" | cat > ", " > "}) {
      for (const std::string word : {"-", "/dev/stdout"}) {
        const outcome o =
            shell(program + arguments + " " + option + " " + word + to + path("streamed"));
        EXPECT_EQ(o.code, 0) << o.err;
        EXPECT_THAT(o.err, IsEmpty()) << arguments;
        EXPECT_TRUE(bytes("streamed") == bytes("named")) << arguments << to << word;
      }
    }
    EXPECT_FALSE(std::filesystem::exists("-")) << arguments;
  }
};

TEST_F(file_streams, every_output_goes_to_standard_output) {
  const std::string floats = raw("f", random<float>(700'001)) + " --type f32 --backend host ";
  const std::string bytes = raw("b", random<std::uint8_t>(5'000'001)) + " --type u8 ";
  const std::string matrix = npy("m.npy", random<std::int32_t>(30'000), {3, 10'000});
  for (const std::string format : {"", " --format npy"}) {
    expect_same("scan " + floats + format, "-o");
    expect_same("scan " + bytes + "--exclusive" + format, "--output");
    expect_same("sort " + floats + format, "-o");
    expect_same("reduce " + matrix + " --axis 0" + format, "-o");
    expect_same("sort " + floats + "--force --values " + path("f") + " --values-type f32 -o " +
                    path("keys") + format,
                "--values-out");
    expect_same("sort " + floats + "--force --values " + path("f") +
                    " --values-type f32 --values-out " + path("values") + format,
                "-o");
  }
  ASSERT_EQ(run("scan " + path("m.npy") + " --op max -o " + path("refused")).code, 2);
}

TEST_F(file_streams, a_sort_outside_memory_streams_its_merge) {
  const auto keys = random<std::uint32_t>(9'000'000);
  const std::string in = raw("k", keys) + " --type u32 --memory 16MiB --backend host ";
  ASSERT_EQ(shell(program + "sort " + in + "-o - | cat > " + path("sorted")).code, 0);
  EXPECT_TRUE(read<std::uint32_t>("sorted") == sorted(keys));
}

TEST_F(file_streams, a_stream_becomes_a_stream_and_its_header_waits_for_its_end) {
  const auto values = random<std::uint8_t>(3'000'003);
  std::vector<std::uint64_t> expected(values.begin(), values.end());
  std::partial_sum(expected.begin(), expected.end(), expected.begin());
  const std::string scan = "cat " + raw("in", values) + " | " + program + "scan - --type u8 -o - ";
  ASSERT_EQ(shell(scan + "> " + path("raw")).code, 0);
  EXPECT_TRUE(read<std::uint64_t>("raw") == expected);
  ASSERT_EQ(shell(scan + "--format npy | cat > " + path("a.npy")).code, 0);
  EXPECT_TRUE(read<std::uint64_t>("a.npy") == expected);
  EXPECT_EQ(data::read_npy(path("a.npy")).shape, std::vector<std::size_t>{expected.size()});
  EXPECT_EQ(shell(scan + "| " + program + "reduce - --type u64 --op max").out,
            std::to_string(expected.back()) + "\n");
}

TEST_F(file_streams, what_is_written_first_can_be_read_first) {
  // The reader sees 8 MiB of prefixes of a stream that never ends.
  const outcome o = shell("yes | " + program + "scan - --type u8 -o - | head -c 8388608 | wc -c");
  EXPECT_EQ(o.out, "8388608\n") << o.err;
}

TEST_F(file_streams, a_redirected_file_is_written_from_where_it_stands) {
  const std::string in = raw("in", std::vector<std::uint8_t>{3, 1, 2});
  ASSERT_EQ(shell("(printf begin; " + program + "sort " + in + " --type u8 -o -; printf end) > " +
                  path("out"))
                .code,
            0);
  EXPECT_EQ(bytes("out"), "begin\1\2\3end");
  ASSERT_EQ(shell(program + "sort " + in + " --type u8 -o - >> " + path("out")).code, 0);
  EXPECT_EQ(bytes("out"), "begin\1\2\3end\1\2\3");
}

TEST_F(file_streams, progress_and_json_keep_out_of_the_values) {
  const std::string in = npy("in.npy", std::vector<std::int64_t>{1, 2, 3});
  const outcome o = shell(program + "scan " + in + " -o - --progress always --json " +
                          path("report") + " > " + path("out"));
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.err, HasSubstr("scanning: 24 B in"));
  EXPECT_EQ(read<std::int64_t>("out"), (std::vector<std::int64_t>{1, 3, 6}));
  const auto j = nlohmann::json::parse(bytes("report"));
  EXPECT_EQ(j["output"], "-");
  EXPECT_EQ(j["count"], 3);
}

TEST_F(file_streams, json_goes_to_a_file_or_to_standard_output) {
  const std::string in = npy("in.npy", std::vector<std::int64_t>{1, 2, 3});
  const std::string square = npy("s.npy", std::vector<double>{1, 2, 3, 4}, {2, 2});
  const auto parsed = [](const std::string& text) { return nlohmann::json::parse(text); };
  EXPECT_EQ(parsed(run("reduce " + in + " --json -").out)["result"]["sum"], 6);
  const std::string file = path("report");
  EXPECT_EQ(run("reduce " + in + " --json " + file).out, "6\n") << "for people, as without it";
  EXPECT_EQ(parsed(bytes("report"))["result"]["sum"], 6);
  expect_refusal("reduce " + in + " --json " + file, 4, "exists already");
  EXPECT_EQ(run("reduce " + square + " --axis 1 --force --json " + file).out, "3\n7\n");
  EXPECT_EQ(parsed(bytes("report"))["result"], parsed("[3.0, 7.0]"));
  EXPECT_EQ(run("reduce " + square + " --axis 1 --force --json " + file + " -o " + path("o")).out,
            "");
  EXPECT_FALSE(parsed(bytes("report")).contains("result"));
  expect_refusal("reduce " + in + " --json " + in + " --force", 2, "is the input");
  expect_refusal("scan " + in + " --json " + path("x") + " -o " + path("./x"), 2,
                 "are the same file");
  expect_refusal("reduce " + in + " --op exact-sum --json -", 2, "f32 and f64");
}

TEST_F(file_streams, json_is_utf_8_even_of_names_that_are_not) {
  const std::string in = raw("\xff.bin", std::vector<std::uint8_t>{1});
  const std::string text = run("reduce " + in + " --type u8 --json -").out;
  EXPECT_THAT(std::string(nlohmann::json::parse(text)["file"]), HasSubstr("\xef\xbf\xbd.bin"));
}

TEST_F(file_streams, two_outputs_do_not_share_it) {
  const std::string in = npy("in.npy", std::vector<float>{2, 1});
  const auto before = names();
  const std::string pairs = "sort " + in + " --values " + in + " -o - --values-out ";
  expect_refusal("scan " + in + " -o - --json -", 2, "--output and --json both go to standard");
  expect_refusal(pairs + "-", 2, "--output and --values-out both go to standard");
  expect_refusal(pairs + "/dev/stdout", 2, "give one of them a file");
  expect_refusal(pairs + path("v") + " --json -", 2, "--output and --json");
  expect_refusal("reduce " + in + " --op exact-sum --accumulator -", 2, "give its path");
  EXPECT_EQ(names(), before);
}

TEST_F(file_streams, what_leads_there_by_another_name_is_refused_with_advice) {
  const std::string in = npy("in.npy", std::vector<float>{2, 1});
  for (const std::string name : {"/dev/fd/1", "/proc/self/fd/1"}) {
    expect_refusal("scan " + in + " --force -o " + name, 4, "or - for standard output");
  }
}

TEST_F(file_streams, the_input_is_not_written_behind_itself) {
  const std::string in = raw("in", std::vector<std::uint8_t>{1, 2});
  const outcome o = shell(program + "scan " + in + " --type u8 -o - >> " + in);
  EXPECT_EQ(o.code, 2);
  EXPECT_THAT(o.err, HasSubstr("is the input"));
  EXPECT_EQ(bytes("in"), "\1\2");
}

TEST_F(file_streams, what_cannot_be_written_is_code_4) {
  const std::string in = npy("in.npy", random<std::int64_t>(100'000));
  for (const std::string to : {" > /dev/full", " >&-", " 1< /dev/null"}) {
    const outcome o = shell(program + "scan " + in + " -o -" + to);
    EXPECT_EQ(o.code, 4) << to << o.err;
    EXPECT_THAT(o.err, StartsWith("warpfold: standard output: can't be written")) << to;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
  }
}

/// As of any filter: silent, by SIGPIPE, unless the caller ignores that; and no other output.
TEST_F(file_streams, a_reader_that_goes_ends_it) {
  const std::string in = raw("in", random<std::uint64_t>(1'000'000));
  for (const std::string& more : {std::string(), std::string(" --json ") + path("report")}) {
    const std::string scan = program + "scan " + in + " --type u64 -o -" + more;
    const std::string code = "; echo $? > " + path("code") + "; } | head -c 100000 > /dev/null)";
    EXPECT_THAT(shell("({ " + scan + code).err, IsEmpty());
    EXPECT_EQ(bytes("code"), std::to_string(128 + SIGPIPE) + "\n");
    EXPECT_THAT(shell("({ trap '' PIPE; " + scan + code).err,
                HasSubstr("its reader has closed it"));
    EXPECT_EQ(bytes("code"), "4\n");
    EXPECT_EQ(names(), (std::vector<std::string>{"code", "in"}));
  }
}

/// Where a file has a hidden name meanwhile, a broken pipe removes it.
TEST_F(file_streams, a_reader_that_goes_leaves_nothing_hidden) {
  const std::string in = raw("in", random<std::uint32_t>(1'000'000)) + " --type u32";
  const outcome o =
      shell("(WARPFOLD_FAULT=nameless LD_PRELOAD=" WARPFOLD_FAULTS " " + program + "sort " + in +
            " --values " + path("in") + " --values-type u32 --values-out " + path("v") +
            " -o - | head -c 1000 > /dev/null)");
  EXPECT_THAT(o.err, IsEmpty());
  EXPECT_EQ(names(), std::vector<std::string>{"in"});
}

TEST_F(file_streams, a_signal_ends_a_wait_for_the_reader) {
  const std::string in = raw("in", random<std::uint64_t>(1'000'000));
  ASSERT_EQ(mkfifo(path("fifo").c_str(), 0600), 0);
  const int reader = ::open(path("fifo").c_str(), O_RDWR);
  const outcome o = shell("timeout --foreground --preserve-status 1 " + program + "scan " + in +
                          " --type u64 -o - > " + path("fifo"));
  ::close(reader);
  EXPECT_EQ(o.code, 128 + SIGTERM);
  EXPECT_THAT(o.err, HasSubstr("stopped by a signal"));
}

TEST_F(file_streams, a_terminal_gets_no_raw_numbers) {
  const std::string in = npy("in.npy", std::vector<std::int32_t>{1, 2});
  const int near = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (near < 0 || ::grantpt(near) != 0 || ::unlockpt(near) != 0) GTEST_SKIP() << "no terminals";
  const std::string far = ::ptsname(near);
  const int open_far = ::open(far.c_str(), O_RDWR | O_NOCTTY);
  const outcome o = shell(program + "scan " + in + " -o - > " + far);
  EXPECT_EQ(o.code, 2);
  EXPECT_THAT(o.err, HasSubstr("is a terminal"));
  EXPECT_EQ(shell(program + "scan " + in + " -o - --force > " + far).code, 0);
  EXPECT_EQ(shell(program + "reduce " + in + " --json - > " + far).code, 0);
  ::close(open_far);
  ::close(near);
}

}  // namespace
}  // namespace warpfold::cli
