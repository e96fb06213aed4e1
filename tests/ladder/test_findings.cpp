// No false alarm: the checker finds nothing in any rung of any ladder, in any order.
#include <cstdint>
#include <numeric>
#include <set>
#include <vector>

#include <gmock/gmock.h>

#include "ladder/run/driver.hpp"
#include "ladder/run/histogram_driver.hpp"
#include "ladder/run/reduce_driver.hpp"
#include "ladder/run/scan_driver.hpp"
#include "ladder/run/select_driver.hpp"
#include "ladder/run/sort_driver.hpp"

namespace warpfold::ladder {
namespace {

/// Runs `run(machine)` with all checks on.
template <class F>
void expect_clean(F run, std::uint64_t seed, const std::string& what,
                  std::vector<std::uint64_t> orders = {}) {
  const auto machine =
      make_simt_machine({.check = true, .seed = seed, .orders = std::move(orders)});
  run(*machine);
  EXPECT_THAT(machine->profiler()->findings(), testing::IsEmpty()) << what << ", seed " << seed;
}

std::vector<std::uint64_t> ascending(std::size_t n) {
  std::vector<std::uint64_t> values(n);
  std::iota(values.begin(), values.end(), 0U);
  return values;
}

std::string problem_text(std::size_t n, unsigned block) {
  return "n " + std::to_string(n) + ", block " + std::to_string(block);
}

void expect_clean_reduce(value_type type, std::size_t n, unsigned block, std::uint64_t seed = 0,
                         operation op = operation::sum) {
  const auto values = ascending(n);
  expect_clean(
      [&](machine& where) {
        run_reduce_ladder({.values = {type, values.data(), n}, .op = op, .block = block}, where,
                          reduce_rungs(where.backend()));
      },
      seed, problem_text(n, block));
}

void expect_clean_scan(value_type type, std::size_t n, unsigned block, std::uint64_t seed = 0,
                       bool exclusive = false) {
  const auto values = ascending(n);
  expect_clean(
      [&](machine& where) {
        run_scan_ladder(
            {.values = {type, values.data(), n}, .exclusive = exclusive, .block = block}, where,
            scan_rungs(where.backend()));
      },
      seed, problem_text(n, block));
}

void expect_clean_sort(value_type type, std::size_t n, unsigned block, std::uint64_t seed = 0,
                       bool pairs = false) {
  auto keys = ascending(n);
  for (auto& k : keys) k = k * 7919 % 1013;
  expect_clean(
      [&](machine& where) {
        run_sort_ladder(
            {.keys = {type, keys.data(), n}, .pairs = pairs, .descending = pairs, .block = block},
            where, sort_rungs(where.backend()));
      },
      seed, problem_text(n, block));
}

void expect_clean_histogram(value_type type, std::size_t n, unsigned block, std::uint64_t seed = 0,
                            unsigned bins = default_bins) {
  auto values = ascending(n);
  for (auto& v : values) v = v * 7919 % (bins + 3);
  expect_clean(
      [&](machine& where) {
        run_histogram_ladder({.values = {type, values.data(), n}, .bins = bins, .block = block},
                             where, histogram_rungs(where.backend()));
      },
      seed, problem_text(n, block));
}

void expect_clean_select(value_type type, std::size_t n, unsigned block, std::uint64_t seed = 0) {
  auto values = ascending(n);
  for (auto& v : values) v = v * 7919 % 1013 % 2;
  expect_clean(
      [&](machine& where) {
        run_select_ladder({.values = {type, values.data(), n}, .block = block}, where,
                          select_rungs(where.backend()));
      },
      seed, problem_text(n, block));
}

constexpr value_type every_type[] = {value_type::i32, value_type::i64, value_type::f32,
                                     value_type::f64};

TEST(reduce_findings, none_at_any_size) {
  for (const unsigned block : {32U, 64U, 128U, 256U, 512U, 1024U}) {
    std::set<std::size_t> sizes{1, 10007};
    for (const std::size_t tile : {std::size_t{block}, std::size_t{block} * 8}) {
      sizes.insert({tile - 1, tile, tile + 1, 2 * tile});
    }
    for (const std::size_t n : sizes) expect_clean_reduce(value_type::i32, n, block);
  }
}

TEST(reduce_findings, none_in_any_order_or_type) {
  for (const value_type type : every_type) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      expect_clean_reduce(type, 10007, 64, seed);
      expect_clean_reduce(type, 4097, 256, seed, operation::max);
    }
  }
}

TEST(reduce_findings, none_in_many_blocks) { expect_clean_reduce(value_type::i32, 1000003, 64); }

TEST(scan_findings, none_at_any_size) {
  for (const unsigned block : {32U, 256U, 1024U}) {
    const std::size_t tile = std::size_t{block} * 16;  // of the last rungs; multiples of others'
    for (const std::size_t n : {std::size_t{1}, std::size_t{33}, std::size_t{block} + 1, tile - 1,
                                tile, tile + 1, 2 * tile}) {
      expect_clean_scan(value_type::i32, n, block, 0, n % 2 == 0);
    }
  }
}

TEST(scan_findings, none_in_any_order_or_type) {
  for (const value_type type : every_type) {
    for (const std::uint64_t seed : {1, 2}) {
      expect_clean_scan(type, 4099, 64, seed);
      expect_clean_scan(type, 2051, 256, seed, true);
    }
  }
}

TEST(scan_findings, none_in_many_blocks) { expect_clean_scan(value_type::i32, 100003, 32); }

TEST(sort_findings, none_at_any_size) {
  for (const unsigned block : {32U, 256U}) {
    const std::size_t tile = std::size_t{block} * 4;  // of one block in the last rungs
    for (const std::size_t n : {std::size_t{1}, std::size_t{33}, tile, 2 * tile + 3}) {
      expect_clean_sort(value_type::u32, n, block, 0, n % 2 == 0);
    }
  }
}

TEST(sort_findings, none_in_any_order_or_type) {
  for (const value_type type : {value_type::i32, value_type::u64, value_type::f64}) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      expect_clean_sort(type, 511, 32, seed);
      expect_clean_sort(type, 2048, 64, seed, true);
    }
  }
}

TEST(sort_findings, none_in_many_blocks) { expect_clean_sort(value_type::u32, 20011, 32); }

TEST(histogram_findings, none_at_any_size) {
  for (const unsigned block : {32U, 256U}) {
    const std::size_t tile = std::size_t{block} * 16;
    for (const std::size_t n : {std::size_t{1}, std::size_t{33}, tile, 2 * tile + 3}) {
      expect_clean_histogram(value_type::u32, n, block);
    }
  }
}

TEST(histogram_findings, none_in_any_order_or_type) {
  for (const value_type type : counted_types) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      expect_clean_histogram(type, 4099, 32, seed);
      expect_clean_histogram(type, 2048, 64, seed, 1000);
    }
  }
}

TEST(histogram_findings, none_in_many_blocks) {
  expect_clean_histogram(value_type::u32, 100003, 32);
}

TEST(select_findings, none_at_any_size) {
  for (const unsigned block : {32U, 256U}) {
    const std::size_t tile = std::size_t{block} * 4;
    for (const std::size_t n : {std::size_t{1}, std::size_t{33}, tile, 2 * tile + 3}) {
      expect_clean_select(value_type::i32, n, block);
    }
  }
}

TEST(select_findings, none_in_any_order_or_type) {
  for (const value_type type : every_type) {
    for (const std::uint64_t seed : {1, 2, 3}) expect_clean_select(type, 2051, 64, seed);
  }
}

TEST(select_findings, none_in_many_blocks) { expect_clean_select(value_type::i32, 50003, 32); }

TEST(ladder_findings, none_in_eight_orders) {
  const std::vector<std::uint64_t> orders{0, 1, 2, 3, 4, 5, 6, 7};
  const auto values = ascending(10007);
  for (const value_type type : {value_type::i32, value_type::f32}) {
    expect_clean(
        [&](machine& where) {
          run_reduce_ladder({.values = {type, values.data(), 10007}, .block = 64}, where,
                            reduce_rungs(where.backend()));
        },
        0, "reduce", orders);
  }
  expect_clean(
      [&](machine& where) {
        run_scan_ladder({.values = {value_type::i32, values.data(), 10007}, .block = 64}, where,
                        scan_rungs(where.backend()));
      },
      0, "scan", orders);
  expect_clean(
      [&](machine& where) {
        run_sort_ladder({.keys = {value_type::u32, values.data(), 1003}, .block = 64}, where,
                        sort_rungs(where.backend()));
      },
      0, "sort", orders);
  expect_clean(
      [&](machine& where) {
        run_histogram_ladder({.values = {value_type::u64, values.data(), 10007}, .block = 64},
                             where, histogram_rungs(where.backend()));
      },
      0, "histogram", orders);
  expect_clean(
      [&](machine& where) {
        run_select_ladder({.values = {value_type::i32, values.data(), 10007}, .block = 64}, where,
                          select_rungs(where.backend()));
      },
      0, "select", orders);
}

/// Stands for a rung whose result is another one from some run on.
class fickle final : public rung_runner {
 public:
  fickle(const rung& r, machine& where, int from, int& runs)
      : rung_runner(r, where, {.n = 1, .block = 32, .processors = 1, .value_bytes = 4}, 4),
        from_(from),
        runs_(runs) {}
  void launch(void*) override { ++runs_; }
  measure::verdict judge() override {
    const bool right = runs_ < from_;
    return {right, right ? "7" : "8", "7", right ? 0.0 : 1.0, 0};
  }

 private:
  int from_;
  int& runs_;
};

TEST(ladder_findings, say_in_which_order_a_result_is_another_one) {
  const int value = 1;
  for (const int from : {2, 4}) {
    const auto machine = make_simt_machine({.check = true, .orders = {0, 1, 2, 3}});
    int runs = 0;
    ladder_plan plan{.ladder = ladder_kind::reduce, .n = 1, .block = 32, .samples = 1};
    plan.input = &value;
    plan.input_bytes = sizeof value;
    plan.describe = [](measure::measurement&) {};
    plan.prepare = [&](const rung& r) { return std::make_unique<fickle>(r, *machine, from, runs); };
    const auto rows = run_rungs(plan, *machine, reduce_rungs(machine->backend()).first(1), {});
    EXPECT_EQ(runs, from) << "the first difference ends it";
    EXPECT_FALSE(rows.back().verdict.right);
    ASSERT_EQ(machine->profiler()->findings().size(), 1U);
    EXPECT_THAT(machine->profiler()->findings()[0],
                testing::AllOf(testing::HasSubstr("kernel 01 neighbored"),
                               testing::HasSubstr(from == 2 ? "when run again" : "seed 2"),
                               testing::HasSubstr("the result is 8")));
  }
}

}  // namespace
}  // namespace warpfold::ladder
