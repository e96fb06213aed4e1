// Folds one value per lane into one value per warp with log2(32) shuffles.
// Cost: 5 shuffles, no memory, no barrier. Valid in lane 0. All 32 lanes must call.
// The operator must be associative and commutative.
#pragma once

#include "warpfold/warp/shuffle.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {

template <class T, class Op>
__device__ __forceinline__ T warp_reduce(T value, Op op) {
#pragma unroll
  for (unsigned offset = warp_size / 2; offset > 0; offset /= 2) {
    value = op(value, shuffle_down(value, offset));
  }
  return value;
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
