// group_by and scatter_reduce on the host do what plain loops do, with the same bits with any
// number of threads.
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <string>

#include <gmock/gmock.h>

#include "tests/library/groups.hpp"
#include "tests/library/host/runs_of_keys.hpp"
#include "warpfold/error.hpp"
#include "warpfold/host/group.hpp"

namespace warpfold::tests {
namespace {

using test::rows_by_key;
using test::whole_values;

template <class K>
std::vector<K> keys_of(std::size_t n, std::size_t distinct, std::int64_t step = 1) {
  std::mt19937_64 bits(n + distinct);
  std::vector<K> keys(n);
  for (K& key : keys) {
    key = static_cast<K>((static_cast<std::int64_t>(bits() % distinct) - 3) * step);
  }
  return keys;
}
template <class K>
void check_groups(const std::vector<K>& keys) {
  const auto rows = rows_by_key(keys);
  const std::size_t groups = rows.size();
  SCOPED_TRACE(testing::Message() << keys.size() << " keys of " << groups << " values");
  const auto a = whole_values<float>(keys.size());
  const auto b = whole_values<std::int64_t>(keys.size());
  std::vector<K> expected_keys;
  std::vector<float> sums, least, last;
  std::vector<std::int64_t> most, first;
  std::vector<double> means, variances;
  std::vector<std::uint32_t> counts, best;
  for (const auto& [key, places] : rows) {
    float sum = 0, low = a[places[0]];
    std::size_t at = places[0];
    for (const std::size_t i : places) {
      sum += a[i];
      low = std::min(low, a[i]);
      if (b[i] > b[at]) at = i;
    }
    const auto n = static_cast<double>(places.size());
    double squares = 0;
    for (const std::size_t i : places) squares += (a[i] - sum / n) * (a[i] - sum / n);
    expected_keys.push_back(key);
    sums.push_back(sum);
    least.push_back(low);
    last.push_back(a[places.back()]);
    most.push_back(b[at]);
    first.push_back(b[places[0]]);
    means.push_back(sum / n);
    variances.push_back(squares / n);
    counts.push_back(static_cast<std::uint32_t>(places.size()));
    best.push_back(static_cast<std::uint32_t>(at));
  }
  for (const unsigned threads : {1, 2, 7}) {
    const auto where = here.threads(threads);
    fenced<K> key(groups);
    fenced<float> sum(groups), low(groups), end(groups), alone(groups);
    fenced<std::int64_t> high(groups), begin(groups);
    fenced<double> mean(groups), spread(groups);
    fenced<std::uint32_t> count(groups), at(groups);
    ASSERT_EQ(group_by(where, keys, key.room(), sum_of(a, sum.room()), min_of(a, low.room()),
                       max_of(b, high.room()), first_of(b, begin.room()), last_of(a, end.room()),
                       mean_of(a, mean.room()), variance_of(a, spread.room()),
                       count_of(count.room()), argmax_of(b, at.room())),
              groups);
    key.expect(expected_keys);
    sum.expect(sums);
    low.expect(least);
    high.expect(most);
    begin.expect(first);
    end.expect(last);
    mean.expect(means);
    count.expect(counts);
    at.expect(best);
    for (std::size_t g = 0; g < groups; ++g) {
      ASSERT_NEAR(spread.room()[g], variances[g], 1e-9 * (1 + variances[g]));
    }
    ASSERT_EQ(group_by(where, keys, key.room(), sum_of(a, alone.room())), groups);  // one column
    alone.expect(sums);
  }
}

TEST(host_group, does_what_loops_do) {
  constexpr std::size_t chunk = tiny::scan_chunk_bytes / 8;
  for (const std::size_t n : sizes_around(chunk)) {
    for (const std::size_t distinct : {std::size_t{1}, std::size_t{10}, n / 4 + 1, 4 * n + 1}) {
      check_groups(keys_of<std::int32_t>(n, distinct));
      check_groups(keys_of<std::int64_t>(n, distinct, 1'000'000'007));
      check_groups(keys_of<double>(n, distinct));
    }
    check_groups(keys_of<std::int8_t>(n, 100));
  }
}

TEST(host_group, many_rows_have_several_tables) {
  check_groups(keys_of<std::int32_t>(200'000, 7));
  check_groups(keys_of<std::uint16_t>(300'000, 60'000));
}

TEST(host_group, sums_have_the_same_bits_with_any_number_of_threads) {
  for (const std::int64_t step : {1, 100'000}) {
    const auto keys = keys_of<std::int32_t>(300'000, 40, step);
    std::vector<float> values(keys.size());
    std::mt19937 bits(3);
    for (float& v : values) v = static_cast<float>(bits()) / 3;
    std::vector<std::int32_t> out_keys(40);
    std::vector<float> first(40), sums(40);
    group_by(here.threads(1), keys, out_keys, sum_of(values, first));
    for (const unsigned threads : {2, 7}) {
      group_by(here.threads(threads), keys, out_keys, sum_of(values, sums));
      ASSERT_EQ(sums, first) << threads << " threads";
    }
  }
}

TEST(host_group, nan_is_one_key_and_so_is_zero) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> keys{nan, 2, 0.0F, -1, nan, -0.0F, 2};
  std::vector<float> out_keys(4);
  std::vector<int> counts(4);
  ASSERT_EQ(group_by(here, keys, out_keys, count_of(counts)), 4U);
  EXPECT_THAT(counts, testing::ElementsAre(1, 2, 2, 2));
  EXPECT_EQ(out_keys[0], -1);
  EXPECT_EQ(out_keys[1], 0);
  EXPECT_TRUE(std::isnan(out_keys[3]));
}

TEST(host_group, of_a_range_leaves_out_the_keys_outside) {
  const std::vector<int> keys{5, 1, 3, 5, -1, 9}, values{1, 2, 4, 8, 16, 32};
  std::vector<int> out_keys(6), sums(6);
  ASSERT_EQ(group_by(here, keys, each_integer{1, 5}, out_keys, sum_of(values, sums)), 3U);
  EXPECT_THAT(std::vector<int>(out_keys.begin(), out_keys.begin() + 3),
              testing::ElementsAre(1, 3, 5));
  EXPECT_THAT(std::vector<int>(sums.begin(), sums.begin() + 3), testing::ElementsAre(2, 4, 9));
}

template <class Call>
void expect_usage_error(const Call& call, const std::string& says) {
  try {
    call();
    FAIL() << "it should throw";
  } catch (const usage_error& e) {
    EXPECT_NE(std::string(e.what()).find(says), std::string::npos) << e.what();
  }
}

TEST(host_group, refuses_columns_and_outputs_of_other_lengths) {
  const std::vector<int> keys{5, 100'000, 3, 5}, values{1, 2, 4, 8}, few{1, 2, 4};
  std::vector<int> out_keys(4), sums(2);
  expect_usage_error([&] { group_by(here, keys, out_keys, sum_of(values, sums)); },
                     "an output has room for 2 values and there are 3 groups");
  EXPECT_THAT(sums, testing::ElementsAre(4, 9));
  expect_usage_error([&] { group_by(here, keys, out_keys, sum_of(few, sums)); },
                     "3 values and 4 keys");
  expect_usage_error(
      [&] {
        group_by(here, keys, each_integer{0, 65'537}, out_keys, sum_of(values, sums));
      },
      "a range of 65537 integers; pass 1 to 65,536");
}

template <class V, class Op>
void check_scattered(const std::vector<std::int64_t>& indices, const std::vector<V>& values,
                     const std::vector<V>& before, const Op& op) {
  auto expected = before;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    V& to = expected[static_cast<std::size_t>(indices[i])];
    to = op(to, values[i]);
  }
  for (const unsigned threads : {1, 2, 7}) {
    fenced<V> out(before.size());
    std::copy(before.begin(), before.end(), out.room().begin());
    scatter_reduce(here.threads(threads), out.room(), indices, values, op);
    out.expect(expected);
  }
}

TEST(host_group, scattered_values_are_joined_in_their_order) {
  for (const std::size_t n : {0U, 1U, 1000U, 200'000U}) {
    for (const std::size_t outputs : {1U, 10U, 1000U, 70'000U}) {
      std::vector<std::int64_t> indices(n);
      std::mt19937 bits(static_cast<unsigned>(n + outputs));
      for (auto& i : indices) i = static_cast<std::int64_t>(bits() % outputs);
      check_scattered(indices, whole_values<float>(n), std::vector<float>(outputs, 0.5F), plus{});
      check_scattered(indices, whole_values<int>(n), std::vector<int>(outputs, 7),
                      detail::last_value{});
    }
    check_scattered(std::vector<std::int64_t>(n, 69'999), whole_values<int>(n),
                    std::vector<int>(70'000, 7), detail::last_value{});
  }
}

TEST(host_group, refuses_indices_out_of_range) {
  std::vector<float> out(3, 1);
  const std::vector<float> values{1, 2};
  expect_usage_error(
      [&] {
        scatter_reduce(here, out, std::vector<int>{0, 3}, values);
      },
      "the index 3 and an output of 3 values");
  expect_usage_error(
      [&] {
        scatter_reduce(here, out, std::vector<int>{-1, 0}, values);
      },
      "the index -1 and an output of 3 values");
  expect_usage_error([&] { scatter_reduce(here, out, std::vector<int>{0}, values); },
                     "2 values and 1 indices");
  EXPECT_THAT(out, testing::ElementsAre(1, 1, 1));
}

}  // namespace
}  // namespace warpfold::tests
