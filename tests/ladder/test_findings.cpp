// No false alarm: the checker finds nothing in any rung of any ladder, in any order.
#include <cstdint>
#include <numeric>
#include <vector>

#include <gmock/gmock.h>

#include "ladder/climb.hpp"
#include "ladder/climb_scan.hpp"
#include "ladder/climb_sort.hpp"
#include "ladder/frame.hpp"

namespace warpfold::ladder {
namespace {

struct trial {
  std::size_t n;
  unsigned block;
  std::uint64_t seed = 0;
  std::vector<std::uint64_t> orders{};
  value_type type = value_type::i32;
  operation op = operation::sum;
};

/// Runs `climb(machine, values)` under the eyes of the checker.
template <class Climb>
void expect_clean(const trial& t, Climb climb) {
  const auto machine = make_simt_machine(true, t.seed, t.orders);
  std::vector<std::uint64_t> values(t.n);
  std::iota(values.begin(), values.end(), 0U);
  climb(*machine, host_values{t.type, values.data(), t.n});
  EXPECT_THAT(machine->findings(), testing::IsEmpty())
      << "n " << t.n << ", block " << t.block << ", seed " << t.seed;
}

void reduce_clean(const trial& t) {
  expect_clean(t, [&](machine& where, const host_values& values) {
    climb({.values = values, .op = t.op, .block = t.block}, where, where.reduce_rungs());
  });
}

void scan_clean(const trial& t) {
  expect_clean(t, [&](machine& where, const host_values& values) {
    climb_scan({.values = values, .op = t.op, .block = t.block}, where, where.scan_rungs());
  });
}

void sort_clean(const trial& t) {
  expect_clean(t, [&](machine& where, const host_values& values) {
    climb_sort({.keys = values, .pairs = true, .block = t.block}, where, where.sort_rungs());
  });
}

TEST(ladder_findings, none_at_any_size) {
  for (const unsigned block : {32U, 64U, 128U, 256U, 512U, 1024U}) {
    for (const std::size_t tile : {std::size_t{block}, std::size_t{block} * 8}) {
      for (const std::size_t n :
           {std::size_t{1}, tile - 1, tile, tile + 1, 2 * tile, std::size_t{10007}}) {
        reduce_clean({.n = n, .block = block});
      }
    }
    for (const std::size_t n : {std::size_t{1}, std::size_t{block} + 1, std::size_t{10007}}) {
      scan_clean({.n = n, .block = block});
      sort_clean({.n = n % 4000 + 1, .block = block, .type = value_type::u32});
    }
  }
}

TEST(ladder_findings, none_in_any_type) {
  for (const value_type type :
       {value_type::i32, value_type::i64, value_type::f32, value_type::f64}) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      reduce_clean({.n = 10007, .block = 64, .seed = seed, .type = type});
      reduce_clean({.n = 4097, .block = 256, .seed = seed, .type = type, .op = operation::max});
    }
    scan_clean({.n = 4097, .block = 64, .seed = 2, .type = type});
  }
}

TEST(ladder_findings, none_in_any_order) {
  const std::vector<std::uint64_t> orders{0, 1, 2, 3, 4, 5, 6, 7};
  reduce_clean({.n = 10007, .block = 64, .orders = orders});
  reduce_clean({.n = 5003, .block = 256, .orders = orders, .type = value_type::f32});
  scan_clean({.n = 10007, .block = 64, .orders = orders});
  sort_clean({.n = 1003, .block = 64, .orders = orders, .type = value_type::u32});
}

/// Stands for a rung whose result is another one from some run on.
class fickle final : public attempt {
 public:
  explicit fickle(int from) : from_(from) {}
  void launch(void*) override { ++runs_; }
  measure::verdict judge() override {
    const bool right = runs_ < from_;
    return {right, right ? "7" : "8", "7", right ? 0.0 : 1.0, 0};
  }
  void poison_outputs() override {}
  [[nodiscard]] std::size_t output_bytes() const override { return 4; }
  [[nodiscard]] unsigned launches() const override { return 1; }
  [[nodiscard]] int runs() const { return runs_; }

 private:
  int from_, runs_ = 0;
};

TEST(ladder_findings, say_in_which_order_a_result_is_another_one) {
  const int value = 1;
  for (const int from : {2, 4}) {
    const auto machine = make_simt_machine(true, 0, {0, 1, 2, 3});
    rotating_input inputs(&value, sizeof value, *machine);
    fickle up(from);
    measure::measurement m;
    measure_attempt(up, *machine->reduce_rungs()[0], inputs, *machine, 1, m);
    EXPECT_EQ(up.runs(), from) << "the first difference ends it";
    EXPECT_FALSE(m.verdict.right);
    ASSERT_EQ(machine->findings().size(), 1U);
    EXPECT_THAT(machine->findings()[0],
                testing::AllOf(testing::HasSubstr("kernel 01 neighbored"),
                               testing::HasSubstr(from == 2 ? "when run again" : "seed 2"),
                               testing::HasSubstr("the result is 8")));
  }
}

TEST(ladder_findings, none_in_many_blocks) { reduce_clean({.n = 1000003, .block = 64}); }

}  // namespace
}  // namespace warpfold::ladder
