// A block waits for the one before it, by blockIdx. That block need not run while others wait. A
// ticket, taken when a block starts, would give an order in which it does.
#include "examples/specimens/specimens.hpp"
#include "warpfold/platform.hpp"

namespace warpfold::specimens {
inline namespace WARPFOLD_MACHINE {

__global__ void begin_kernel(unsigned* scratch) { scratch[threadIdx.x] = 0; }

template <bool Mended>
__global__ void look_back_block_index_kernel(int* sums, unsigned* scratch) {
  if (threadIdx.x != 0) return;
  unsigned* const flags = scratch + 1;
  const unsigned rank = Mended ? atomicAdd(scratch, 1U) : blockIdx.x;
  int before = 0;
  if (rank != 0) {
    while (atomicAdd(&flags[rank - 1], 0U) == 0) __nanosleep(20);  // [1] [2]
    __threadfence();
    before = sums[rank - 1];
  }
  sums[rank] = before + 1;
  __threadfence();
  atomicExch(&flags[rank], 1U);
}

}  // namespace WARPFOLD_MACHINE

void look_back_block_index(bool mended, const buffers& b) {
  launch({.grid = 1, .block = 65}, begin_kernel, b.scratch);
  launch({.grid = 64, .block = 32},
         mended ? look_back_block_index_kernel<true> : look_back_block_index_kernel<false>, b.out,
         b.scratch);
}

}  // namespace warpfold::specimens
