// warpfold unique: the distinct values of a sort in memory, and how often each is there.
#include <algorithm>
#include <cmath>
#include <csignal>
#include <map>

#include <nlohmann/json.hpp>

#include "tests/cli/file_commands.hpp"
#include "warpfold/order.hpp"

namespace warpfold::cli {
namespace {

using testing::HasSubstr;

constexpr std::size_t chunk = std::size_t{1} << 20;  // bytes

template <class T>
class typed_uniques : public file_command {};
TYPED_TEST_SUITE(typed_uniques, file_types);

TYPED_TEST(typed_uniques, are_those_of_a_map) {
  using T = TypeParam;
  // The last ones do not fit in the memory, beside their copy.
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{8}, 3 * chunk, 12 * chunk + 24}) {
    std::vector<T> values(bytes / sizeof(T));
    for (T& v : values) v = static_cast<T>(static_cast<double>(this->random_() % 1000) / 4);
    std::map<T, std::uint64_t> counts;
    for (const T v : values) ++counts[v];
    const outcome o =
        this->run("unique " + this->raw("v.bin", values) + " --type " +
                  std::string(name_of(data::type_of<T>())) + " -o " + this->path("u.npy") +
                  " --counts-out " + this->path("c.npy") + " --force --memory 16MiB");
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_EQ(o.out, "");
    std::vector<T> distinct;
    std::vector<std::uint64_t> how_often;
    for (const auto& [value, count] : counts) {
      distinct.push_back(value);
      how_often.push_back(count);
    }
    EXPECT_TRUE(this->template read<T>("u.npy") == distinct) << bytes;
    EXPECT_TRUE(this->template read<std::uint64_t>("c.npy") == how_often) << bytes;
  }
  EXPECT_EQ(this->names(), (std::vector<std::string>{"c.npy", "u.npy", "v.bin"}));
}

class uniques : public file_command {};

TEST_F(uniques, may_be_all_of_many_values) {
  std::vector<std::uint32_t> values(5'000'000);
  for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = i * 2654435761U;
  const std::string file = npy("v.npy", values);
  ASSERT_EQ(run("unique " + file + " -o " + path("u.npy") + " --memory 16MiB").code, 0);
  std::sort(values.begin(), values.end());
  EXPECT_TRUE(read<std::uint32_t>("u.npy") == values);
  EXPECT_TRUE(
      shell(WARPFOLD_PROGRAM " unique " + file + " -o - --format npy | cmp - " + path("u.npy"))
          .code == 0);
}

TEST_F(uniques, are_printed) {
  const float nan = std::nanf("");
  const std::string file = npy("v.npy", std::vector<float>{2, nan, 0.5F, -1, 2, nan, 0.0F, -0.0F});
  EXPECT_EQ(run("unique " + file).out, "-1\n-0\n0\n0.5\n2\nnan\n");
  EXPECT_EQ(run("unique " + file + " --count").out, "-1 1\n-0 1\n0 1\n0.5 1\n2 2\nnan 2\n");
  EXPECT_EQ(
      run("unique " + file + " --count --counts-out " + path("c") + " --json " + path("j")).out,
      "-1 1\n-0 1\n0 1\n0.5 1\n2 2\nnan 2\n");
  const auto j = nlohmann::json::parse(shell("cat " + path("j")).out);
  EXPECT_EQ(j["count"], 8);
  EXPECT_EQ(j["distinct"], 6);
  EXPECT_EQ(read<std::uint64_t>("c"), (std::vector<std::uint64_t>{1, 1, 1, 1, 2, 2}));
}

TEST_F(uniques, of_several_files_are_those_of_one) {
  auto all = random<std::int32_t>(900'000);
  for (auto& v : all) v %= 5000;
  const std::string distinct = run("unique " + npy("v.npy", all) + " --count").out;
  EXPECT_EQ(shell("ulimit -n 40; " WARPFOLD_PROGRAM " unique" + many_files(all) + " --count").out,
            distinct);
}

TEST_F(uniques, end_with_their_reader) {
  const std::string file = npy("v.npy", random<std::uint32_t>(1'000'000));
  const outcome o =
      shell("( { " WARPFOLD_PROGRAM " unique " + file + "; echo $? >&2; } | head -n 1 )");
  EXPECT_EQ(o.err, std::to_string(128 + SIGPIPE) + "\n");
}

TEST_F(uniques, refuse_what_they_cannot_do) {
  const std::string file = npy("v.npy", std::vector<double>{1, 2, 3}), with = "unique " + file;
  expect_refusal(with + " --count -o " + path("o"), 2, "give --counts-out");
  expect_refusal(with + " --counts-out -", 2, "standard output");
  expect_refusal(with + " -o " + file, 2, "is the input");
  expect_refusal(with + " --tmp " + path("none"), 4, "is not a folder");
  expect_refusal(with + " --backend cuda", 2, "leave it out");
  expect_refusal("unique " + path("none.npy"), 4, "none.npy");
  const outcome stream = run_after("cat " + file, "unique -");
  EXPECT_EQ(stream.code, 2);
  EXPECT_THAT(stream.err, HasSubstr("needs a file"));
  EXPECT_EQ(names(), std::vector<std::string>{"v.npy"});
}

TEST_F(uniques, stay_within_the_memory) {
  const std::string few = raw("few.bin", std::vector<double>{1}),
                    file = raw("v.bin", random<double>(std::size_t{6} << 20));
  const auto peak = [&](const std::string& name) {
    return peak_of({"unique", name, "--type", "f64", "--memory", "32MiB", "-o", path("u"),
                    "--counts-out", path("c"), "--force"});
  };
  EXPECT_LE(peak(file), peak(few) + (std::size_t{48} << 20));
}

}  // namespace
}  // namespace warpfold::cli
