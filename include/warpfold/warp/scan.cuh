// Scans one value per lane with log2(32) shuffles (Hillis and Steele's way).
// Cost: 5 shuffles, no memory, no barrier. Valid in every lane. All 32 lanes must call.
// The operator must be associative; the order of the lanes is kept.
#pragma once

#include "warpfold/warp/reduce.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {

/// Lane i gets op of the values of lanes 0 to i.
template <class T, class Op>
__device__ __forceinline__ T warp_inclusive_scan(T value, Op op) {
  const unsigned lane = threadIdx.x % warp_size;
#pragma unroll
  for (unsigned offset = 1; offset < warp_size; offset *= 2) {
    const T left = shuffle_up(value, offset);
    if (lane >= offset) value = op(left, value);
  }
  return value;
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
