// What one warp reduces of a reduction whose operator is only associative: neighbouring values,
// from left to right. Reads each value once; five shuffles for 64 bytes a lane; no barrier.
#pragma once

#include <cstddef>

#include "warpfold/device/reduce/problem.cuh"
#include "warpfold/warp/reduce.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// Neighbouring values that a lane reduces by itself before its warp does.
template <class T>
inline constexpr unsigned ordered_items = sizeof(T) < 64 ? 64 / sizeof(T) : 1;

/// The neighbours first, …, first + ordered_items - 1, as far as they lie before `end`.
template <class In, class Acc, class Op, class Map>
__device__ __forceinline__ Acc lane_reduce_in_order(const reduction<In, Acc, Op, Map>& r,
                                                    std::size_t first, std::size_t end) {
  constexpr unsigned items = ordered_items<In>;
  Acc sum = r.op.template identity<Acc>();
  if (first + items <= end) {
    In value[items];
#pragma unroll
    for (unsigned k = 0; k < items; ++k) value[k] = r.in[first + k];
#pragma unroll
    for (unsigned k = 0; k < items; ++k) sum = r.op(sum, r.map(value[k]));
  } else {
    for (std::size_t i = first; i < end; ++i) sum = r.op(sum, r.map(r.in[i]));
  }
  return sum;
}

/// The warp's run of values, tile after tile: valid in lane 0, the identity in the others.
template <class In, class Acc, class Op, class Map>
__device__ __forceinline__ Acc warp_reduce_in_order(const reduction<In, Acc, Op, Map>& r,
                                                    grid_rank block) {
  constexpr std::size_t tile = std::size_t{ordered_items<In>} * warp_size;
  const std::size_t warps = std::size_t{block.count} * (blockDim.x / warp_size);
  const std::size_t warp =
      std::size_t{block.index} * (blockDim.x / warp_size) + threadIdx.x / warp_size;
  const std::size_t tiles = (r.n + tile - 1) / tile;
  const std::size_t run = (tiles + warps - 1) / warps * tile;
  const std::size_t begin = warp * run < r.n ? warp * run : r.n;
  const std::size_t end = run < r.n - begin ? begin + run : r.n;
  Acc sum = r.op.template identity<Acc>();
  for (std::size_t base = begin; base < end; base += tile) {
    const std::size_t first = base + threadIdx.x % warp_size * ordered_items<In>;
    const Acc mine = lane_reduce_in_order(r, first, end);
    sum = r.op(sum, warp_reduce(mine, r.op, in_lane_order{}));
  }
  return threadIdx.x % warp_size == 0 ? sum : r.op.template identity<Acc>();
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
