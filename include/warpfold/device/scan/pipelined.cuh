// Prefix sums in one pass over memory. Blocks stay, and take tile after tile through a ring of
// stages in shared memory. The worker warps reduce and finish tiles; one more warp, the producer,
// acquires them, starts their copies and looks back for what lies before them. Reads and writes n
// values once; 8 bytes published for each 4 of a tile's total; two barriers a tile, three without
// the copy engine (before 9.0), where the workers load and store the tiles. Any associative
// operator; the same bits from run to run; in place allowed.
//
// A block's tiles 0, 1, 2, … with a look-back distance of 2:
//
//   step          0          1          2                  3                  4
//   workers       reduce 0   reduce 1   reduce 2, finish 0 reduce 3, finish 1 reduce 4, finish 2
//   producer      acquire 1  acquire 2  look back for 0    look back for 1    look back for 2
//                                       acquire 3          acquire 4          acquire 5
//   copy engine   load 1     load 2     load 3             load 4, store 0    load 5, store 1
//
//   in a step:  | reduce i, publish its warps' totals  | publish i, finish i - 2      | store i - 2
//               | acquire, look back for i - 2         | load the next tile           |
//               +------------- barrier ----------------+------------ barrier ---------+
//
// PERF NOTES. A tile's total is published as soon as it is known, `lookback_distance` steps before
// the tile itself is finished: meanwhile the blocks before it have published theirs, so the
// look-back seldom waits. What overlaps: the look-back, which takes two reads of global memory,
// with the reduction of the tile that came last; the loads of the next tiles and the store of a
// finished one, by the copy engine, with all of it. An id is acquired a step before its tile is
// fetched, since the atomic takes as long as a read.
#pragma once

#include <cstddef>
#include <cstring>

#include "warpfold/device/detail/launch_bounds.cuh"
#include "warpfold/device/detail/tile_status.cuh"
#include "warpfold/device/detail/value_count.cuh"
#include "warpfold/device/scan/problem.cuh"
#include "warpfold/device/scan/stages.cuh"
#include "warpfold/operators.hpp"
#include "warpfold/warp/scan.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// The worker warps: each thread has `items` neighbours of a tile.
template <class Shape, bool Bulk, class T, class Acc, class Op>
struct scan_worker : scan_block<Shape, Bulk, T, Acc, Op> {
  using base = scan_block<Shape, Bulk, T, Acc, Op>;
  using base::problem, base::shared, base::stage, base::tile_of;
  using typename base::storage, typename base::tile_type;
  using value_type = Acc;
  static constexpr unsigned items = tile_type::items;
  static constexpr unsigned warps = Shape::threads / warp_size;

  /// Each thread's prefix within its warp, for `publish`. Leaves the warps' totals in shared
  /// memory.
  __device__ __forceinline__ Acc reduce(unsigned i) const {
    if constexpr (Bulk) this->loaded(i).wait(i / Shape::stages % 2);
    Acc value[items];
    read(value, i, tile_of(i));
    Acc sum = value[0];
#pragma unroll
    for (unsigned k = 1; k < items; ++k) sum = problem.op(sum, value[k]);
    sum = warp_inclusive_scan(sum, problem.op);
    const unsigned lane = threadIdx.x % warp_size;
    if (lane == warp_size - 1) shared.warp_total[threadIdx.x / warp_size] = sum;
    const Acc left = shuffle_up(sum, 1);
    return lane == 0 ? problem.op.template identity<Acc>() : left;
  }

  /// Keeps each thread's prefix within the tile, and publishes the tile's total.
  __device__ __forceinline__ void publish(unsigned i, const Acc& lane_prefix) const {
    const unsigned lane = threadIdx.x % warp_size;
    const unsigned warp = threadIdx.x / warp_size;
    Acc total = lane < warps ? shared.warp_total[lane] : problem.op.template identity<Acc>();
    total = warp_inclusive_scan(total, problem.op);
    const Acc warp_prefix = shuffle(total, warp == 0 ? 0 : warp - 1);
    const Acc tile_total = shuffle(total, warps - 1);
    const unsigned slot = i % storage::unfinished;
    shared.thread_prefix[slot][threadIdx.x] =
        warp == 0 ? lane_prefix : problem.op(warp_prefix, lane_prefix);
    if (threadIdx.x == 0) {
      shared.tile_total[slot] = tile_total;
      if (this->tiles > 1) this->prefixes().publish_total(this->number_of(i), tile_total);
    }
  }

  /// Forms the results in the tile's stage, or writes them where the tile is at an edge.
  __device__ __forceinline__ void finish(unsigned i) const {
    const tile_type tile = tile_of(i);
    Acc value[items];
    read(value, i, tile);
    const unsigned slot = i % storage::unfinished;
    Acc sum = problem.op(shared.tile_prefix, shared.thread_prefix[slot][threadIdx.x]);
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

  /// Without the copy engine.
  __device__ __forceinline__ void load_tile(unsigned i) const {
    const tile_type tile = tile_of(i);
    if (!tile.whole()) return;
    for (unsigned k = threadIdx.x; k < tile_type::tile_items; k += Shape::threads) {
      stage(i)[k] = tile.in()[k];
    }
  }
  __device__ __forceinline__ void store_tile(unsigned i) const {
    const tile_type tile = tile_of(i);
    if (!tile.whole()) return;
    for (unsigned k = threadIdx.x; k < tile_type::tile_items; k += Shape::threads) {
      tile.out()[k] = stage(i)[k];
    }
  }

 private:
  /// 16 bytes at a time where T allows.
  static __device__ __forceinline__ void copy_values(T* to, const T* from) {
    constexpr unsigned step = 16 % sizeof(T) == 0 ? 16 / sizeof(T) : 1;
#pragma unroll
    for (unsigned k = 0; k < items; k += step) {
      memcpy(static_cast<void*>(to + k), static_cast<const void*>(from + k), step * sizeof(T));
    }
  }
  /// The thread's values, the identity in place of those that are not there.
  __device__ __forceinline__ void read(Acc (&value)[items], unsigned i,
                                       const tile_type& tile) const {
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
};

/// What the leader does, the first lane of the producer warp: it acquires, loads and stores tiles.
template <class Shape, bool Bulk, class T, class Acc, class Op, class... Storage>
struct scan_fetcher : scan_block<Shape, Bulk, T, Acc, Op, Storage...> {
  using base = scan_block<Shape, Bulk, T, Acc, Op, Storage...>;
  using base::problem, base::shared, base::stage, base::tile_of, base::tile_state, base::tiles;
  using typename base::tile_type;

  // Known to the leader.
  unsigned ahead;               // tiles between the one that is reduced and the one that is fetched
  bool more = true;             // there may be further tiles for this block
  bool is_last = false;         // no block acquires a tile after this one
  unsigned acquired = no_tile;  // to be fetched in this step

  /// Before the first step: acquires the first tiles, in a row, and fetches them. None may be
  /// finished before all of these are reduced: otherwise each block would wait for its neighbour,
  /// one after the other.
  __device__ __forceinline__ void start() {
    const dynamic_id first =
        this->is_single_tile() ? dynamic_id{0, 0} : tile_state.acquire_id(ahead);
    shared.epoch = first.epoch;
    for (unsigned k = 0; k < ahead && more; ++k) fetch(k, first.number + k);
    leave_if_done();
  }

  /// While the workers reduce tile i.
  __device__ __forceinline__ void acquire() {
    acquired = no_tile;
    if (more && !this->is_single_tile()) acquired = tile_state.acquire_id().number;
  }
  /// While the workers publish tile i and finish an earlier one.
  __device__ __forceinline__ void fetch_ahead(unsigned i) {
    if (!more) return;
    if constexpr (Bulk) wait_bulk_read<0>();  // this stage was stored from in the last step
    fetch(i + ahead, acquired);
    leave_if_done();
  }
  /// When the workers have finished tile i.
  __device__ __forceinline__ void store(unsigned i) const {
    if (tile_of(i).whole()) bulk_store(tile_of(i).out(), stage(i), Shape::tile_bytes);
  }

 private:
  /// Makes tile `number` the block's i-th and starts to load it.
  __device__ __forceinline__ void fetch(unsigned i, unsigned number) {
    more = number < tiles;
    shared.number[i % Shape::stages] = more ? number : no_tile;
    if constexpr (Bulk) {
      if (!more) return;
      const tile_type tile(problem, number);
      copy_barrier& loaded = this->loaded(i);
      if (tile.whole()) {
        loaded.expect(Shape::tile_bytes);
        loaded.copy(stage(i), tile.in(), Shape::tile_bytes);
      } else {
        loaded.skip();
      }
    }
  }
  __device__ __forceinline__ void leave_if_done() {
    if (!more && !this->is_single_tile()) {
      is_last = tile_state.acquires_no_more(this->blocks);
    }
  }
};

/// The producer warp. All its lanes look back.
template <class Shape, bool Bulk, class T, class Acc, class Op>
struct scan_producer : scan_fetcher<Shape, Bulk, T, Acc, Op> {
  using base = scan_fetcher<Shape, Bulk, T, Acc, Op>;
  using base::problem, base::shared;

  /// Tile i has been published.
  __device__ __forceinline__ void follow(unsigned) const {}
  /// While the workers reduce a tile: leaves the exclusive prefix of tile i, which is finished
  /// next.
  __device__ __forceinline__ void look_back(unsigned i, bool leads) const {
    const Acc& total = shared.tile_total[i % base::storage::unfinished];
    const Acc prefix = this->is_single_tile()
                           ? problem.init
                           : this->prefixes().exclusive_prefix(this->number_of(i), problem.init,
                                                               total, problem.op);
    if (leads) shared.tile_prefix = prefix;
  }
};

/// The steps of a block.
template <class Shape, bool Bulk, class Worker, class Producer, class Block>
__device__ __forceinline__ void scan_tiles(const Block& block) {
  constexpr unsigned distance = Shape::lookback_distance;
  auto& shared = block.shared;
  const Worker worker{block};
  Producer producer{{block, ::min(::max(block.tiles / block.blocks, 1U),
                                  ::min(Shape::stages - distance - 1, distance))}};
  const bool works = threadIdx.x < Shape::threads;
  const bool leads = threadIdx.x == Shape::threads;
  if (leads) {
    for (unsigned k = 0; Bulk && k < Shape::stages; ++k) shared.loaded[k].init();
  }
  wait_for_primary();
  trigger_dependents();
  if (leads) producer.start();
  __syncthreads();

  unsigned count = ~0U;  // of this block's tiles, once it is known
  for (unsigned i = 0;; ++i) {
    if (i < count && block.number_of(i) == no_tile) count = i;
    if (count != ~0U && i >= count + distance) break;
    const bool reduces = i < count, finishes = i >= distance;
    if constexpr (!Bulk) {
      if (works && reduces) worker.load_tile(i);
      __syncthreads();
    }
    typename Worker::value_type lane_prefix = block.problem.init;
    if (works) {
      if (reduces) lane_prefix = worker.reduce(i);
    } else {
      if (leads) producer.acquire();
      if (i > 0 && i - 1 < count) producer.follow(i - 1);
      if (finishes) producer.look_back(i - distance, leads);
    }
    __syncthreads();  // the warps' totals and the prefix of tile i - distance are known
    if (works) {
      if (reduces) worker.publish(i, lane_prefix);
      if (finishes) worker.finish(i - distance);
    } else if (leads) {
      producer.fetch_ahead(i);
    }
    __syncthreads();  // tile i - distance is ready, and the next tile has a number
    if (!finishes) continue;
    if constexpr (Bulk) {
      if (leads) producer.store(i - distance);
    } else if (works) {
      worker.store_tile(i - distance);
    }
  }
  if (leads) {
    if constexpr (Bulk) wait_bulk_read<0>();
    shared.is_last = producer.is_last;
  }
  __syncthreads();
  if (!block.is_single_tile()) {
    block.tile_state.leave(shared.epoch, shared.is_last, block.blocks);
  }
}

template <class Shape, bool Bulk, class T, class Acc, class Op>
__global__ void __launch_bounds__(Shape::threads + warp_size,
                                  blocks_with_registers(Shape::threads + warp_size,
                                                        Shape::blocks_per_multiprocessor))
    scan_pipelined_kernel(scan_problem<T, Acc, Op> problem, tile_status tile_state,
                          unsigned tiles) {
  auto& shared = *dynamic_shared<scan_storage<Shape, Acc>>();
  const scan_block<Shape, Bulk, T, Acc, Op> block{problem, tile_state, shared, tiles, gridDim.x};
  scan_tiles<Shape, Bulk, scan_worker<Shape, Bulk, T, Acc, Op>,
             scan_producer<Shape, Bulk, T, Acc, Op>>(block);
}

/// The same of `size` values; blocks beyond their tiles end at once.
template <class Shape, bool Bulk, class T, class Acc, class Op>
__global__ void __launch_bounds__(Shape::threads + warp_size,
                                  blocks_with_registers(Shape::threads + warp_size,
                                                        Shape::blocks_per_multiprocessor))
    scan_pipelined_sized_kernel(scan_problem<T, Acc, Op> problem, tile_status tile_state,
                                device_size size) {
  wait_for_primary();
  size.load(problem.n);
  const unsigned tiles = ::max(pipelined_tiles<Shape, T>(problem.shift + problem.n), 1U);
  if (blockIdx.x >= tiles) return;
  auto& shared = *dynamic_shared<scan_storage<Shape, Acc>>();
  const scan_block<Shape, Bulk, T, Acc, Op> block{problem, tile_state, shared, tiles,
                                                  ::min(tiles, gridDim.x)};
  scan_tiles<Shape, Bulk, scan_worker<Shape, Bulk, T, Acc, Op>,
             scan_producer<Shape, Bulk, T, Acc, Op>>(block);
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
