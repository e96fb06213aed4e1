// A tree in shared memory without barriers between its steps: a warp reads a sum that another warp
// has not written yet.
#include "examples/specimens/specimens.hpp"
#include "warpfold/platform.hpp"

namespace warpfold::specimens {
inline namespace WARPFOLD_MACHINE {

template <bool Mended>
__global__ void missing_barrier_kernel(const int* in, int* out) {
  int* const values = dynamic_shared<int>();
  const unsigned tid = threadIdx.x;
  values[tid] = in[blockIdx.x * blockDim.x + tid];
  __syncthreads();
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (tid < stride) values[tid] += values[tid + stride];  // [1] [2]
    if constexpr (Mended) __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = values[0];
}

}  // namespace WARPFOLD_MACHINE

void missing_barrier(bool mended, const buffers& b) {
  launch({.grid = b.n / 128, .block = 128, .shared_bytes = 128 * sizeof(int)},
         mended ? missing_barrier_kernel<true> : missing_barrier_kernel<false>, b.in, b.out);
}

}  // namespace warpfold::specimens
