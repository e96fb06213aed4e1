// The judge itself: it must not pass what is wrong.
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "ladder/machines/ncu.hpp"
#include "ladder/reference/reduce.hpp"

namespace warpfold::ladder {
namespace {

TEST(reference, integers_must_be_exact) {
  const std::vector<std::int32_t> values{2147483647, 1, 5};
  const reference truth({value_type::i32, values.data(), 3}, operation::sum);
  EXPECT_TRUE(truth.judge({.type = value_type::i32, .whole = -2147483643}, 1).right);
  EXPECT_FALSE(truth.judge({.type = value_type::i32, .whole = -2147483642}, 1e9).right);
}

TEST(reference, float_sums_are_held_to_a_bound) {
  const std::vector<float> values(1000, 0.1F);
  const reference truth({value_type::f32, values.data(), values.size()}, operation::sum);
  EXPECT_TRUE(truth.judge({.type = value_type::f32, .real = 100.0F}, 20).right);
  EXPECT_FALSE(truth.judge({.type = value_type::f32, .real = 100.1F}, 20).right);
  EXPECT_FALSE(truth.judge({.type = value_type::f32, .real = std::nan("")}, 1e30).right);
  EXPECT_FALSE(
      truth.judge({.type = value_type::f32, .real = std::numeric_limits<double>::infinity()}, 1e30)
          .right);
}

TEST(reference, a_dropped_value_is_seen) {
  std::vector<double> values(4096);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<double>(i + 1));
  const host_values all{value_type::f64, values.data(), values.size()};
  const reference truth(all, operation::sum);
  const scalar whole = reduce_serial(all, operation::sum);
  EXPECT_TRUE(truth.judge(whole, 4096).right);
  for (const std::size_t dropped : {0UL, 100UL, 4095UL}) {
    scalar less = whole;
    less.real -= values[dropped];
    EXPECT_FALSE(truth.judge(less, 4096).right) << dropped;
  }
}

TEST(reference, nan_is_right_only_where_it_is_due) {
  const std::vector<float> values{1, std::nanf(""), 3};
  const reference truth({value_type::f32, values.data(), 3}, operation::max);
  EXPECT_TRUE(truth.judge({.type = value_type::f32, .real = std::nan("")}, 2).right);
  EXPECT_FALSE(truth.judge({.type = value_type::f32, .real = 3}, 2).right);
}

TEST(reference, mean_of_integers_is_exact) {
  const std::vector<std::int32_t> values(3, 2147483647);
  const reference truth({value_type::i32, values.data(), 3}, operation::mean);
  // The i32 sum would wrap; kernels sum in i64.
  const scalar mean = mean_of({.type = value_type::i64, .whole = 3 * 2147483647LL}, 3);
  EXPECT_TRUE(truth.judge(mean, 1).right);
  EXPECT_FALSE(truth.judge({.type = value_type::f64, .real = 2147483646}, 1).right);
}

TEST(reference, recursive_takes_any_size) {
  for (std::size_t n = 1; n < 70; ++n) {
    std::vector<std::int64_t> values(n);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += values[i] = static_cast<std::int64_t>(i * i + 3);
    const host_values all{value_type::i64, values.data(), n};
    EXPECT_EQ(reduce_recursive(all, operation::sum).whole, sum) << n;
    EXPECT_EQ(reduce_recursive(all, operation::max).whole, values.back()) << n;
  }
}

TEST(ncu, csv_becomes_counters_of_the_right_rungs) {
  std::vector<measure::measurement> rows(3);
  rows[0].name = "unroll-8";
  rows[1].name = "complete-unroll-8";
  rows[2].name = "unroll-8";  // a host row of that name takes nothing
  rows[0].backend = rows[1].backend = measure::backend_kind::cuda;
  rows[2].backend = measure::backend_kind::host;
  add_counters_from_csv(
      rows,
      "==PROF== Connected\n"
      "\"ID\",\"Kernel Name\",\"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum\","
      "\"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\","
      "\"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct\"\n"
      "\"\",\"\",\"\",\"sector\",\"%\"\n"
      "\"0\",\"void a::unroll_8_kernel<int, l::counting_operator<plus, a::unroll_8>>(int "
      "*)\",\"1,000\",\"300\",\"50\"\n"
      "\"1\",\"void a::complete_unroll_8_kernel<int, l::counting_operator<plus, "
      "a::complete_unroll_8>>(int "
      "*)\",\"7\",\"8\",\"9\"\n"
      "\"2\",\"void a::unroll_8_kernel<int, l::counting_operator<plus, a::unroll_8>>(int "
      "*)\",\"1\",\"100\",\"100\"\n");
  EXPECT_EQ(*rows[0].find(measure::counters::load_requests), 1001);
  EXPECT_EQ(*rows[0].find(measure::counters::load_efficiency), 62.5);
  EXPECT_EQ(*rows[1].find(measure::counters::load_requests), 7);
  EXPECT_TRUE(rows[2].counters.empty());
}

TEST(ncu, a_scan_s_kernels_are_told_by_the_tag_of_their_rung) {
  std::vector<measure::measurement> rows(2);
  rows[0].name = "look-back";
  rows[1].name = "blelloch";
  for (auto& m : rows) {
    m.ladder = "scan";
    m.backend = measure::backend_kind::cuda;
  }
  add_counters_from_csv(
      rows,
      "\"ID\",\"Kernel Name\",\"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum\"\n"
      "\"0\",\"void s::blelloch_kernel<int, l::counting_operator<plus, "
      "s::blelloch>>(s::tiles)\",\"1\"\n"
      "\"1\",\"void s::propagate_kernel<int, l::counting_operator<plus, s::blelloch>>(int "
      "*)\",\"2\"\n"
      "\"2\",\"void s::blelloch_kernel<int, l::longest_chain>(s::tiles)\",\"4\"\n"
      // A kernel that a rung borrows is its own; so is one that applies no operator.
      "\"3\",\"void s::blelloch_kernel<int, l::counting_operator<plus, "
      "s::look_back>>(s::tiles)\",\"8\"\n"
      "\"4\",\"void s::reset_tiles_kernel<int, l::counting_operator<plus, "
      "s::look_back>>(s::t)\",\"16\"\n");
  EXPECT_EQ(*rows[0].find(measure::counters::load_requests), 24);
  EXPECT_EQ(*rows[1].find(measure::counters::load_requests), 3);
}

}  // namespace
}  // namespace warpfold::ladder
