// How rungs 06–08 hold a tile: 64 bytes a thread in registers, neighbours in the input side by side
// in one thread. A warp loads its share in order of lanes and transposes it in padded shared
// memory. Reads each value once; no barrier; block * 64 bytes of shared memory and one in 32 more.
// All lanes of a warp must call. The operator must be associative.
#pragma once

#include "ladder/scan/launching.cuh"
#include "ladder/scan/padding.cuh"
#include "warpfold/block/scan.cuh"

namespace warpfold::ladder::scan_ladder {
inline namespace WARPFOLD_MACHINE {

template <class T>
inline constexpr unsigned items_per_thread = 64 / sizeof(T);

template <class T>
struct register_tile {
  static constexpr unsigned items = items_per_thread<T>;
  static constexpr unsigned per_warp = items * warp_size;
  T item[items];  // of this thread, in order

  __host__ __device__ static constexpr unsigned tile(unsigned block) { return items * block; }
  static constexpr std::size_t shared_bytes(unsigned block) {
    return block / warp_size * padded<T>(per_warp) * sizeof(T);
  }

  /// Takes in[first, first + per_warp) into the warp; `fill` in place of what lies beyond n.
  __device__ __forceinline__ void load(const T* in, std::size_t first, std::size_t n, T fill) {
    const unsigned lane = threadIdx.x % warp_size;
    T* const exchange = warp_exchange();
    if (first + per_warp <= n) {
#pragma unroll
      for (unsigned k = 0; k < items; ++k) item[k] = in[first + k * warp_size + lane];
    } else {
#pragma unroll
      for (unsigned k = 0; k < items; ++k) {
        const std::size_t i = first + k * warp_size + lane;
        item[k] = i < n ? in[i] : fill;
      }
    }
#pragma unroll
    for (unsigned k = 0; k < items; ++k) exchange[padded<T>(k * warp_size + lane)] = item[k];
    __syncwarp();
#pragma unroll
    for (unsigned k = 0; k < items; ++k) item[k] = exchange[padded<T>(lane * items + k)];
    __syncwarp();
  }

  /// Stores the warp's items at out[first, first + per_warp), below n.
  __device__ __forceinline__ void store(T* out, std::size_t first, std::size_t n) {
    const unsigned lane = threadIdx.x % warp_size;
    T* const exchange = warp_exchange();
#pragma unroll
    for (unsigned k = 0; k < items; ++k) exchange[padded<T>(lane * items + k)] = item[k];
    __syncwarp();
#pragma unroll
    for (unsigned k = 0; k < items; ++k) {
      const std::size_t i = first + k * warp_size + lane;
      if (i < n) out[i] = exchange[padded<T>(k * warp_size + lane)];
    }
    __syncwarp();
  }

  template <class Op>
  __device__ __forceinline__ T reduce(Op op) const {
    T sum = item[0];
#pragma unroll
    for (unsigned k = 1; k < items; ++k) sum = op(sum, item[k]);
    return sum;
  }

  /// Scans this thread's items, `prefix` before the first.
  template <class Op>
  __device__ __forceinline__ void scan(T prefix, bool exclusive, Op op) {
#pragma unroll
    for (unsigned k = 0; k < items; ++k) {
      const T next = op(prefix, item[k]);
      item[k] = exclusive ? prefix : next;
      prefix = next;
    }
  }

 private:
  static __device__ __forceinline__ T* warp_exchange() {
    return dynamic_shared<T>() + threadIdx.x / warp_size * padded<T>(per_warp);
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::scan_ladder
