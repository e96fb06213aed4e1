// warpfold histogram: the counts and sums of plain loops, for every type, size and way to give
// bins.
#include <algorithm>
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "tests/cli/file_commands.hpp"
#include "warpfold/exact.hpp"

namespace warpfold::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr std::size_t chunk = std::size_t{1} << 20;  // bytes

/// Of values from 0 up to `range`, in steps that every type and the width of the bins have.
template <class T>
std::vector<std::uint64_t> even_counts(const std::vector<T>& values, std::size_t bins,
                                       std::size_t range) {
  std::vector<std::uint64_t> counts(bins);
  for (const T v : values) {
    const auto at = static_cast<std::size_t>(static_cast<double>(v) * static_cast<double>(bins) /
                                             static_cast<double>(range));
    ++counts[std::min(at, bins - 1)];
  }
  return counts;
}

/// The bin between two bounds; none is bounds.size().
template <class T>
std::size_t bin_of(T value, const std::vector<T>& bounds) {
  if (!(value >= bounds.front() && value <= bounds.back())) return bounds.size();
  if (value == bounds.back()) return bounds.size() - 2;
  return static_cast<std::size_t>(std::upper_bound(bounds.begin(), bounds.end(), value) -
                                  bounds.begin()) -
         1;
}

template <class T>
class typed_histograms : public file_command {
 protected:
  outcome histogram(const std::string& arguments) {
    outcome o = this->run("histogram " + arguments + " --force -o " + this->path("h.npy"));
    EXPECT_EQ(o.code, 0) << o.err;
    return o;
  }
  /// Between 0 and 64.
  std::vector<T> small_values(std::size_t n) {
    std::vector<T> values(n);
    const double unit = std::is_integral_v<T> ? 1 : 0.25;
    for (T& v : values) v = static_cast<T>(static_cast<double>(this->random_() % 64) * unit);
    return values;
  }
};
TYPED_TEST_SUITE(typed_histograms, file_types);

TYPED_TEST(typed_histograms, count_as_a_loop_does) {
  using T = TypeParam;
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, 3 * chunk / sizeof(T) + 5}) {
    auto values = this->small_values(n);
    const std::string file = this->npy("v.npy", values);
    this->histogram(file + " --range 0:64 --bins 32 --memory 16MiB --threads 3");
    EXPECT_EQ(this->template read<std::uint64_t>("h.npy"), even_counts(values, 32, 64)) << n;
    if (n < 2) continue;
    values[0] = 0, values[1] = 64;
    this->histogram(this->npy("v.npy", values) + " --bins 128");
    EXPECT_EQ(this->template read<std::uint64_t>("h.npy"), even_counts(values, 128, 64))
        << "between the least and the greatest value";
    std::vector<T> bounds{1, 2, 5, 17, 40, 41, 63};
    std::vector<std::uint64_t> counts(bounds.size() + 1);
    for (const T v : values) ++counts[bin_of(v, bounds)];
    counts.resize(bounds.size() - 1);
    this->histogram(file + " --bounds " + this->npy("b.npy", bounds));
    EXPECT_EQ(this->template read<std::uint64_t>("h.npy"), counts);
  }
}

TYPED_TEST(typed_histograms, add_weights_of_this_type) {
  using T = TypeParam;
  using sum = std::conditional_t<std::is_floating_point_v<T>, T, wide<T>>;
  const std::size_t n = 300'001;
  const auto values = this->template random<std::int32_t>(n);
  const auto weights = this->template random<T>(n);
  const std::vector<std::int32_t> bounds{-1'500'000'000, -7, 0, 1'000'000, 2'000'000'000};
  this->histogram(this->npy("v.npy", values) + " --weights " + this->npy("w.npy", weights) +
                  " --bounds " + this->npy("b.npy", bounds) + " --memory 16MiB");
  const auto sums = this->template read<sum>("h.npy");
  ASSERT_EQ(sums.size(), bounds.size() - 1);
  for (std::size_t k = 0; k < sums.size(); ++k) {
    if constexpr (std::is_floating_point_v<T>) {
      exact_accumulator<T> expected;
      for (std::size_t i = 0; i < n; ++i) {
        if (bin_of(values[i], bounds) == k) expected.add(weights[i]);
      }
      EXPECT_EQ(sums[k], expected.round()) << k;
    } else {
      sum expected = 0;
      for (std::size_t i = 0; i < n; ++i) {
        if (bin_of(values[i], bounds) == k) {
          expected = static_cast<sum>(static_cast<std::uint64_t>(expected) +
                                      static_cast<std::uint64_t>(weights[i]));
        }
      }
      EXPECT_EQ(sums[k], expected) << k;
    }
  }
}

class histograms : public file_command {};

TEST_F(histograms, print_edges_and_counts) {
  EXPECT_EQ(run("histogram " + npy("v.npy", std::vector<double>{0, 1, 1, 2, 4}) + " --bins 2").out,
            "0 2 3\n2 4 2\n");
  EXPECT_EQ(run("histogram " + npy("c.npy", std::vector<std::int32_t>(3, 7)) + " --bins 1").out,
            "6.5 7.5 3\n");
  EXPECT_EQ(run("histogram " + npy("0.npy", std::vector<float>{}) + " --bins 2").out,
            "0 0.5 0\n0.5 1 0\n");
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(run("histogram " + npy("u.npy", std::vector<std::uint64_t>{most - 1, most, 3}) +
                " --bins 1 --range 18446744073709551614:18446744073709551615")
                .out,
            "18446744073709551614 18446744073709551615 2\n");
}

TEST_F(histograms, count_no_nan_and_ask_for_a_range) {
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  const std::string file = npy("v.npy", std::vector<double>{nan, 0, 1, inf, -inf, 0.5});
  EXPECT_EQ(run("histogram " + file + " --range 0:1 --bins 2").out, "0 0.5 1\n0.5 1 2\n");
  expect_refusal("histogram " + file, 4, "give --range");
  EXPECT_EQ(
      run("histogram " + file + " --bounds " + npy("b.npy", std::vector<double>{-inf, 0, inf})).out,
      "-inf 0 1\n0 inf 4\n");
}

TEST_F(histograms, of_several_files_and_streams_are_those_of_one) {
  const auto all = random<float>(700'000);
  const std::string one = npy("one.npy", all), how = " --range 0:0.5 --bins 1000",
                    sums = " --bounds " + npy("b.npy", std::vector<float>{0, 0.25F, 0.5F});
  const auto half = all.begin() + 350'000;
  const std::string a = npy("a.npy", std::vector<float>(all.begin(), half)),
                    b = npy("b2.npy", std::vector<float>(half, all.end()));
  const std::string counts = run("histogram " + one + how).out;
  EXPECT_EQ(std::count(counts.begin(), counts.end(), '\n'), 1000);
  EXPECT_EQ(run("histogram " + a + " " + b + how).out, counts);
  EXPECT_EQ(run("histogram " + one + how + " --threads 1 --memory 16MiB").out, counts);
  EXPECT_EQ(run_after("cat " + one, "histogram -" + how).out, counts);
  EXPECT_EQ(run("histogram " + a + " --weights " + b + " " + b + " --weights " + a + sums).out,
            run("histogram " + b + " --weights " + a + " " + a + " --weights " + b + sums).out);
  EXPECT_EQ(shell("ulimit -n 40; " WARPFOLD_PROGRAM " histogram" + many_files(all) + how).out,
            counts);
}

TEST_F(histograms, are_drawn) {
  const std::string file = npy("v.npy", std::vector<double>{0, 1, 1, 1, 1, 2, 2, 4});
  EXPECT_EQ(run("histogram " + file + " --range 0:4 --bins 4 --plot").out,
            "0 1 1 ██████████\n"
            "1 2 4 ████████████████████████████████████████\n"
            "2 3 2 ████████████████████\n"
            "3 4 1 ██████████\n");
  const outcome o = run("histogram " + file + " --bins 4 --svg -");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, testing::AllOf(StartsWith("<svg "), HasSubstr("<title>8 values in 4 bins"),
                                    testing::EndsWith("</svg>\n")));
  ASSERT_EQ(run("histogram " + file + " --bins 4 --svg " + path("h.svg")).code, 0);
  EXPECT_EQ(o.out, shell("cat " + path("h.svg")).out);
  const std::string weights = npy("w.npy", std::vector<double>{-1, 1, 1, 1, 0, -3, 0, 2});
  EXPECT_EQ(run("histogram " + file + " --weights " + weights + " --bins 2 --plot").out,
            "0 2  2 ████████████████████████████████████████\n2 4 -1\n");
}

TEST_F(histograms, are_written_as_json) {
  const std::string file = npy("v.npy", std::vector<std::int32_t>{1, 2, 3, 9});
  const outcome o = run("histogram " + file + " --bins 2 --json -");
  ASSERT_EQ(o.code, 0) << o.err;
  const auto j = nlohmann::json::parse(o.out);
  EXPECT_EQ(j["result"], nlohmann::json::parse("[3, 1]"));
  EXPECT_EQ(j["range"], nlohmann::json::parse("[1, 9]"));
  EXPECT_EQ(j["count"], 4);
  EXPECT_EQ(j["stages"][1]["what"], "counting");
}

TEST_F(histograms, refuse_what_makes_none) {
  const std::string file = npy("v.npy", std::vector<double>{1, 2, 3}), with = "histogram " + file,
                    nan = npy("n.npy", std::vector<double>{0, std::nan(""), 1});
  expect_refusal(with + " --bins 0", 2, "one bin at least");
  expect_refusal(with + " --bins 2^25", 2, "2^24 bins at most");
  expect_refusal(with + " --bins 2^24 --memory 16MiB", 2, "give more --memory");
  expect_refusal(with + " --range 1:1", 2, "less than the high one");
  expect_refusal(with + " --range nan:1", 2, "less than the high one");
  expect_refusal(with + " --range 0:inf", 2, "too far apart");
  expect_refusal(with + " --range 0", 2, "write them like 0:1");
  expect_refusal(with + " --bounds " + nan, 2, "is NaN");
  expect_refusal(with + " --bounds " + npy("f.npy", std::vector<double>{1, 1}), 2, "do not rise");
  expect_refusal(with + " --bounds " + npy("1.npy", std::vector<double>{1}), 2, "two bounds");
  expect_refusal(with + " --bounds " + npy("i.npy", std::vector<std::int32_t>{1, 2}), 2, "i32");
  expect_refusal(with + " --bounds " + nan + " --bins 3", 2, "--bounds");
  expect_refusal(with + " --weights " + npy("w.npy", std::vector<double>{1, 2}), 2, "3 values and");
  expect_refusal(with + " --weights " + file + " --type i33", 2, "no such type");
  expect_refusal(with + " --plot --bins 5000", 2, "4096 bins at most");
  expect_refusal(with + " --plot --json -", 2, "--plot");
  expect_refusal(with + " --svg - --json -", 2, "standard output");
  expect_refusal(with + " --svg " + file, 2, "is the input");
  expect_refusal(with + " --backend cuda", 2, "leave it out");
  expect_refusal("histogram " + path("none.npy"), 4, "none.npy");
  const outcome stream = run_after("cat " + file, "histogram -");
  EXPECT_EQ(stream.code, 2);
  EXPECT_THAT(stream.err, HasSubstr("give --range"));
}

TEST_F(histograms, stay_within_the_memory) {
  const std::string file = raw("v.bin", random<std::uint8_t>(std::size_t{64} << 20));
  const auto peak = [&](const char* bins) {
    return peak_of({"histogram", file, "--type", "u8", "--range", "0:255", "--bins", bins, "-o",
                    path("h.npy"), "--force", "--memory", "32MiB"});
  };
  EXPECT_LE(peak("1000000"), peak("1") + (std::size_t{44} << 20));
}

}  // namespace
}  // namespace warpfold::cli
