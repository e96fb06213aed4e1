// No false alarm: the checker finds nothing in any rung of the reduce ladder.
#include <cstdint>
#include <numeric>
#include <vector>

#include <gmock/gmock.h>

#include "ladder/climb.hpp"

namespace warpfold::ladder {
namespace {

void expect_clean(value_type type, std::size_t n, unsigned block, std::uint64_t seed = 0,
                  operation op = operation::sum) {
  const auto machine = make_simt_machine({.check = true, .seed = seed});
  std::vector<std::uint64_t> values(n);
  std::iota(values.begin(), values.end(), 0U);
  climb({.values = {type, values.data(), n}, .op = op, .block = block}, *machine,
        machine->reduce_rungs());
  EXPECT_THAT(machine->findings(), testing::IsEmpty())
      << "n " << n << ", block " << block << ", seed " << seed;
}

TEST(ladder_findings, none_at_any_size) {
  for (const unsigned block : {32U, 64U, 128U, 256U, 512U, 1024U}) {
    for (const std::size_t tile : {std::size_t{block}, std::size_t{block} * 8}) {
      for (const std::size_t n :
           {std::size_t{1}, tile - 1, tile, tile + 1, 2 * tile, std::size_t{10007}}) {
        expect_clean(value_type::i32, n, block);
      }
    }
  }
}

TEST(ladder_findings, none_in_any_order_or_type) {
  for (const value_type type :
       {value_type::i32, value_type::i64, value_type::f32, value_type::f64}) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      expect_clean(type, 10007, 64, seed);
      expect_clean(type, 4097, 256, seed, operation::max);
    }
  }
}

TEST(ladder_findings, none_in_many_blocks) { expect_clean(value_type::i32, 1000003, 64); }

}  // namespace
}  // namespace warpfold::ladder
