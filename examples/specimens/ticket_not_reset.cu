// The ticket is not reset: in the next launch no block is the last. The first launch is right, the
// second is wrong, and there is no race.
#include "examples/specimens/specimens.hpp"
#include "warpfold/platform.hpp"

namespace warpfold::specimens {
inline namespace WARPFOLD_MACHINE {

template <bool Mended>
__global__ void ticket_not_reset_kernel(int* partials, int* out, unsigned* ticket) {
  auto& is_last = shared_storage<bool>();
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = 1;
    __threadfence();
    is_last = atomicAdd(ticket, 1U) == gridDim.x - 1;  // [1] [2]
  }
  __syncthreads();
  if (!is_last || threadIdx.x != 0) return;
  __threadfence();
  int sum = 0;
  for (unsigned i = 0; i < gridDim.x; ++i) {
    sum += static_cast<const volatile int*>(partials)[i];
  }
  *out = sum;
  if constexpr (Mended) *ticket = 0;
}

}  // namespace WARPFOLD_MACHINE

void ticket_not_reset(bool mended, const buffers& b) {
  launch({.grid = 16, .block = 64},
         mended ? ticket_not_reset_kernel<true> : ticket_not_reset_kernel<false>, b.in, b.out,
         b.scratch);
}

}  // namespace warpfold::specimens
