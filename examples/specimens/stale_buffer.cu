// A double-buffered scan that adds to the sums of two steps ago in the other buffer: a wrong
// result, no race. In the first step that buffer is unwritten, which is the finding.
#include "examples/specimens/specimens.hpp"
#include "warpfold/platform.hpp"

namespace warpfold::specimens {
inline namespace WARPFOLD_MACHINE {

template <bool Mended>
__global__ void stale_buffer_kernel(const int* in, int* out) {
  int* from = dynamic_shared<int>();
  int* to = from + blockDim.x;
  const unsigned tid = threadIdx.x;
  from[tid] = in[tid];
  __syncthreads();
  for (unsigned distance = 1; distance < blockDim.x; distance *= 2) {
    if (tid < distance) {
      to[tid] = from[tid];
    } else if (Mended) {
      to[tid] = from[tid] + from[tid - distance];
    } else {
      to[tid] += from[tid - distance];  // [1] [2]
    }
    __syncthreads();
    int* const swapped = from;
    from = to;
    to = swapped;
  }
  out[tid] = from[tid];
}

}  // namespace WARPFOLD_MACHINE

void stale_buffer(bool mended, const buffers& b) {
  launch({.grid = 1, .block = 128, .shared_bytes = 2 * 128 * sizeof(int)},
         mended ? stale_buffer_kernel<true> : stale_buffer_kernel<false>, b.in, b.out);
}

}  // namespace warpfold::specimens
