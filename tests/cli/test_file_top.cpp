// warpfold top: the first values of a stable sort, and their indices.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <nlohmann/json.hpp>

#include "tests/cli/file_commands.hpp"
#include "warpfold/order.hpp"

namespace warpfold::cli {
namespace {

using testing::HasSubstr;

constexpr std::size_t chunk = std::size_t{1} << 20;  // bytes

template <class T>
class typed_tops : public file_command {
 protected:
  void expect_first(const std::vector<T>& values, std::size_t k, bool smallest) {
    std::vector<std::uint64_t> indices(values.size());
    std::iota(indices.begin(), indices.end(), 0U);
    std::stable_sort(indices.begin(), indices.end(), [&](std::uint64_t a, std::uint64_t b) {
      return smallest ? ascending{}(values[a], values[b]) : descending{}(values[a], values[b]);
    });
    indices.resize(k);
    const outcome o =
        this->run("top " + std::to_string(k) + " " + this->npy("v.npy", values) + " -o " +
                  this->path("o.npy") + " --indices-out " + this->path("i.npy") +
                  " --force --memory 16MiB --threads 3" + (smallest ? " --smallest" : ""));
    ASSERT_EQ(o.code, 0) << o.err;
    ASSERT_TRUE(this->template read<std::uint64_t>("i.npy") == indices)
        << values.size() << " " << k;
    const auto first = this->template read<T>("o.npy");
    ASSERT_EQ(first.size(), k);
    for (std::size_t i = 0; i < k; ++i) {
      EXPECT_EQ(rank_of(first[i]), rank_of(values[indices[i]])) << i;
    }
  }
};
TYPED_TEST_SUITE(typed_tops, file_types);

TYPED_TEST(typed_tops, are_the_first_of_a_stable_sort) {
  using T = TypeParam;
  for (const std::size_t n : {std::size_t{1}, std::size_t{1000}, 3 * chunk / sizeof(T) / 4 + 5}) {
    auto values = this->template random<T>(n);
    for (const std::size_t k : {std::size_t{1}, std::min<std::size_t>(n, 1000)}) {
      this->expect_first(values, k, false);
      this->expect_first(values, k, true);
    }
  }
}

TYPED_TEST(typed_tops, take_equal_values_by_their_indices) {
  using T = TypeParam;
  std::vector<T> values(3 * chunk / sizeof(T) / 4, T{1});
  for (std::size_t i = 0; i < values.size(); i += 1000) values[i] = T{2};
  this->expect_first(values, 5000, false);
  this->expect_first(values, 5000, true);
}

class tops : public file_command {};

TEST_F(tops, are_printed) {
  const std::string file = npy("v.npy", std::vector<float>{1, NAN, 0.5F, -1, 1});
  EXPECT_EQ(run("top 3 " + file).out, "nan\n1\n1\n");
  EXPECT_EQ(run("top 3 " + file + " --indices").out, "nan 1\n1 0\n1 4\n");
  EXPECT_EQ(run("top 5 " + file + " --smallest --indices").out, "-1 3\n0.5 2\n1 0\n1 4\nnan 1\n");
  const auto j = nlohmann::json::parse(run("top 2 " + file + " --indices --json -").out);
  EXPECT_EQ(j["result"], nlohmann::json::parse(R"(["nan", 1])"));
  EXPECT_EQ(j["indices"], nlohmann::json::parse("[1, 0]"));
}

TEST_F(tops, of_several_files_and_streams_are_those_of_one) {
  const auto all = random<std::int32_t>(900'000);
  const std::string one = npy("one.npy", all);
  const std::string first = run("top 1000 " + one + " --indices").out;
  EXPECT_EQ(std::count(first.begin(), first.end(), '\n'), 1000);
  EXPECT_EQ(run_after("cat " + one, "top 1000 - --indices").out, first);
  EXPECT_EQ(run("top 1000 " + one + " --indices --threads 1 --memory 16MiB").out, first);
  EXPECT_EQ(
      shell("ulimit -n 40; " WARPFOLD_PROGRAM " top 1000" + many_files(all) + " --indices").out,
      first);
}

TEST_F(tops, refuse_what_has_none) {
  const std::string file = npy("v.npy", std::vector<double>{1, 2, 3}), with = "top 1 " + file;
  expect_refusal("top 0 " + file, 2, "ask for one at least");
  expect_refusal("top 4 " + file, 2, "holds 3 values");
  expect_refusal("top some " + file, 2, "not a number");
  expect_refusal("top " + file + " 2", 2, "it comes first, as in 'warpfold top 10 FILE'");
  expect_refusal(with + " --type", 2, "--type: its value is missing");
  expect_refusal(with + " --type f64 --type f64", 2, "--type: is given more than once");
  expect_refusal("top 1", 2, "file is required");
  expect_refusal("top 1 " + npy("0.npy", std::vector<double>{}), 2, "holds 0 values");
  expect_refusal("top 1000000 - --type u8 --memory 16MiB < /dev/zero", 2, "give 48 bytes for each");
  expect_refusal(with + " --indices -o " + path("o"), 2, "give --indices-out");
  expect_refusal(with + " --indices-out " + file, 2, "is the input");
  expect_refusal(with + " --backend cuda", 2, "leave it out");
  expect_refusal(with + " -o - --indices-out -", 2, "standard output");
  const outcome stream = run_after("printf abc", "top 4 - --type u8");
  EXPECT_EQ(stream.code, 2);
  EXPECT_THAT(stream.err, HasSubstr("holds 3 values"));
}

TEST_F(tops, stay_within_the_memory) {
  const std::string few = raw("few.bin", std::vector<double>{1}),
                    file = raw("v.bin", random<double>(std::size_t{12} << 20));
  const auto peak = [](const char* k, const std::string& name) {
    return peak_of({"top", k, name, "--type", "f64", "--memory", "32MiB", "--json", "-"});
  };
  EXPECT_LE(peak("600000", file), peak("1", few) + (std::size_t{44} << 20));
}

}  // namespace
}  // namespace warpfold::cli
