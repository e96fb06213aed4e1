// Folds one value per lane into one value per warp with log2(32) shuffles.
// Cost: 5 shuffles, no memory, no barrier. Valid in lane 0. All 32 lanes must call.
// The operator must be associative and commutative.
#pragma once

#include "warpfold/platform.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

inline constexpr unsigned warp_size = 32;
inline constexpr unsigned all_lanes = 0xffffffffU;

template <class T, class Op>
__device__ __forceinline__ T warp_reduce(T value, Op op) {
#pragma unroll
  for (unsigned offset = warp_size / 2; offset > 0; offset /= 2) {
    value = op(value, __shfl_down_sync(all_lanes, value, offset));
  }
  return value;
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
