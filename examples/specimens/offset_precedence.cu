// A tree in shared memory that is to be padded against bank conflicts. + binds tighter than >>, so
// the formula shifts by 5 + n, which is nearly always all bits, and nothing is padded. The result
// is right but slow.
#include "examples/specimens/specimens.hpp"
#include "warpfold/platform.hpp"

namespace warpfold::specimens {
inline namespace WARPFOLD_MACHINE {

#pragma GCC diagnostic ignored "-Wparentheses"  // it would tell

template <bool Mended>
__device__ unsigned padded(unsigned n) {
  return Mended ? n + (n >> 5) + (n >> 10) : n + (n >> 5 + n >> 10);
}

template <bool Mended>
__global__ void offset_precedence_kernel(const int* in, int* out) {
  int* const sums = dynamic_shared<int>();
  const unsigned tid = threadIdx.x;
  sums[padded<Mended>(tid)] = in[tid];
  sums[padded<Mended>(tid + blockDim.x)] = in[tid + blockDim.x];
  unsigned stride = 1;
  for (unsigned nodes = blockDim.x; nodes > 0; nodes /= 2, stride *= 2) {
    __syncthreads();
    const unsigned left = stride * (2 * tid + 1) - 1;
    if (tid < nodes) sums[padded<Mended>(left + stride)] += sums[padded<Mended>(left)];  // [1] [2]
  }
  if (tid == 0) out[0] = sums[padded<Mended>(2 * blockDim.x - 1)];
}

}  // namespace WARPFOLD_MACHINE

void offset_precedence(bool mended, const buffers& b) {
  launch({.grid = 1, .block = 256, .shared_bytes = 600 * sizeof(int)},
         mended ? offset_precedence_kernel<true> : offset_precedence_kernel<false>, b.in, b.out);
}

}  // namespace warpfold::specimens
