// A thread adds four values and a block four tiles, but only if all four are within n: the values
// after the last multiple are never read.
#include "examples/specimens/specimens.hpp"
#include "warpfold/platform.hpp"

namespace warpfold::specimens {
inline namespace WARPFOLD_MACHINE {

template <bool Mended>
__global__ void dropped_tail_kernel(const int* in, int* out, unsigned n) {
  const unsigned tile = blockDim.x;
  const unsigned i = blockIdx.x * tile * 4 + threadIdx.x;
  int sum = 0;
  if constexpr (Mended) {
    for (unsigned k = i; k < n && k < i + tile * 4; k += tile) sum += in[k];
  } else {
    if (i + tile * 3 < n)
      sum = in[i] + in[i + tile] + in[i + tile * 2] + in[i + tile * 3];  // [1][2]
  }
  out[blockIdx.x * tile + threadIdx.x] = sum;
}

}  // namespace WARPFOLD_MACHINE

void dropped_tail(bool mended, const buffers& b) {
  launch({.grid = (b.n + 511) / 512, .block = 128},
         mended ? dropped_tail_kernel<true> : dropped_tail_kernel<false>, b.in, b.out, b.n);
}

}  // namespace warpfold::specimens
