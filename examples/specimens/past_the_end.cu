// A block adds two tiles, even if the second one is shorter or missing.
#include "examples/specimens/specimens.hpp"
#include "warpfold/platform.hpp"

namespace warpfold::specimens {
inline namespace WARPFOLD_MACHINE {

template <bool Mended>
__global__ void past_the_end_kernel(const int* in, int* out, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x * 2 + threadIdx.x;
  if (i >= n) return;
  if (!Mended || i + blockDim.x < n) {
    out[i] = in[i] + in[i + blockDim.x];  // [1] [2]
  } else {
    out[i] = in[i];
  }
}

}  // namespace WARPFOLD_MACHINE

void past_the_end(bool mended, const buffers& b) {
  launch({.grid = (b.n + 255) / 256, .block = 128},
         mended ? past_the_end_kernel<true> : past_the_end_kernel<false>, b.in, b.out, b.n);
}

}  // namespace warpfold::specimens
