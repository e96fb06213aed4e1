// A word that several threads have read, before one of them writes it.
#include <gtest/gtest.h>

#include "simt/cuda.hpp"
#include "tests/simt/machine.hpp"

namespace warpfold::tests::readers {

/// Each block adds to its tile what it reads of the next block's, with threads of the same number.
__global__ void add_next_tile(int* values) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  values[i] += values[i + blockDim.x];
}

TEST(readers, of_another_block_are_kept_beside_the_writer) {
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    const device_array<int> values(5 * 64, 1);
    const simt::observe scope({.check = true, .seed = seed});
    simt::launch({.grid = 4, .block = 64}, add_next_tile, values.data());
    ASSERT_FALSE(scope.findings.empty()) << seed;
    for (const auto& f : scope.findings) {
      EXPECT_EQ(f.kind, simt::finding_kind::race_between_blocks) << f.text();
    }
  }
}

}  // namespace warpfold::tests::readers
