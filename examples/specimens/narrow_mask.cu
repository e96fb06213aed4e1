// A reduction of 32 values whose mask names 16 lanes: the first step reads from lanes outside it.
#include "examples/specimens/specimens.hpp"
#include "warpfold/platform.hpp"

namespace warpfold::specimens {
inline namespace WARPFOLD_MACHINE {

template <bool Mended>
__global__ void narrow_mask_kernel(const int* in, int* out) {
  constexpr unsigned mask = Mended ? 0xffffffffU : 0x0000ffffU;
  int value = in[threadIdx.x];
  if (Mended || threadIdx.x < 16) {
    for (unsigned distance = 16; distance > 0; distance /= 2) {
      value += __shfl_down_sync(mask, value, distance);  // [1] [2]
    }
  }
  if (threadIdx.x == 0) out[0] = value;
}

}  // namespace WARPFOLD_MACHINE

void narrow_mask(bool mended, const buffers& b) {
  launch({.grid = 1, .block = 32}, mended ? narrow_mask_kernel<true> : narrow_mask_kernel<false>,
         b.in, b.out);
}

}  // namespace warpfold::specimens
