// Groups of equal keys in any order, and scattered reductions, on the CPU machine and on CUDA.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include "tests/library/device/device_test.hpp"
#include "tests/library/device/stream_jobs.hpp"
#include "tests/library/groups.hpp"
#include "warpfold/group.hpp"

#if defined(SIMT_KERNELS)
#include "simt/schedules.hpp"
#endif

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {
namespace {

class device_group : public device_test {};

/// n keys of `distinct` values, from `low` on.
template <class K>
std::vector<K> keys_of(std::size_t n, std::size_t distinct, std::int64_t low = 0) {
  std::mt19937_64 bits(n + distinct);
  std::vector<K> keys(n);
  for (K& key : keys) key = static_cast<K>(low + static_cast<std::int64_t>(bits() % distinct));
  return keys;
}
/// Outputs for all aggregates of f32 and i64 columns.
template <class K>
struct outputs {
  device_buffer<K> keys;
  device_buffer<float> sum, least, last;
  device_buffer<std::int64_t> most, first;
  device_buffer<double> mean, variance;
  device_buffer<std::uint32_t> count, at;
  device_buffer<std::size_t> groups{1};

  explicit outputs(std::size_t room)
      : keys(room),
        sum(room, 1),
        least(room),
        last(room),
        most(room),
        first(room),
        mean(room),
        variance(room),
        count(room),
        at(room, 3) {}
};

template <class K, class Rows>
void expect_groups(const outputs<K>& out, const Rows& rows, const std::vector<float>& a,
                   const std::vector<std::int64_t>& b) {
  ASSERT_EQ(out.groups.read()[0], rows.size());
  const auto keys = out.keys.read();
  const auto sum = out.sum.read(), least = out.least.read(), last = out.last.read();
  const auto most = out.most.read(), first = out.first.read();
  const auto mean = out.mean.read(), variance = out.variance.read();
  const auto count = out.count.read(), at = out.at.read();
  std::size_t g = 0;
  for (const auto& [key, places] : rows) {
    SCOPED_TRACE(testing::Message() << "group " << g);
    float s = 0, low = a[places[0]];
    std::int64_t high = b[places[0]];
    std::size_t best = places[0];
    for (const std::size_t i : places) {
      s += a[i];
      low = std::min(low, a[i]);
      high = std::max(high, b[i]);
      if (b[i] > b[best]) best = i;
    }
    const auto n = static_cast<double>(places.size());
    double squares = 0;
    for (const std::size_t i : places) squares += (a[i] - s / n) * (a[i] - s / n);
    ASSERT_EQ(keys[g], key);
    ASSERT_EQ(sum[g], s);
    ASSERT_EQ(least[g], low);
    ASSERT_EQ(last[g], a[places.back()]);
    ASSERT_EQ(most[g], high);
    ASSERT_EQ(first[g], b[places[0]]);
    ASSERT_EQ(mean[g], s / n);
    ASSERT_NEAR(variance[g], squares / n, 1e-9 * (1 + squares / n));
    ASSERT_EQ(count[g], places.size());
    ASSERT_EQ(at[g], best);
    ++g;
  }
}

/// All aggregates in one call; with a range, if one is given.
template <class K, class... Range>
void expect_all(const std::vector<K>& keys, const Range&... range) {
  const auto rows = rows_by_key(keys);
  SCOPED_TRACE(testing::Message() << keys.size() << " keys of " << rows.size() << " values");
  const auto a = whole_values<float>(keys.size());
  const auto b = random_values<std::int64_t>(keys.size());
  const device_buffer<K> key(keys);
  const device_buffer<float> as(a, 1);
  const device_buffer<std::int64_t> bs(b);
  const outputs<K> out(rows.size());
  const auto call = [&](const auto&... aggregates) {
    const temp_storage memory(group_by_temp_storage_bytes<K>(keys.size(), range..., aggregates...));
    ASSERT_TRUE(group_by(device.with(memory), key.values(), range..., out.keys.room(),
                         out.groups.data(), aggregates...)
                    .ok());
  };
  call(sum_of(as.values(), out.sum.room()), min_of(as.values(), out.least.room()),
       max_of(bs.values(), out.most.room()), mean_of(as.values(), out.mean.room()),
       count_of(out.count.room()), variance_of(as.values(), out.variance.room()),
       first_of(bs.values(), out.first.room()), last_of(as.values(), out.last.room()),
       argmax_of(bs.values(), out.at.room()));
  expect_groups(out, rows, a, b);
}

TEST_F(device_group, all_aggregates_of_any_number_of_groups) {
  for (const std::size_t n : {1U, 33U, 1000U, 5003U}) {
    for (const std::size_t distinct : {std::size_t{1}, std::size_t{7}, n / 4 + 1, 4 * n}) {
      expect_all(keys_of<std::int32_t>(n, distinct, -3));
    }
  }
  expect_all(std::vector<std::int32_t>{});
  if (!on_cpu) {
    for (const std::size_t distinct : {10U, 100'000U}) {
      expect_all(keys_of<std::int32_t>(3'000'017, distinct, -5000));
    }
  }
}

TEST_F(device_group, keys_of_a_small_range_are_not_sorted) {
  for (const std::size_t n : {0U, 1U, 33U, 9001U}) {
    for (const std::size_t distinct : {1U, 10U, 333U}) {
      expect_all(keys_of<std::int32_t>(n, distinct, -3), each_integer{-3, distinct});
    }
    expect_all(keys_of<std::int8_t>(n, 256, -128));
  }
  // Too many for tables in shared memory.
  expect_all(keys_of<std::int32_t>(5003, 40'000, -20'000), each_integer{-20'000, 40'000});
  if (!on_cpu) {
    for (const std::size_t distinct : {10U, 1000U, 65'536U}) {
      expect_all(keys_of<std::int32_t>(3'000'017, distinct), each_integer{0, distinct});
    }
  }
}

TEST_F(device_group, values_are_sorted_along_where_there_is_one_column) {
  for (const std::size_t n : {1U, 1000U, 9001U}) {
    const auto keys = keys_of<std::uint32_t>(n, n / 4 + 1);
    const auto rows = rows_by_key(keys);
    const auto a = whole_values<float>(n);
    const device_buffer<std::uint32_t> key(keys), out_keys(rows.size());
    const device_buffer<float> values(a), sums(rows.size());
    const device_buffer<double> means(rows.size());
    const device_buffer<std::uint64_t> counts(rows.size());
    ASSERT_EQ(group_by(device, key.values(), out_keys.room(), sum_of(values.values(), sums.room()),
                       mean_of(values.values(), means.room())),
              rows.size());
    ASSERT_EQ(group_by(device, key.values(), out_keys.room(), count_of(counts.room())),
              rows.size());
    const auto sum = sums.read();
    const auto mean = means.read();
    const auto count = counts.read();
    std::size_t g = 0;
    for (const auto& [k, places] : rows) {
      float s = 0;
      for (const std::size_t i : places) s += a[i];
      ASSERT_EQ(sum[g], s);
      ASSERT_EQ(mean[g], s / static_cast<double>(places.size()));
      ASSERT_EQ(count[g], places.size());
      ++g;
    }
  }
}

TEST_F(device_group, nan_is_one_key_and_so_is_zero) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const device_buffer<float> keys(std::vector<float>{nan, 2, 0.0F, -1, nan, -0.0F, 2}), out_keys(4),
      values(std::vector<float>{1, 2, 4, nan, 16, 32, 64}), least(4);
  const device_buffer<std::uint64_t> at(4);
  ASSERT_EQ(group_by(device, keys.values(), out_keys.room(), min_of(values.values(), least.room()),
                     argmin_of(values.values(), at.room())),
            4U);
  const auto key = out_keys.read(), low = least.read();
  EXPECT_EQ(key[0], -1);
  EXPECT_EQ(key[1], 0);
  EXPECT_EQ(key[2], 2);
  EXPECT_TRUE(std::isnan(key[3]));
  EXPECT_TRUE(std::isnan(low[0]));
  EXPECT_EQ(low[1], 4);
  EXPECT_EQ(low[2], 2);
  EXPECT_EQ(low[3], 1);
  EXPECT_EQ(at.read(), (std::vector<std::uint64_t>{3, 2, 1, 0}));
}

std::vector<affine> affine_maps(std::size_t n) {
  std::vector<affine> maps(n);
  const auto bits = random_values<std::uint32_t>(2 * n);
  for (std::size_t i = 0; i < n; ++i) maps[i] = {bits[2 * i], bits[2 * i + 1]};
  return maps;
}

TEST_F(device_group, the_order_of_values_is_kept) {
  const std::size_t n = 5003;
  const auto maps = affine_maps(n);
  const device_buffer<affine> values(maps);
  for (const std::size_t distinct : {3U, 40U, 400U}) {
    const auto keys = keys_of<std::uint32_t>(n, distinct);
    std::vector<affine> expected(distinct, affine{1, 0});
    for (std::size_t i = 0; i < n; ++i) expected[keys[i]] = then{}(expected[keys[i]], maps[i]);
    const device_buffer<std::uint32_t> key(keys), out_keys(distinct);
    const device_buffer<affine> sorted(distinct), ranged(distinct);
    ASSERT_EQ(group_by(device, key.values(), out_keys.room(),
                       reduction_of(values.values(), sorted.room(), then{})),
              rows_by_key(keys).size());
    EXPECT_EQ(sorted.read(), expected);
    ASSERT_EQ(group_by(device, key.values(), each_integer{0, distinct}, out_keys.room(),
                       reduction_of(values.values(), ranged.room(), then{})),
              rows_by_key(keys).size());
    EXPECT_EQ(ranged.read(), expected);
  }
}

TEST_F(device_group, sums_have_the_same_bits_in_every_run) {
  const std::size_t n = on_cpu ? 9'000 : 3'000'000, distinct = 50;
  const device_buffer<std::uint32_t> keys(keys_of<std::uint32_t>(n, distinct)), out_keys(distinct);
  const device_buffer<float> values(random_values<float>(n)), sorted(distinct), ranged(distinct);
  std::vector<float> first_sorted, first_ranged;
  for (int run = 0; run < (on_cpu ? 2 : 200); ++run) {
    group_by(device, keys.values(), out_keys.room(), sum_of(values.values(), sorted.room()));
    group_by(device, keys.values(), each_integer{0, distinct}, out_keys.room(),
             sum_of(values.values(), ranged.room()));
    if (run == 0) first_sorted = sorted.read(), first_ranged = ranged.read();
    ASSERT_EQ(sorted.read(), first_sorted) << "run " << run;
    ASSERT_EQ(ranged.read(), first_ranged) << "run " << run;
  }
}

TEST_F(device_group, what_is_too_short_or_out_of_range) {
  const device_buffer<int> keys(std::vector<int>{5, 1, 3, 5, -1, 9}), out_keys(4);
  const device_buffer<int> values(std::vector<int>{1, 2, 4, 8, 16, 32}), sums(2), few(5);
  const device_buffer<std::size_t> groups(1);
  ASSERT_TRUE(group_by(device, keys.values(), out_keys.room(), groups.data(),
                       sum_of(values.values(), sums.room()))
                  .ok());
  EXPECT_EQ(groups.read()[0], 5U);
  EXPECT_EQ(sums.read(), (std::vector<int>{16, 2}));
  EXPECT_THROW(
      group_by(device, keys.values(), out_keys.room(), sum_of(values.values(), sums.room())),
      usage_error);
  ASSERT_TRUE(group_by(device, keys.values(), each_integer{1, 5}, out_keys.room(), groups.data(),
                       sum_of(values.values(), sums.room()))
                  .ok());
  EXPECT_EQ(groups.read()[0], 3U);  // 1, 3 and 5
  EXPECT_EQ(sums.read(), (std::vector<int>{2, 4}));
  expect_refused(group_by(device, keys.values(), out_keys.room(), groups.data(),
                          sum_of(few.values(), sums.room())),
                 6, 5, "values");
  expect_refused(group_by(device, keys.values(), each_integer{0, 65'537}, out_keys.room(),
                          groups.data(), sum_of(values.values(), sums.room())),
                 65'536, 65'537, "integers");
  const temp_storage none(256);
  const auto refused = group_by(device.with(none), keys.values(), out_keys.room(), groups.data(),
                                sum_of(values.values(), sums.room()));
  expect_refused(refused, group_by_temp_storage_bytes<int>(6, sum_of(values.values(), sums.room())),
                 256);
}

template <class Index, class V, class Out, class Op>
void expect_scattered(const std::vector<Index>& indices, const std::vector<V>& values,
                      std::vector<Out> out, Op op) {
  SCOPED_TRACE(testing::Message() << indices.size() << " values to " << out.size());
  const device_buffer<Index> at(indices);
  const device_buffer<V> in(values, 1);
  const device_buffer<Out> to(out, 1);
  const device_buffer<std::size_t> refused(std::vector<std::size_t>{77});
  std::size_t outside = 0;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const auto k = static_cast<std::uint64_t>(indices[i]);
    if (k < out.size()) {
      out[k] = op(out[k], static_cast<Out>(values[i]));
    } else {
      ++outside;
    }
  }
  const temp_storage memory(
      scatter_reduce_temp_storage_bytes<Index, V, Out>(indices.size(), out.size()));
  ASSERT_TRUE(
      scatter_reduce(device.with(memory), to.room(), at.values(), in.values(), op, refused.data())
          .ok());
  EXPECT_EQ(to.read(), out);
  EXPECT_EQ(refused.read()[0], outside);
}

TEST_F(device_group, values_are_joined_to_the_outputs_that_indices_name) {
  for (const std::size_t n : {0U, 33U, 9001U}) {
    for (const std::size_t outputs : {0U, 1U, 10U, 1000U, 70'000U}) {
      const std::vector<int> before(outputs, 5);
      // Some indices are out of range, on both sides.
      expect_scattered(keys_of<std::int32_t>(n, outputs + 9, -4), random_values<std::int32_t>(n),
                       before, plus{});
      expect_scattered(std::vector<std::int32_t>(n, 0), random_values<std::int32_t>(n), before,
                       plus{});
    }
    for (const std::size_t outputs : {50U, 70'000U}) {
      expect_scattered(keys_of<std::int64_t>(n, outputs + 3), affine_maps(n),
                       std::vector<affine>(outputs, affine{3, 4}), then{});
    }
  }
}

TEST_F(device_group, scattered_sums_have_the_same_bits_in_every_run) {
  const std::size_t n = on_cpu ? 9'000 : 3'000'000;
  for (const std::size_t outputs : {50U, 80'000U}) {
    const device_buffer<std::uint32_t> at(keys_of<std::uint32_t>(n, outputs));
    const device_buffer<float> values(random_values<float>(n));
    std::vector<float> first;
    for (int run = 0; run < (on_cpu ? 2 : 200); ++run) {
      const device_buffer<float> out(std::vector<float>(outputs, 0.5F));
      ASSERT_TRUE(scatter_reduce(device, out.room(), at.values(), values.values()).ok());
      if (run == 0) first = out.read();
      ASSERT_EQ(out.read(), first) << "run " << run;
    }
  }
}

#if defined(SIMT_KERNELS)
TEST_F(device_group, floating_point_sums_are_the_same_in_eight_orders_of_blocks_and_lanes) {
  const std::size_t n = 3000, distinct = 50;
  const device_buffer<std::uint32_t> keys(keys_of<std::uint32_t>(n, distinct)), out_keys(distinct);
  const device_buffer<float> values(random_values<float>(n)), sums(distinct), out(80'000);
  const device_buffer<std::size_t> groups(1);
  const auto expect_one_result = [](const auto& call, const device_buffer<float>& result) {
    for (const auto& f : simt::try_schedules(8, call, result.room())) ADD_FAILURE() << f.text();
  };
  expect_one_result(
      [&] {
        ASSERT_TRUE(group_by(device, keys.values(), out_keys.room(), groups.data(),
                             sum_of(values.values(), sums.room()))
                        .ok());
      },
      sums);
  expect_one_result(
      [&] {
        ASSERT_TRUE(group_by(device, keys.values(), each_integer{0, distinct}, out_keys.room(),
                             groups.data(), sum_of(values.values(), sums.room()))
                        .ok());
      },
      sums);
  for (const std::size_t outputs : {distinct, std::size_t{80'000}}) {
    expect_one_result(
        [&] {
          ASSERT_TRUE(
              detail::zero_async(out.data(), outputs * sizeof(float), device.stream()).ok());
          ASSERT_TRUE(
              scatter_reduce(device, std::span(out.data(), outputs), keys.values(), values.values())
                  .ok());
        },
        out);
  }
}
#endif

TEST_F(device_group, a_captured_call_works_on_what_is_there_when_it_runs) {
  const std::size_t n = 5003, distinct = 50;
  const auto keys = keys_of<std::uint32_t>(n, distinct);
  const device_buffer<std::uint32_t> key(keys), out_keys(distinct);
  const device_buffer<float> values(whole_values<float>(n)), sums(distinct), ranged(distinct);
  const device_buffer<float> out(std::vector<float>(distinct, 0.0F));
  const device_buffer<std::size_t> groups(1);
  const each_integer range{0, distinct};
  const auto into = sum_of(values.values(), sums.room());
  const temp_storage memory(
      std::max({group_by_temp_storage_bytes<std::uint32_t>(n, into),
                group_by_temp_storage_bytes<std::uint32_t>(n, range, into),
                scatter_reduce_temp_storage_bytes<std::uint32_t, float, float>(n, distinct)}));
  const own_stream own;
  const auto on = device.on(own.stream).with(memory);
  const captured graph(own.stream, [&] {
    EXPECT_TRUE(group_by(on, key.values(), out_keys.room(), groups.data(), into).ok());
    EXPECT_TRUE(group_by(on, key.values(), range, out_keys.room(), groups.data(),
                         sum_of(values.values(), ranged.room()))
                    .ok());
    EXPECT_TRUE(scatter_reduce(on, out.room(), key.values(), values.values()).ok());
  });
  std::vector<float> expected(distinct), twice(distinct);
  const auto a = whole_values<float>(n);
  for (std::size_t i = 0; i < n; ++i) expected[keys[i]] += a[i];
  for (std::size_t k = 0; k < distinct; ++k) twice[k] = 2 * expected[k];
  for (int run = 0; run < 2; ++run) EXPECT_EQ(graph.launch_in(own.stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(own.stream), cudaSuccess);
  EXPECT_EQ(groups.read()[0], distinct);
  EXPECT_EQ(sums.read(), expected);
  EXPECT_EQ(ranged.read(), expected);
  EXPECT_EQ(out.read(), twice);
}

TEST_F(device_group, of_a_scatter_columns_have_one_length) {
  const device_buffer<std::int64_t> at(std::vector<std::int64_t>{0, 1, 0});
  const device_buffer<float> values(std::vector<float>{1, 2}), out(std::vector<float>{0, 0});
  expect_refused(scatter_reduce(device, out.room(), at.values(), values.values()), 3, 2, "values");
  EXPECT_EQ(out.read(), (std::vector<float>{0, 0}));
}

}  // namespace
}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
