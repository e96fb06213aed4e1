// warpfold quantiles and median: the values that a sort in memory puts there.
#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "tests/cli/file_commands.hpp"
#include "tests/cli/sorted.hpp"

namespace warpfold::cli {
namespace {

using testing::HasSubstr;

constexpr std::size_t chunk = std::size_t{1} << 20;  // bytes

template <class T>
class typed_quantiles : public file_command {
 protected:
  std::vector<double> quantiles(const std::string& arguments) {
    const outcome o = this->run("quantiles " + arguments + " --force -o " + this->path("q.npy"));
    EXPECT_EQ(o.code, 0) << o.err;
    return this->template read<double>("q.npy");
  }
};
TYPED_TEST_SUITE(typed_quantiles, file_types);

TYPED_TEST(typed_quantiles, are_the_values_of_a_sort) {
  using T = TypeParam;
  const std::vector<double> shares{0, 0.25, 0.5, 0.75, 1};
  // 4n + 1 values have these quantiles at indices; those of 7 MiB do not fit in the memory.
  for (const std::size_t n :
       {std::size_t{1}, std::size_t{5}, std::size_t{7} * chunk / sizeof(T) / 4 * 4 + 1}) {
    auto values = this->template random<T>(n);
    const std::string file = this->npy("v.npy", values);
    values = sorted(std::move(values));
    std::vector<double> expected;
    for (const double q : shares) {
      expected.push_back(
          static_cast<double>(values[static_cast<std::size_t>(q * static_cast<double>(n - 1))]));
    }
    EXPECT_EQ(this->quantiles(file + " -q 0,0.25,0.5,0.75,1 --memory 16MiB --threads 3"), expected)
        << n;
  }
}

TYPED_TEST(typed_quantiles, find_all_bits_of_values_that_are_many) {
  using T = TypeParam;
  std::vector<T> values(8 * chunk / sizeof(T), T{100});
  for (std::size_t i = 0; i < values.size() / 2; ++i) values[i] = T{101};
  values[0] = T{7};
  EXPECT_EQ(this->quantiles(this->npy("v.npy", values) +
                            " -q 0,0.2,0.5,0.8 --method lower --memory 16MiB"),
            (std::vector<double>{7, 100, 100, 101}));
}

class quantile_commands : public file_command {};

TEST_F(quantile_commands, interpolate_as_numpy_does) {
  const std::string file = npy("v.npy", std::vector<std::int32_t>{40, 10, 20, 30});
  const auto result = [&](const std::string& how) {
    const outcome o = run("quantiles " + file + " -q " + how);
    EXPECT_EQ(o.code, 0) << o.err;
    return o.out;
  };
  EXPECT_EQ(result("0.25"), "17.5\n");
  EXPECT_EQ(result("0.25 --method linear"), "17.5\n");
  EXPECT_EQ(result("0.25 --method lower"), "10\n");
  EXPECT_EQ(result("0.25 --method higher"), "20\n");
  EXPECT_EQ(result("0.25 --method nearest"), "20\n");
  EXPECT_EQ(result("0.25 --method midpoint"), "15\n");
  EXPECT_EQ(result("0,.50,1"), "0 10\n.50 25\n1 40\n");
  EXPECT_EQ(run("median " + file).out, "25\n");
  EXPECT_EQ(run("median " + npy("1.npy", std::vector<float>{-0.5F})).out, "-0.5\n");
}

TEST_F(quantile_commands, take_nan_for_the_greatest_value) {
  const double nan = std::nan("");
  const std::string file = npy("v.npy", std::vector<double>{nan, 1, -INFINITY, 2, nan});
  EXPECT_EQ(run("quantiles " + file + " -q 0,0.5,0.75,1").out, "0 -inf\n0.5 2\n0.75 nan\n1 nan\n");
  const outcome o = run("median " + file + " --json -");
  EXPECT_EQ(nlohmann::json::parse(o.out)["result"]["0.5"], 2.0);
}

TEST_F(quantile_commands, of_several_files_are_those_of_one) {
  const auto all = random<double>(900'000);
  const std::string how = " -q 0.1,0.5,0.9 --memory 16MiB";
  const std::string one = run("quantiles " + npy("v.npy", all) + how).out;
  EXPECT_EQ(std::count(one.begin(), one.end(), '\n'), 3);
  EXPECT_EQ(shell("ulimit -n 40; " WARPFOLD_PROGRAM " quantiles" + many_files(all) + how).out, one);
}

TEST_F(quantile_commands, refuse_what_has_none) {
  const std::string with = "quantiles " + npy("v.npy", std::vector<double>{1, 2, 3});
  for (const char* q : {"-0.1", "1.5", "nan"}) {
    expect_refusal(with + " -q " + q, 2, "between 0 and 1");
  }
  expect_refusal(with, 2, "-q is required");
  expect_refusal(with + " -q half", 2, "not a number");
  expect_refusal(with + " -q 0.5 --method hazen", 2, "there are linear, lower");
  expect_refusal(with + " -q 0.5 --backend cuda", 2, "leave it out");
  expect_refusal(with + " -q 0.5 -o " + path("v.npy"), 2, "is the input");
  expect_refusal("median " + npy("0.npy", std::vector<float>{}), 4, "holds no values");
  const outcome stream = run_after("cat " + path("v.npy"), "median -");
  EXPECT_EQ(stream.code, 2);
  EXPECT_THAT(stream.err, HasSubstr("is a stream"));
  EXPECT_EQ(run("median - < " + path("v.npy")).out, "2\n");
}

TEST_F(quantile_commands, stay_within_the_memory) {
  const auto values = random<double>(std::size_t{12} << 20);
  const std::string few = raw("few.bin", std::vector<double>{1}), file = raw("v.bin", values);
  const auto peak = [](const std::string& name) {
    return peak_of({"median", name, "--type", "f64", "--memory", "32MiB"});
  };
  EXPECT_LE(peak(file), peak(few) + (std::size_t{44} << 20));
}

}  // namespace
}  // namespace warpfold::cli
