// The last block reduces the partials, but nothing orders the partials before the tickets.
#include "examples/specimens/specimens.hpp"
#include "warpfold/platform.hpp"

namespace warpfold::specimens {
inline namespace WARPFOLD_MACHINE {

template <bool Mended>
__global__ void last_block_no_fence_kernel(int* partials, int* out, unsigned* ticket) {
  auto& is_last = shared_storage<bool>();
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = 1;  // [1]
    if constexpr (Mended) __threadfence();
    is_last = atomicAdd(ticket, 1U) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last || threadIdx.x != 0) return;
  __threadfence();
  int sum = 0;
  for (unsigned i = 0; i < gridDim.x; ++i) {
    sum += static_cast<const volatile int*>(partials)[i];  // [2]
  }
  *out = sum;
  *ticket = 0;
}

}  // namespace WARPFOLD_MACHINE

void last_block_no_fence(bool mended, const buffers& b) {
  for (int again = 0; again < 2; ++again) {
    launch({.grid = 16, .block = 64},
           mended ? last_block_no_fence_kernel<true> : last_block_no_fence_kernel<false>, b.in,
           b.out + again, b.scratch);
  }
}

}  // namespace warpfold::specimens
