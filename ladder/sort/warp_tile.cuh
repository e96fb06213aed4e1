// How rungs 05–07 make the steps inside a warp: 128 items in registers, item 32k + lane in lane
// `lane`. Strides below 32 go by shuffles, where both lanes evaluate the comparator; 32 and 64 stay
// inside a thread. No memory, no barrier. All lanes of a warp must call. Not stable.
#pragma once

#include "ladder/sort/launching.cuh"
#include "warpfold/warp/reduce.cuh"

namespace warpfold::ladder::sort_ladder {
inline namespace WARPFOLD_MACHINE {

inline constexpr unsigned items_per_thread = 4;
inline constexpr unsigned items_per_warp = items_per_thread * warp_size;

template <class K, class V>
__device__ __forceinline__ item<K, V> shuffle_xor(item<K, V> x, unsigned lanes) {
  x.key = __shfl_xor_sync(all_lanes, x.key, static_cast<int>(lanes));
  if constexpr (!std::is_same_v<V, nothing>) {
    x.value = __shfl_xor_sync(all_lanes, x.value, static_cast<int>(lanes));
  }
  return x;
}

template <class K, class V, class Less>
struct warp_tile {
  item<K, V> own[items_per_thread];
  unsigned count;  // of the warp's items that are there
  Less less;

  /// The warp's items of a block's tile.
  __device__ __forceinline__ void load(const columns<K, V>& tile, unsigned tile_count) {
    count = 0;
    if (first() < tile_count) count = tile_count - first();
#pragma unroll
    for (unsigned k = 0; k < items_per_thread; ++k) {
      own[k] = {};
      if (index(k) < count) own[k] = tile.get(first() + index(k));
    }
  }
  __device__ __forceinline__ void store(const columns<K, V>& tile) const {
#pragma unroll
    for (unsigned k = 0; k < items_per_thread; ++k) {
      if (index(k) < count) tile.put(first() + index(k), own[k]);
    }
  }

  __device__ __forceinline__ void sort() {
    for (unsigned size = 2; size <= warp_size && size / 2 < count; size *= 2) {
      between_lanes<0>(size - 1);
      strides_between_lanes(size / 4);
    }
    if (count > warp_size) {
      between_lanes<1>(warp_size - 1);  // mirror images of 64
      strides_between_lanes(16);
    }
    if (count > 2 * warp_size) {
      between_lanes<3>(warp_size - 1);  // of 128
      inside_threads<1>();
      strides_between_lanes(16);
    }
  }
  /// Strides of 64 and below.
  __device__ __forceinline__ void merge() {
    inside_threads<2>();
    inside_threads<1>();
    strides_between_lanes(16);
  }

 private:
  static __device__ __forceinline__ unsigned lane() { return threadIdx.x % warp_size; }
  static __device__ __forceinline__ unsigned first() {
    return threadIdx.x / warp_size * items_per_warp;
  }
  static __device__ __forceinline__ unsigned index(unsigned k) { return k * warp_size + lane(); }

  __device__ __forceinline__ void strides_between_lanes(unsigned stride) {
    for (; stride > 0; stride /= 2) between_lanes<0>(stride);
  }

  /// Compares item k of this lane with item k ^ Items of lane ^ lanes.
  template <unsigned Items>
  __device__ __forceinline__ void between_lanes(unsigned lanes) {
    item<K, V> other[items_per_thread];
#pragma unroll
    for (unsigned k = 0; k < items_per_thread; ++k) other[k] = shuffle_xor(own[k ^ Items], lanes);
#pragma unroll
    for (unsigned k = 0; k < items_per_thread; ++k) {
      const unsigned partner = index(k ^ Items) ^ lanes;
      const bool lower = index(k) < partner;
      if ((lower ? partner : index(k)) >= count) continue;
      if (lower ? less(other[k].key, own[k].key) : less(own[k].key, other[k].key)) {
        own[k] = other[k];
      }
    }
  }

  template <unsigned Items>
  __device__ __forceinline__ void inside_threads() {
#pragma unroll
    for (unsigned k = 0; k < items_per_thread; ++k) {
      if ((k & Items) != 0 || index(k + Items) >= count) continue;
      if (less(own[k + Items].key, own[k].key)) {
        const item<K, V> upper = own[k];
        own[k] = own[k + Items];
        own[k + Items] = upper;
      }
    }
  }
};

/// How often the merges of runs to 2, 4, … 2^levels keys evaluate the comparator, for each key:
/// half a time a step, but once where both lanes of a shuffle do.
constexpr double work_of_merges(unsigned levels) {
  double work = 0;
  for (unsigned level = 1; level <= levels; ++level) {
    work += level <= 6 ? level : level == 7 ? 6.5 : 5 + (level - 5.0) / 2;
  }
  return work;
}

/// The block makes all steps with strides below `size`, the tile's, on a tile in shared memory:
/// those of 128 and more there, the others in registers.
template <class K, class V, class Less>
__device__ __forceinline__ void merge_tile(const columns<K, V>& tile, unsigned size, unsigned count,
                                           unsigned stride, Less less) {
  for (; stride >= items_per_warp; stride /= 2) {
    tile_step(tile, size, count, stride, stride, less);
  }
  warp_tile<K, V, Less> warp;
  warp.less = less;
  warp.load(tile, count);
  warp.merge();
  warp.store(tile);
  __syncthreads();
}

/// The block sorts a tile in shared memory.
template <class K, class V, class Less>
__device__ __forceinline__ void sort_tile(const columns<K, V>& tile, unsigned size, unsigned count,
                                          Less less) {
  warp_tile<K, V, Less> warp;
  warp.less = less;
  warp.load(tile, count);
  warp.sort();
  warp.store(tile);
  __syncthreads();
  for (unsigned run = 2 * items_per_warp; run / 2 < count; run *= 2) {
    tile_step(tile, size, count, run / 2, run - 1, less);
    merge_tile(tile, size, count, run / 4, less);
  }
}

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::sort_ladder
