// warpfold group: what a map of the keys comes to, for every type of keys and values.
#include <algorithm>
#include <cmath>
#include <map>

#include <nlohmann/json.hpp>

#include "tests/cli/file_commands.hpp"
#include "warpfold/exact.hpp"
#include "warpfold/operators.hpp"

namespace warpfold::cli {
namespace {

using testing::HasSubstr;

template <class V>
struct expected {
  std::uint64_t count = 0;
  wide<V> sum = 0;
  double mean_sum = 0;
  V min{}, max{};

  void add(V value) {
    min = count == 0 ? value : minimum{}(min, value);
    max = count == 0 ? value : maximum{}(max, value);
    sum = plus{}(sum, static_cast<wide<V>>(value));
    mean_sum += static_cast<double>(value);
    ++count;
  }
};

class groups : public file_command {
 protected:
  /// All aggregates of a run, compared with those of a loop.
  template <class K, class V>
  void expect_groups(const std::vector<K>& keys, const std::vector<V>& values) {
    const std::string file = npy("v.npy", values);
    std::string how = "group --by " + npy("k.npy", keys) + " --memory 16MiB --force --count -o " +
                      path("k.out") + " --count-out " + path("count.out");
    for (const std::string name : {"sum", "min", "max", "mean"}) {
      how += " --" + name + " " + file + " --" + name + "-out " + path(name + ".out");
    }
    const outcome o = run(how);
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_EQ(o.out, "");
    std::map<K, expected<V>> all;
    for (std::size_t i = 0; i < keys.size(); ++i) all[keys[i]].add(values[i]);
    std::vector<K> their_keys;
    std::vector<std::uint64_t> counts;
    std::vector<wide<V>> sums;
    std::vector<V> least, greatest;
    std::vector<double> means;
    for (const auto& [key, group] : all) {
      their_keys.push_back(key);
      counts.push_back(group.count);
      sums.push_back(group.sum);
      least.push_back(group.min);
      greatest.push_back(group.max);
      means.push_back(group.mean_sum / static_cast<double>(group.count));
    }
    EXPECT_TRUE(read<K>("k.out") == their_keys);
    EXPECT_TRUE(read<std::uint64_t>("count.out") == counts);
    EXPECT_TRUE(read<wide<V>>("sum.out") == sums) << "in the order of the input";
    EXPECT_TRUE(read<V>("min.out") == least);
    EXPECT_TRUE(read<V>("max.out") == greatest);
    EXPECT_TRUE(read<double>("mean.out") == means);
  }
  template <class K>
  std::vector<K> keys_below(std::uint64_t most, std::size_t n) {
    std::vector<K> keys(n);
    for (K& k : keys) k = static_cast<K>(static_cast<double>(random_() % most));
    return keys;
  }
};

template <class T>
class typed_groups : public groups {};
TYPED_TEST_SUITE(typed_groups, file_types);

TYPED_TEST(typed_groups, of_keys_of_this_type) {
  using T = TypeParam;
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{600'001}}) {
    this->expect_groups(this->template keys_below<T>(200, n), this->template random<double>(n));
  }
}

TYPED_TEST(typed_groups, of_values_of_this_type) {
  using T = TypeParam;
  for (const std::size_t n : {std::size_t{5}, std::size_t{800'001}}) {
    this->expect_groups(this->template keys_below<std::uint32_t>(n / 4, n),
                        this->template random<T>(n));
  }
}

TEST_F(groups, have_exact_sums) {
  const std::size_t n = 700'000;
  const auto keys = keys_below<std::int32_t>(1000, n);
  std::vector<float> values = random<float>(n);
  for (std::size_t i = 0; i < n; i += 7) values[i] *= 0x1p60F;
  std::map<std::int32_t, exact_accumulator<float>> sums;
  std::map<std::int32_t, std::uint64_t> counts;
  for (std::size_t i = 0; i < n; ++i) sums[keys[i]].add(values[i]), ++counts[keys[i]];
  const std::string file = npy("v.npy", values);
  ASSERT_EQ(run("group --by " + npy("k.npy", keys) + " --exact --sum " + file + " --sum-out " +
                path("s") + " --mean " + file + " --mean-out " + path("m") + " -o " + path("k") +
                " --memory 16MiB")
                .code,
            0);
  std::vector<float> expected_sums, expected_means;
  for (const auto& [key, sum] : sums) {
    expected_sums.push_back(sum.round());
    expected_means.push_back(sum.mean(counts[key]));
  }
  EXPECT_TRUE(read<float>("s") == expected_sums);
  EXPECT_TRUE(read<float>("m") == expected_means);
}

TEST_F(groups, are_printed) {
  const float nan = std::nanf("");
  const std::string by = "group --by " + npy("k.npy", std::vector<float>{2, nan, -1, 2, 0, -0.0F}),
                    file = npy("v.npy", std::vector<std::int32_t>{1, 2, 3, -5, 7, 8});
  EXPECT_EQ(run(by + " --count").out, "-1 1\n-0 1\n0 1\n2 2\nnan 1\n");
  EXPECT_EQ(run(by + " --mean " + file + " --max " + file + " --sum " + file).out,
            "-1 3 3 3\n-0 8 8 8\n0 7 7 7\n2 -4 1 -2\nnan 2 2 2\n");
  const auto j = nlohmann::json::parse(run(by + " --sum " + file + " --json -").out);
  EXPECT_EQ(j["groups"], 5);
  EXPECT_EQ(j["aggregates"], nlohmann::json::parse(R"(["sum"])"));
}

TEST_F(groups, of_several_files_are_those_of_one) {
  const auto keys = keys_below<std::int64_t>(3000, 900'000);
  const auto values = random<double>(900'000);
  const std::string one =
      run("group --by " + npy("k.npy", keys) + " --sum " + npy("v.npy", values) + " --memory 16MiB")
          .out;
  EXPECT_EQ(std::count(one.begin(), one.end(), '\n'), 3000);
  std::string many;
  std::filesystem::create_directory(path("p"));
  for (std::size_t i = 0; i < 60; ++i) {
    const auto* const key = keys.data() + i * 15'000;
    const auto* const value = values.data() + i * 15'000;
    many += " --by " + npy("p/k" + std::to_string(i), std::vector<std::int64_t>(key, key + 15'000));
    many += " --sum " + npy("p/v" + std::to_string(i), std::vector<double>(value, value + 15'000));
  }
  EXPECT_EQ(shell("ulimit -n 40; " WARPFOLD_PROGRAM " group" + many + " --memory 32MiB").out, one);
}

TEST_F(groups, refuse_what_they_cannot_do) {
  const std::string keys = npy("k.npy", std::vector<std::int32_t>{1, 2, 3}),
                    values = npy("v.npy", std::vector<double>{1, 2, 3}), by = "group --by " + keys,
                    sum = by + " --sum " + values;
  expect_refusal(by, 2, "--count, --sum");
  expect_refusal("group --count", 2, "--by is required");
  expect_refusal(by + " --sum " + npy("w.npy", std::vector<double>{1, 2}), 2, "3 keys and");
  expect_refusal(sum + " --min " + path("w.npy"), 2, "one run takes the values of one file");
  expect_refusal(by + " --sum " + keys + " --exact", 2, "--exact: is for f32 and f64");
  expect_refusal(by + " --min " + values + " --exact", 2, "--exact: is for --sum and --mean");
  expect_refusal(sum + " -o " + path("o"), 2, "give --sum-out");
  expect_refusal(sum + " --min-out " + path("o"), 2, "there is no --min");
  expect_refusal(sum + " --sum-out -", 2, "standard output");
  expect_refusal(sum + " -o " + keys + " --sum-out " + path("o"), 2, "is the input");
  expect_refusal(sum + " --type i33", 2, "no such type");
  expect_refusal(sum + " --backend cuda", 2, "leave it out");
  expect_refusal(by + " --sum " + path("none.npy"), 4, "none.npy");
  const outcome stream = run_after("cat " + keys, "group --by - --count");
  EXPECT_EQ(stream.code, 2);
  EXPECT_THAT(stream.err, HasSubstr("needs a file"));
  EXPECT_EQ(names(), (std::vector<std::string>{"k.npy", "v.npy", "w.npy"}));
}

TEST_F(groups, stay_within_the_memory) {
  const std::size_t n = std::size_t{4} << 20;
  const std::string keys = raw("k.bin", random<double>(n)),
                    values = raw("v.bin", random<double>(n)),
                    few = raw("few.bin", std::vector<double>{1});
  const auto peak = [&](const std::string& by, const std::string& sum) {
    return peak_of({"group", "--by", by, "--type", "f64", "--sum", sum, "--values-type", "f64",
                    "--memory", "32MiB", "-o", path("k"), "--sum-out", path("s"), "--force"});
  };
  EXPECT_LE(peak(keys, values), peak(few, few) + (std::size_t{52} << 20));
}

}  // namespace
}  // namespace warpfold::cli
