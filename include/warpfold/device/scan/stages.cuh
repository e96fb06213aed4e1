// What the warps of a pipelined scan share: the stages that hold tiles in shared memory, and what
// is known of each tile until it is finished.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "warpfold/device/detail/tile_status.cuh"
#include "warpfold/device/scan/problem.cuh"
#include "warpfold/device/scan/tile_prefix.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

inline constexpr unsigned no_tile = ~0U;

template <class Shape>
struct scan_stages {
  static constexpr unsigned unfinished = Shape::lookback_distance + 1;  // tiles, at most

  alignas(16) unsigned char stage[Shape::stages][Shape::tile_bytes];
  copy_barrier loaded[Shape::stages];
  unsigned number[Shape::stages];  // of the tile in each stage
  std::uint32_t epoch;
  bool is_last;
};

template <class Shape, class Acc>
struct scan_storage : scan_stages<Shape> {
  using scan_stages<Shape>::unfinished;

  Acc thread_prefix[unfinished][Shape::threads];  // within the tile
  Acc tile_total[unfinished];
  Acc warp_total[Shape::threads / warp_size];
  Acc tile_prefix;  // of the tile that is being finished
};

/// Values of T in a tile.
template <class Shape, class T>
inline constexpr unsigned pipelined_tile_items = Shape::threads * (Shape::loads * 16 / sizeof(T));
/// Tiles of n values, counted from the 16-byte boundary on.
template <class Shape, class T>
__host__ __device__ constexpr unsigned pipelined_tiles(std::size_t n) {
  constexpr std::size_t tile = pipelined_tile_items<Shape, T>;
  return static_cast<unsigned>((n + tile - 1) / tile);
}

/// One tile of the values, of which each thread holds `items` neighbours.
template <class Shape, class T, class Acc, class Op>
struct scan_tile {
  static constexpr unsigned items = Shape::loads * 16 / sizeof(T);
  static constexpr unsigned tile_items = pipelined_tile_items<Shape, T>;
  static_assert(items > 0, "a thread holds one value at least");

  const scan_problem<T, Acc, Op>& problem;
  std::size_t base;  // of the tile, counted from the 16-byte boundary

  __device__ scan_tile(const scan_problem<T, Acc, Op>& p, unsigned number)
      : problem(p), base(std::size_t{number} * tile_items) {}

  /// All its values are there. Others lie at an edge, and bypass the stages.
  __device__ __forceinline__ bool whole() const {
    return base >= problem.shift && base + tile_items <= problem.shift + problem.n;
  }
  /// The tile's first value; only for whole tiles.
  __device__ __forceinline__ const T* in() const { return problem.in + (base - problem.shift); }
  __device__ __forceinline__ T* out() const { return problem.out + (base - problem.shift); }

  /// Values that are not there are left as they are.
  template <class V>
  __device__ __forceinline__ void load_edge(V (&value)[items], unsigned thread) const {
    for_each_there(thread,
                   [&](unsigned k, std::size_t i) { value[k] = static_cast<V>(problem.in[i]); });
  }
  __device__ __forceinline__ void store_edge(const Acc (&value)[items], unsigned thread) const {
    for_each_there(thread,
                   [&](unsigned k, std::size_t i) { problem.out[i] = static_cast<T>(value[k]); });
  }

 private:
  template <class F>
  __device__ __forceinline__ void for_each_there(unsigned thread, F f) const {
    const std::size_t first = base + thread * items;
#pragma unroll
    for (unsigned k = 0; k < items; ++k) {
      if (first + k >= problem.shift && first + k < problem.shift + problem.n) {
        f(k, first + k - problem.shift);
      }
    }
  }
};

/// What workers and producer of one block know. Tiles are counted as the block takes them: its i-th
/// tile is in stage i % stages.
template <class Shape, bool Bulk, class T, class Acc, class Op,
          class Storage = scan_storage<Shape, Acc>>
struct scan_block {
  using tile_type = scan_tile<Shape, T, Acc, Op>;
  using storage = Storage;
  using prefixes_type = tile_prefixes<Acc, Shape::totals_per_lane>;
  static constexpr unsigned distance = Shape::lookback_distance;
  static_assert(Shape::stages >= distance + 2, "a stage to load into while others wait");

  const scan_problem<T, Acc, Op>& problem;
  const tile_status& tile_state;
  storage& shared;
  unsigned tiles, blocks;

  __device__ __forceinline__ bool is_single_tile() const { return tiles == 1; }
  __device__ __forceinline__ unsigned number_of(unsigned i) const {
    return shared.number[i % Shape::stages];
  }
  __device__ __forceinline__ tile_type tile_of(unsigned i) const {
    return tile_type(problem, number_of(i));
  }
  __device__ __forceinline__ T* stage(unsigned i) const {
    return reinterpret_cast<T*>(shared.stage[i % Shape::stages]);
  }
  __device__ __forceinline__ copy_barrier& loaded(unsigned i) const {
    return shared.loaded[i % Shape::stages];
  }
  __device__ __forceinline__ prefixes_type prefixes() const { return {tile_state, shared.epoch}; }
};

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
