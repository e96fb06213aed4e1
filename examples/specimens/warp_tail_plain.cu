// The last warp finishes alone, without volatile: the compiler may keep sums in registers.
#include "examples/specimens/specimens.hpp"
#include "warpfold/platform.hpp"

namespace warpfold::specimens {
inline namespace WARPFOLD_MACHINE {

template <bool Mended>
__global__ void warp_tail_plain_kernel(const int* in, int* out) {
  int* const shared = dynamic_shared<int>();
  const unsigned tid = threadIdx.x;
  shared[tid] = in[tid];
  __syncthreads();
  if (tid < 32) {
    int* const values = shared;
    for (unsigned stride = 32; stride > 0; stride /= 2) {
      const int sum = values[tid] + values[tid + stride];  // [1]
      if constexpr (Mended) __syncwarp();
      values[tid] = sum;  // [2]
      if constexpr (Mended) __syncwarp();
    }
  }
  if (tid == 0) out[0] = shared[0];
}

}  // namespace WARPFOLD_MACHINE

void warp_tail_plain(bool mended, const buffers& b) {
  launch({.grid = 1, .block = 64, .shared_bytes = 64 * sizeof(int)},
         mended ? warp_tail_plain_kernel<true> : warp_tail_plain_kernel<false>, b.in, b.out);
}

}  // namespace warpfold::specimens
