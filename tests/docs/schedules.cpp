// A kernel in several orders: docs/cpu-machine.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simt/cuda.hpp>
#include <simt/memory.hpp>

namespace {

using testing::IsEmpty;

/// Blocks draw their numbers, so that any order of them is right.
__global__ void twice(const int* in, int* out, unsigned* ticket) {
  const unsigned block = __shfl_sync(~0U, threadIdx.x == 0 ? atomicAdd(ticket, 1U) : 0U, 0);
  const unsigned i = block * 32 + threadIdx.x;
  out[i] = 2 * in[i];
  if (threadIdx.x == 0 && block == gridDim.x - 1) atomicExch(ticket, 0U);
}

TEST(docs, schedules) {
  constexpr unsigned n = 320;
  auto* const in = static_cast<int*>(simt::allocate(n * sizeof(int)));
  auto* const out = static_cast<int*>(simt::allocate(n * sizeof(int)));
  auto* const ticket = static_cast<unsigned*>(simt::allocate(sizeof(unsigned)));
  for (unsigned i = 0; i < n; ++i) in[i] = static_cast<int>(i);
  *ticket = 0;
  const simt::launch_config config{.grid = {n / 32}, .block = {32}};
  const auto kernel = twice;
  // the code of the page
  EXPECT_EQ(out[n - 1], static_cast<int>(2 * (n - 1)));
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
