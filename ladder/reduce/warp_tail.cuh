// The last 64 values of a tree in one warp, without block barriers, as rungs 07–09 and 14–16 have
// it. Reads, writes: 64 + 32 + … values. No block barrier; two __syncwarp a step, because lanes of
// a warp need not run in lockstep since Volta: the published tail relies on that and races.
// Lanes 0–31 of one warp must call; the result is in values[0]. `count` values are valid.
#pragma once

#include "warpfold/platform.hpp"

namespace warpfold::ladder::reduce_ladder {
inline namespace WARPFOLD_MACHINE {

template <class T, class Op>
__device__ __forceinline__ void reduce_warp_tail(T* values, unsigned lane, unsigned count, Op op) {
  T value = lane < count ? values[lane] : Op::template identity<T>();
#pragma unroll
  for (unsigned stride = 32; stride > 0; stride /= 2) {
    if (lane + stride < count) value = op(value, values[lane + stride]);
    __syncwarp();
    if (lane < count) values[lane] = value;
    __syncwarp();
  }
}

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::reduce_ladder
