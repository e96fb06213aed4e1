// Reduces one value per thread into one value per block: shuffles in each warp, one shared slot a
// warp, shuffles again. Cost: 10 shuffles, one barrier, 32 values of shared memory. Valid in
// thread 0. Every thread of the block must call; the block is a multiple of 32 threads.
// The shared slots may be used again after a barrier. The operator must be associative and
// commutative.
#pragma once

#include "warpfold/warp/reduce.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

template <class T>
struct block_reduce_storage {
  T partials[warp_size];  // by warp
};

}  // namespace detail

/// `reduce_warp(value)` reduces a warp's values into its lane 0.
template <class T, class Op, class ReduceWarp>
__device__ __forceinline__ T block_reduce(T value, Op op, ReduceWarp reduce_warp) {
  auto& shared = detail::shared_storage<detail::block_reduce_storage<T>>();
  const unsigned lane = threadIdx.x % warp_size;
  const unsigned warp = threadIdx.x / warp_size;
  value = reduce_warp(value);
  if (lane == 0) shared.partials[warp] = value;
  __syncthreads();
  if (warp == 0) {
    value = lane < blockDim.x / warp_size ? shared.partials[lane] : op.template identity<T>();
    value = reduce_warp(value);
  }
  return value;
}

/// Reduces one value per thread of the block. Valid in thread 0.
template <class T, class Op>
__device__ __forceinline__ T block_reduce(T value, Op op) {
  return block_reduce(value, op, [op](T v) { return warp_reduce(v, op); });
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
