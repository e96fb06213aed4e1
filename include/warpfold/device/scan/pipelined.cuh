// Prefix sums in one pass over memory: blocks stay and take tile after tile; the copy engine (9.0)
// brings tiles into a ring in shared memory and takes results away, or else the threads do.
// A tile is folded as soon as it is in, so that others learn its total early, and finished
// `lookback_distance` tiles later, when what lies before it has long been published. Reads and
// writes n values once, 8 bytes published for each 4 of a tile's total; two barriers a tile. Any
// associative operator; the same bits from run to run; in place allowed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpfold/device/detail/tile_status.cuh"
#include "warpfold/device/scan/problem.cuh"
#include "warpfold/device/scan/tile_prefix.cuh"
#include "warpfold/operators.hpp"
#include "warpfold/warp/scan.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

inline constexpr unsigned no_tile = ~0U;

template <class Shape, class Acc>
struct scan_storage {
  static constexpr unsigned kept =
      Shape::lookback_distance + 1;  // tiles folded and not yet finished

  alignas(16) unsigned char tile[Shape::stages][Shape::tile_bytes];
  copy_barrier loaded[Shape::stages];
  unsigned number[Shape::stages];  // of the tile in each stage
  std::uint32_t epoch;
  Acc thread_before[kept][Shape::threads];  // within the tile
  Acc total[kept];
  Acc warp_total[Shape::threads / warp_size];
  Acc tile_before;  // of the tile being finished
  bool is_last;
};

/// Values of T in a tile.
template <class Shape, class T>
inline constexpr unsigned pipelined_tile_items = Shape::threads * (Shape::loads * 16 / sizeof(T));

/// The values of one tile that one thread holds.
template <class Shape, class T, class Acc, class Op>
struct scan_tile {
  static constexpr unsigned items = Shape::loads * 16 / sizeof(T);
  static constexpr unsigned tile_items = pipelined_tile_items<Shape, T>;
  static_assert(items > 0, "a thread holds one value at least");

  const scan_problem<T, Acc, Op>& problem;
  std::size_t base;  // of the tile, counted from the 16-byte boundary

  __device__ scan_tile(const scan_problem<T, Acc, Op>& j, unsigned number)
      : problem(j), base(std::size_t{number} * tile_items) {}

  __device__ __forceinline__ bool whole() const {
    return base >= problem.shift && base + tile_items <= problem.shift + problem.n;
  }
  /// The tile's first value; only for whole tiles.
  __device__ __forceinline__ const T* in() const { return problem.in + (base - problem.shift); }
  __device__ __forceinline__ T* out() const { return problem.out + (base - problem.shift); }

  /// Values of a tile at the edge, the identity in place of those that are not there.
  __device__ __forceinline__ void load_edge(Acc (&value)[items], unsigned thread) const {
    for_each_there(thread,
                   [&](unsigned k, std::size_t i) { value[k] = static_cast<Acc>(problem.in[i]); });
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
      if (first + k >= problem.shift && first + k < problem.shift + problem.n)
        f(k, first + k - problem.shift);
    }
  }
};

template <class Shape, bool Bulk, class T, class Acc, class Op>
struct scanner {
  using tile_type = scan_tile<Shape, T, Acc, Op>;
  using storage = scan_storage<Shape, Acc>;
  static constexpr unsigned items = tile_type::items;
  static constexpr unsigned workers = Shape::threads;
  static constexpr unsigned warps = Shape::threads / warp_size;
  static_assert(Shape::stages >= Shape::lookback_distance + 2,
                "a stage to come in while others wait");

  const scan_problem<T, Acc, Op>& problem;
  const tile_status& tile_state;
  storage& shared;
  unsigned tiles;

  __device__ __forceinline__ T* stage(unsigned i) const {
    return reinterpret_cast<T*>(shared.tile[i % Shape::stages]);
  }
  /// 16 bytes at a time where T allows.
  static __device__ __forceinline__ void copy_values(T* to, const T* from) {
    constexpr unsigned step = 16 % sizeof(T) == 0 ? 16 / sizeof(T) : 1;
#pragma unroll
    for (unsigned k = 0; k < items; k += step) {
      memcpy(static_cast<void*>(to + k), static_cast<const void*>(from + k), step * sizeof(T));
    }
  }

  __device__ __forceinline__ void read(Acc (&value)[items], unsigned i, const tile_type& tile) {
    if (tile.whole()) {
      T raw[items];
      copy_values(raw, stage(i) + threadIdx.x * items);
#pragma unroll
      for (unsigned k = 0; k < items; ++k) value[k] = static_cast<Acc>(raw[k]);
    } else {
#pragma unroll
      for (unsigned k = 0; k < items; ++k) value[k] = problem.op.template identity<Acc>();
      tile.load_edge(value, threadIdx.x);
    }
  }

  /// Leaves each thread's prefix within its warp in thread_before, the warps' totals in warp_total.
  __device__ __forceinline__ Acc fold(unsigned i, const tile_type& tile) {
    if constexpr (Bulk) shared.loaded[i % Shape::stages].wait(i / Shape::stages % 2);
    Acc value[items];
    read(value, i, tile);
    Acc sum = value[0];
#pragma unroll
    for (unsigned k = 1; k < items; ++k) sum = problem.op(sum, value[k]);
    sum = warp_inclusive_scan(sum, problem.op);
    const unsigned lane = threadIdx.x % warp_size;
    if (lane == warp_size - 1) shared.warp_total[threadIdx.x / warp_size] = sum;
    const Acc left = shuffle_up(sum, 1);
    return lane == 0 ? problem.op.template identity<Acc>() : left;
  }

  /// `lane_before` is what `fold` returned.
  __device__ __forceinline__ void publish(unsigned i, unsigned number, const Acc& lane_before) {
    const unsigned lane = threadIdx.x % warp_size;
    const unsigned warp = threadIdx.x / warp_size;
    Acc total = lane < warps ? shared.warp_total[lane] : problem.op.template identity<Acc>();
    total = warp_inclusive_scan(total, problem.op);
    const Acc warps_before = shuffle(total, warp == 0 ? 0 : warp - 1);
    const Acc all = shuffle(total, warps - 1);
    const unsigned slot = i % storage::kept;
    shared.thread_before[slot][threadIdx.x] =
        warp == 0 ? lane_before : problem.op(warps_before, lane_before);
    if (threadIdx.x == 0) {
      shared.total[slot] = all;
      if (tiles > 1) prefixes().publish_total(number, all);
    }
  }

  __device__ __forceinline__ void finish(unsigned i, const tile_type& tile) {
    Acc value[items];
    read(value, i, tile);
    Acc sum = problem.op(shared.tile_before, shared.thread_before[i % storage::kept][threadIdx.x]);
#pragma unroll
    for (unsigned k = 0; k < items; ++k) {
      const Acc next = problem.op(sum, value[k]);
      value[k] = problem.exclusive ? sum : next;
      sum = next;
    }
    if (!tile.whole()) {
      tile.store_edge(value, threadIdx.x);
      return;
    }
    T raw[items];
#pragma unroll
    for (unsigned k = 0; k < items; ++k) raw[k] = static_cast<T>(value[k]);
    copy_values(stage(i) + threadIdx.x * items, raw);
    if constexpr (Bulk) fence_before_bulk_store();
  }

  /// Starts to bring tile `number` in as the block's i-th; for one thread.
  __device__ __forceinline__ void fetch(unsigned i, unsigned number) {
    shared.number[i % Shape::stages] = number < tiles ? number : no_tile;
    if constexpr (Bulk) {
      if (number >= tiles) return;
      const tile_type tile(problem, number);
      copy_barrier& loaded = shared.loaded[i % Shape::stages];
      if (tile.whole()) {
        loaded.expect(Shape::tile_bytes);
        loaded.copy(stage(i), tile.in(), Shape::tile_bytes);
      } else {
        loaded.skip();
      }
    }
  }

  /// Without the copy engine: all workers bring the i-th tile in, or take it away.
  __device__ __forceinline__ void load_tile(unsigned i, const tile_type& tile) {
    if (!tile.whole()) return;
    for (unsigned k = threadIdx.x; k < tile_type::tile_items; k += workers) {
      stage(i)[k] = tile.in()[k];
    }
  }
  __device__ __forceinline__ void store_tile(unsigned i, const tile_type& tile) {
    if (!tile.whole()) return;
    for (unsigned k = threadIdx.x; k < tile_type::tile_items; k += workers) {
      tile.out()[k] = stage(i)[k];
    }
  }

  using prefixes_type = tile_prefixes<Acc, Shape::totals_per_lane>;
  __device__ __forceinline__ prefixes_type prefixes() const { return {tile_state, shared.epoch}; }
};

template <class Shape, bool Bulk, class T, class Acc, class Op>
__global__ void __launch_bounds__(Shape::threads + warp_size, Shape::blocks_per_multiprocessor)
    scan_pipelined_kernel(scan_problem<T, Acc, Op> problem, tile_status tile_state,
                          unsigned tiles) {
  using scanner_type = scanner<Shape, Bulk, T, Acc, Op>;
  constexpr unsigned lookback_distance = Shape::lookback_distance, stages = Shape::stages;
  auto& shared = *dynamic_shared<scan_storage<Shape, Acc>>();
  scanner_type s{problem, tile_state, shared, tiles};
  const auto number_of = [&](unsigned i) { return shared.number[i % stages]; };
  const auto tile_of = [&](unsigned i) {
    return scan_tile<Shape, T, Acc, Op>(problem, number_of(i));
  };
  const bool alone = tiles == 1;
  const bool works = threadIdx.x < Shape::threads;
  const bool fetches = threadIdx.x == Shape::threads;  // lane 0 of the last warp
  // The first tiles come in a row, and none may be finished before all of these are folded:
  // otherwise each block would wait for its neighbour, one after the other.
  const unsigned ahead =
      ::min(::max(tiles / gridDim.x, 1U), ::min(stages - lookback_distance - 1, lookback_distance));
  bool more = true, last = false;  // known to the thread that fetches
  if (fetches) {
    for (unsigned k = 0; Bulk && k < stages; ++k) shared.loaded[k].init();
    wait_for_primary();
    trigger_dependents();
    const dynamic_id first = alone ? dynamic_id{0, 0} : tile_state.acquire_id(ahead);
    shared.epoch = first.epoch;
    for (unsigned k = 0; k < ahead && more; ++k) {
      s.fetch(k, first.number + k);
      more = first.number + k < tiles;
    }
    if (!more && !alone) last = tile_state.acquires_no_more();
  }
  if (!fetches) {
    wait_for_primary();
    trigger_dependents();
  }
  __syncthreads();
  unsigned count = ~0U;  // of this block's tiles, once it is known
  for (unsigned i = 0;; ++i) {
    if (i < count && number_of(i) == no_tile) count = i;
    if (count != ~0U && i >= count + lookback_distance) break;
    const bool folds = i < count, finishes = i >= lookback_distance;
    if constexpr (!Bulk) {
      if (works && folds) s.load_tile(i, tile_of(i));
      __syncthreads();
    }
    unsigned next = no_tile;
    Acc lane_before = problem.init;
    if (works) {
      if (folds) lane_before = s.fold(i, tile_of(i));
    } else {
      if (fetches && more && !alone) next = tile_state.acquire_id().number;
      if (finishes) {
        const Acc& total = shared.total[(i - lookback_distance) % (lookback_distance + 1)];
        const Acc before = alone ? problem.init
                                 : s.prefixes().exclusive_prefix(number_of(i - lookback_distance),
                                                                 problem.init, total, problem.op);
        if (fetches) shared.tile_before = before;
      }
    }
    __syncthreads();
    if (works) {
      if (folds) s.publish(i, number_of(i), lane_before);
      if (finishes) s.finish(i - lookback_distance, tile_of(i - lookback_distance));
    } else if (fetches && more) {
      if constexpr (Bulk) wait_bulk_read<0>();  // this stage was stored from in the last turn
      s.fetch(i + ahead, next);
      more = next < tiles;
      if (!more && !alone) last = tile_state.acquires_no_more();
    }
    __syncthreads();
    if (!finishes) continue;
    if constexpr (Bulk) {
      if (fetches && tile_of(i - lookback_distance).whole()) {
        bulk_store(tile_of(i - lookback_distance).out(), s.stage(i - lookback_distance),
                   Shape::tile_bytes);
      }
    } else if (works) {
      s.store_tile(i - lookback_distance, tile_of(i - lookback_distance));
    }
  }
  if (fetches) {
    if constexpr (Bulk) wait_bulk_read<0>();
    shared.is_last = last;
  }
  __syncthreads();
  if (!alone) tile_state.leave(shared.epoch, shared.is_last);
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
