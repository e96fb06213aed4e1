// Scans one value per thread: shuffles in each warp, one shared slot a warp, shuffles over these.
// Cost: 11 shuffles, two barriers, 32 values of shared memory. Valid in every thread, and every
// thread of the block must call; the block is a multiple of 32 threads.
// The shared slots may be used again after a barrier. The operator must be associative; the order
// of the threads is kept.
#pragma once

#include "warpfold/warp/scan.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

template <class T>
struct block_scan_storage {
  T totals[warp_size];  // by warp; then scanned
};

}  // namespace detail

/// What block_scan gives a thread.
template <class T>
struct block_scan_result {
  T inclusive;  ///< of the values up to this thread's
  T exclusive;  ///< of the values before this thread's
  T total;      ///< of the block
};

/// Scans one value per thread of the block. Valid in every thread.
template <class T, class Op>
__device__ __forceinline__ block_scan_result<T> block_scan(T value, Op op) {
  auto& shared = detail::shared_storage<detail::block_scan_storage<T>>();
  const unsigned lane = threadIdx.x % warp_size;
  const unsigned warp = threadIdx.x / warp_size;
  const unsigned warps = blockDim.x / warp_size;
  value = warp_inclusive_scan(value, op);
  if (lane == warp_size - 1) shared.totals[warp] = value;
  __syncthreads();
  if (warp == 0) {
    T total = lane < warps ? shared.totals[lane] : op.template identity<T>();
    total = warp_inclusive_scan(total, op);
    shared.totals[lane] = total;
  }
  __syncthreads();
  T before = op.template identity<T>();
  if (warp > 0) {
    before = shared.totals[warp - 1];
    value = op(before, value);
  }
  const T left = shuffle_up(value, 1);
  return {value, lane > 0 ? left : before, shared.totals[warps - 1]};
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
