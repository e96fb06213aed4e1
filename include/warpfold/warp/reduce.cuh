// Reduces one value per lane to one value per warp with log2(32) shuffles.
// Cost: 5 shuffles, no memory, no barrier. Valid in lane 0. All 32 lanes must call.
// The operator must be associative and commutative, or only associative with in_lane_order.
#pragma once

#include "warpfold/warp/shuffle.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {

/// Reduces one value per lane of the warp. Valid in lane 0.
template <class T, class Op>
__device__ __forceinline__ T warp_reduce(T value, Op op) {
#pragma unroll
  for (unsigned offset = warp_size / 2; offset > 0; offset /= 2) {
    value = op(value, shuffle_down(value, offset));
  }
  return value;
}

/// A policy of warp_reduce: from left to right, for operators that are only associative.
struct in_lane_order {};

/// Reduces one value per lane in the order of the lanes. Valid in lane 0.
template <class T, class Op>
__device__ __forceinline__ T warp_reduce(T value, Op op, in_lane_order) {
  const unsigned lane = threadIdx.x % warp_size;
#pragma unroll
  for (unsigned offset = 1; offset < warp_size; offset *= 2) {
    const T right = shuffle_down(value, offset);
    if (lane % (2 * offset) == 0) value = op(value, right);
  }
  return value;
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
