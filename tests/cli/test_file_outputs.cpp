// Where outputs go, and sums that several runs share.
#include <cmath>
#include <limits>
#include <numeric>

#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "tests/cli/file_commands.hpp"
#include "warpfold/exact/accumulator.hpp"

namespace warpfold::cli {
namespace {

using testing::HasSubstr;

class file_outputs : public file_command {
 protected:
  std::string text(const std::string& name) {
    std::ifstream file(path(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static mode_t mode(const std::string& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
    return status.st_mode & 0777;
  }
  std::string sum_of(const std::string& file, const std::string& more = "") {
    return "reduce " + file + " --type f64 --op exact-sum --accumulator " + path("sum") + more;
  }
};

TEST_F(file_outputs, keys_and_values_do_not_go_to_one_file_by_two_spellings) {
  const std::string in = "sort " + raw("k", std::vector<std::uint32_t>{2, 1}) +
                         " --type u32 --values " + raw("v", std::vector<std::uint32_t>{8, 9}) +
                         " --values-type u32 --force -o " + path("a") + " --values-out ";
  std::filesystem::create_directory_symlink(folder_, path("folder"));
  std::filesystem::create_symlink("a", path("link"));
  const std::string around = "../" + folder_.filename().string() + "/a";
  for (const std::string& spelled : {std::string("a"), std::string("./a"), std::string("folder/a"),
                                     std::string("link"), around}) {
    expect_refusal(in + path(spelled), 2, "are the same file");
  }
  EXPECT_FALSE(std::filesystem::exists(path("a")));
  EXPECT_EQ(run(in + path("b")).code, 0);
  EXPECT_EQ(read<std::uint32_t>("b"), (std::vector<std::uint32_t>{9, 8}));
}

TEST_F(file_outputs, a_link_is_followed_and_a_descriptor_is_refused) {
  const std::string in = npy("in.npy", std::vector<std::int64_t>{1, 2});
  write("target", "old");
  std::filesystem::create_symlink("target", path("link"));
  ASSERT_EQ(run("scan " + in + " --force -o " + path("link")).code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_EQ(read<std::int64_t>("target"), (std::vector<std::int64_t>{1, 3}));
  std::filesystem::create_symlink("/proc/self/fd/1", path("stdout"));  // as /dev/stdout is
  const outcome o = shell(WARPFOLD_PROGRAM " scan " + in + " --force -o " + path("stdout") + " > " +
                          path("captured"));
  EXPECT_EQ(o.code, 4);
  EXPECT_THAT(o.err, HasSubstr("give the file's own name"));
  EXPECT_TRUE(std::filesystem::is_symlink(path("stdout")));
  expect_refusal("scan " + in + " --force -o /dev/null", 4, "not a regular file");
}

TEST_F(file_outputs, private_files_stay_private) {
  const std::string in = npy("in.npy", std::vector<double>{1, 2});
  for (const std::string& command :
       {"scan " + in + " --force -o " + write("old", ""),
        "reduce " + in + " --op exact-sum --accumulator " + path("sum")}) {
    ASSERT_EQ(shell("umask 022; " WARPFOLD_PROGRAM " " + command).code, 0) << command;
    const std::string file = command.substr(command.rfind(' ') + 1);
    std::filesystem::permissions(file, std::filesystem::perms(0600));
    ASSERT_EQ(shell("umask 022; " WARPFOLD_PROGRAM " " + command).code, 0) << command;
    EXPECT_EQ(mode(file), 0600U) << command;
  }
}

TEST_F(file_outputs, runs_that_share_an_accumulator_lose_nothing) {
  const std::string ones = raw("ones", std::vector<double>(1000, 1));
  for (int round = 1; round <= 3; ++round) {
    const outcome o = shell("for i in 1 2 3 4 5 6 7 8; do " WARPFOLD_PROGRAM " " + sum_of(ones) +
                            " > /dev/null & done; wait");
    ASSERT_EQ(o.err, "");
    const outcome all = run(sum_of("/dev/null"));
    EXPECT_EQ(all.out, std::to_string(8000 * round) + "\n") << all.err;
  }
  EXPECT_EQ(names(), (std::vector<std::string>{"ones", "sum"}));
}

TEST_F(file_outputs, who_repeats_a_failed_sum_adds_nothing_twice) {
  const std::string ones = raw("ones", std::vector<double>(1000, 1));
  EXPECT_EQ(run(sum_of(ones, " > /dev/full")).code, 4);
  EXPECT_EQ(names(), std::vector<std::string>{"ones"});
  EXPECT_EQ(run(sum_of(ones)).out, "1000\n");
}

TEST_F(file_outputs, an_accumulator_is_not_the_input) {
  const std::string ones = raw("ones", std::vector<double>(4, 1));
  std::filesystem::create_hard_link(ones, path("sum"));
  expect_refusal(sum_of(ones), 2, "is the input");
  EXPECT_EQ(std::filesystem::file_size(ones), 32U);
}

TEST_F(file_outputs, an_accumulator_is_refused_before_the_work) {
  write("sum", "wfexact, but not really");
  expect_refusal(sum_of("/dev/zero"), 4, "holds no sum of f64 to add to");  // which has no end
  expect_refusal("reduce /dev/zero --type f64 --op exact-sum --accumulator " + path("no/sum"), 4,
                 "check the path");
}

TEST_F(file_outputs, no_sum_is_written_that_would_not_be_read) {
  // Just below 2^192, which is beyond what 2^64 values reach.
  exact_accumulator<float> most;
  for (const float value : {std::numeric_limits<float>::max(), 0x1.fffffep103F, 0x1.fffffep79F}) {
    exact_accumulator<float> part;
    part.add(value);
    for (int i = 0; i < 64; ++i) part.merge(exact_accumulator<float>(part));
    most.merge(part);
  }
  std::vector<std::uint8_t> bytes(most.bytes);
  most.to_bytes(bytes.data());
  const std::string file = raw("sum", bytes);
  const std::string one = "reduce --op exact-sum --accumulator " + file + " ";
  EXPECT_EQ(run(one + npy("small.npy", std::vector<float>{1})).code, 0);
  expect_refusal(one + npy("great.npy", std::vector<float>{std::numeric_limits<float>::max()}), 4,
                 "the file is unchanged");
  EXPECT_EQ(run(one + path("small.npy")).code, 0);
}

TEST_F(file_outputs, results_along_an_axis_are_printed_as_json) {
  std::vector<float> values(6);
  std::iota(values.begin(), values.end(), 1.0F);
  values[4] = std::nanf("");
  const outcome o =
      run("reduce " + npy("a.npy", values, {2, 3}) + " --axis 0 --op max --json - --backend host");
  const auto j = nlohmann::json::parse(o.out);
  EXPECT_EQ(j["result"], nlohmann::json::parse(R"([4.0, "nan", 6.0])"));
  EXPECT_EQ(j["op"], "max");
  EXPECT_EQ(j["axis"], "0");
  EXPECT_EQ(j["stages"][0]["what"], "reducing");
}

}  // namespace
}  // namespace warpfold::cli
