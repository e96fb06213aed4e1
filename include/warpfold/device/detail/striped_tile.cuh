// Tiles that a block takes one after another, in the order of the values: what a selection
// (select/kernel.cuh) and a reduction of runs (keys/kernel.cuh) have in common.
//
// A warp holds neighbours: in each of its rows, `width` of them a lane, which are one load.
//
//   warp 0: | row 0: | lane 0: width values | lane 1 | … | lane 31 | row 1 | … |   warp 1: | …
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "warpfold/device/detail/scratch.cuh"
#include "warpfold/device/detail/tile_status.cuh"
#include "warpfold/device/detail/value_count.cuh"
#include "warpfold/tuning/select.hpp"
#include "warpfold/warp/redux.cuh"
#include "warpfold/warp/scan.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// What is loaded at once, of so many bytes; void if that can't be.
template <std::size_t Bytes>
using neighbours_word = std::conditional_t<
    Bytes == 16, uint4,
    std::conditional_t<Bytes == 8, uint2,
                       std::conditional_t<Bytes == 4, std::uint32_t,
                                          std::conditional_t<Bytes == 2, std::uint16_t, void>>>>;

template <class Shape>
struct striped_tile {
  static constexpr unsigned items = Shape::items, width = Shape::width;
  static constexpr unsigned warp_values = warp_size * items;

  std::size_t base;  // of the tile
  unsigned size;     // values that are there

  __device__ __forceinline__ striped_tile(std::size_t n, std::size_t number)
      : base(number * Shape::values),
        size(n - base < Shape::values ? static_cast<unsigned>(n - base) : Shape::values) {}

  /// Where this thread's k-th value stands in the tile.
  static __device__ __forceinline__ unsigned place(unsigned k) {
    return threadIdx.x / warp_size * warp_values + k / width * (width * warp_size) +
           threadIdx.x % warp_size * width + k % width;
  }
  __device__ __forceinline__ bool there(unsigned k) const { return place(k) < size; }
  /// Calls f(k) for each of this thread's values that is there.
  template <class F>
  __device__ __forceinline__ void for_each(F f) const {
    if (size == Shape::values) {
#pragma unroll
      for (unsigned k = 0; k < items; ++k) f(k);
    } else {
#pragma unroll
      for (unsigned k = 0; k < items; ++k) {
        if (there(k)) f(k);
      }
    }
  }
  /// Values that are not there are left as they are.
  template <class T>
  __device__ __forceinline__ void load(T (&value)[items], const T* in) const {
    using word = neighbours_word<width * sizeof(T)>;
    if constexpr (width > 1 && !std::is_void_v<word>) {
      if (size == Shape::values && reinterpret_cast<std::uintptr_t>(in) % sizeof(word) == 0) {
#pragma unroll
        for (unsigned k = 0; k < items; k += width) {
          const word loaded = *reinterpret_cast<const word*>(in + base + place(k));
          memcpy(static_cast<void*>(value + k), static_cast<const void*>(&loaded), sizeof loaded);
        }
        return;
      }
    }
    for_each([&](unsigned k) { value[k] = in[base + place(k)]; });
  }
};

/// Of one bit a value of this thread's: for each row, how many are set before it in the warp, in
/// the order of the values.
template <class Shape>
__device__ __forceinline__ void count_before_rows(unsigned bits, unsigned (&before)[Shape::rows]) {
  constexpr unsigned row_bits = (1U << Shape::width) - 1;
  unsigned next = 0;
#pragma unroll
  for (unsigned r = 0; r < Shape::rows; r += 2) {  // two counts in a word
    const unsigned row = bits >> (r * Shape::width);
    unsigned counts = static_cast<unsigned>(__popc(row & row_bits));
    if (r + 1 < Shape::rows) {
      counts |= static_cast<unsigned>(__popc((row >> Shape::width) & row_bits)) << 16;
    }
    const unsigned up_to = warp_inclusive_scan(counts, plus{});
    const unsigned all = shuffle(up_to, warp_size - 1);
    before[r] = next + ((up_to - counts) & 0xffff);
    next += all & 0xffff;
    if (r + 1 < Shape::rows) {
      before[r + 1] = next + ((up_to - counts) >> 16);
      next += all >> 16;
    }
  }
}

/// The key before a warp's part of a tile, in lane 0, and the key after it, in the last lane.
template <class K>
struct neighbouring_key {
  K key;
  bool there;

  template <class Shape>
  __device__ __forceinline__ void load(const striped_tile<Shape>& tile, const K* keys,
                                       std::size_t n) {
    const unsigned lane = threadIdx.x % warp_size;
    const std::size_t first = tile.base + tile.place(0) - lane * Shape::width;
    const std::size_t after = first + tile.warp_values;
    there = lane == 0 ? first > 0 && first < n : lane == warp_size - 1 && after < n;
    if (there) key = keys[lane == 0 ? first - 1 : after];
  }
};

/// The tiles of a block. The id of the next one is acquired while one is worked on.
struct tile_queue {
  struct storage {
    dynamic_id next;
    bool is_last;
  };
  const tile_status& state;
  storage& shared;
  unsigned tiles;

  /// Where one tile is all there is, blocks publish nothing.
  __device__ __forceinline__ bool is_single_tile() const { return state.header == nullptr; }
  /// For one thread: the id of the tile after the block's current one, which is ~0 at first.
  __device__ __forceinline__ dynamic_id acquire(unsigned current) const {
    return is_single_tile() ? dynamic_id{current + 1, 0} : state.acquire_id();
  }
  /// For all threads, when the block has no more tiles.
  __device__ __forceinline__ void leave(std::uint32_t epoch) const {
    if (is_single_tile()) return;
    if (threadIdx.x == 0) shared.is_last = state.acquires_no_more();
    __syncthreads();
    state.leave(epoch, shared.is_last);
  }
};

/// warp_inclusive_scan of the first `Lanes` lanes, a power of two; other lanes get anything.
template <unsigned Lanes, class T, class Op>
__device__ __forceinline__ T scan_lanes(T value, Op op) {
  const unsigned lane = threadIdx.x % warp_size;
#pragma unroll
  for (unsigned offset = 1; offset < Lanes; offset *= 2) {
    const T left = shuffle_up(value, offset);
    if (lane >= offset) value = op(left, value);
  }
  return value;
}

/// Decoupled look-back by a whole block, along a fixed tree, and so with the same bits in every
/// run. Tiles belong to groups of as many as a block has threads. What is before a tile is the
/// prefix of its group, which the last tile of the group before publishes, and the totals of the
/// earlier tiles in the group, one a thread (compare scan/tile_prefix.cuh, where one warp looks
/// back).
template <class Partial, unsigned Threads>
struct block_look_back {
  static constexpr unsigned warps = Threads / warp_size;
  struct storage {
    Partial warp_sum[warps], group_prefix;
  };
  const tile_status& state;
  storage& shared;
  std::uint32_t epoch;
  bool orders_memory;  // a block's accesses before it publishes come before those of waiting blocks

  /// Published values: those of a group stand side by side, the next group's prefix behind them.
  static constexpr std::size_t slots(std::size_t tiles) {
    return (tiles + Threads - 1) / Threads * (Threads + 1);
  }
  __device__ __forceinline__ void publish_total(unsigned tile, const Partial& total) const {
    fence();
    state.publish(first_slot(tile) + tile % Threads, total, epoch);
  }
  /// The first look, long enough before `wait` that the loads have come by then.
  __device__ __forceinline__ tile_status::peeked<Partial> peek(unsigned tile) const {
    const bool looks =
        threadIdx.x < tile % Threads || (threadIdx.x == Threads - 1 && tile >= Threads);
    return looks ? state.peek<Partial>(slot_of(tile)) : tile_status::peeked<Partial>{};
  }
  /// For all threads; a barrier is due before `prefix`.
  template <class Op>
  __device__ __forceinline__ void wait(unsigned tile, const tile_status::peeked<Partial>& seen,
                                       Op op) const {
    const unsigned place = tile % Threads, warp = threadIdx.x / warp_size;
    if (threadIdx.x == Threads - 1) {  // no total is this thread's
      shared.group_prefix = op.template identity<Partial>();
      if (tile >= Threads) shared.group_prefix = state.wait_for(seen, slot_of(tile), epoch);
      fence();
    }
    if (warp * warp_size >= place) return;
    Partial sum = op.template identity<Partial>();
    if (threadIdx.x < place) {
      sum = state.wait_for(seen, slot_of(tile), epoch);
      fence();
    }
    sum = warp_reduce(sum, op, in_lane_order{});
    if (threadIdx.x % warp_size == 0) shared.warp_sum[warp] = sum;
  }
  /// What is before the tile, whose own total is `total`. Valid in every thread.
  template <class Op>
  __device__ __forceinline__ Partial prefix(unsigned tile, const Partial& total, Op op) const {
    const unsigned place = tile % Threads, lane = threadIdx.x % warp_size;
    Partial sum = op.template identity<Partial>();
    if (lane * warp_size < place) sum = shared.warp_sum[lane];
    sum = op(shared.group_prefix, shuffle(scan_lanes<warps>(sum, op), warps - 1));
    if (place == Threads - 1 && threadIdx.x == 0) {
      fence();
      state.publish(first_slot(tile) + Threads, op(sum, total), epoch);
    }
    return sum;
  }

 private:
  __device__ __forceinline__ void fence() const {
    if (orders_memory) __threadfence();
  }
  /// Where this thread looks: at a total, or, the last one, at the prefix of the group.
  static __device__ __forceinline__ std::size_t slot_of(unsigned tile) {
    return threadIdx.x == Threads - 1 ? first_slot(tile) - 1 : first_slot(tile) + threadIdx.x;
  }
  static __device__ __forceinline__ std::size_t first_slot(unsigned tile) {
    return std::size_t{tile / Threads} * (Threads + 1);
  }
};

/// Status words that n rows need in tiles of either size.
template <class Shape, class Partial>
constexpr std::size_t striped_bytes(std::size_t n) {
  const auto bytes = [n]<class S>(S) {
    return tile_status::bytes<Partial>(
        block_look_back<Partial, S::threads>::slots(n / S::values + 1));
  };
  const std::size_t large = bytes(Shape{}), small = bytes(tuning::small_tiles<Shape>{});
  return large > small ? large : small;
}

/// Launches kernel_of(shape)(problem, tile status) for n rows at most. What tiles publish is of
/// type Partial; Storage<Shape> is a block's shared memory; `too_small` is
/// said of a workspace that is.
template <class Shape, class Partial, template <class> class Storage, class Problem, class KernelOf>
status launch_striped(const work_place& where, std::size_t n, const char* too_small,
                      const Problem& problem, KernelOf kernel_of) {
  const device_properties device = current_device();
  const auto as = [&]<class S>(S) -> status {
    const std::size_t tiles = n == 0 ? 1 : (n - 1) / S::values + 1;
    const std::size_t slots = block_look_back<Partial, S::threads>::slots(tiles);
    const scratch memory(where, {striped_bytes<Shape, Partial>(n), too_small},
                         tiles == 1 ? 0 : tile_status::bytes<Partial>(slots));
    if (!memory.state().ok()) return memory.state();
    const std::size_t most = std::size_t{device.multiprocessors} * S::blocks_per_multiprocessor;
    return try_launch({.grid = static_cast<unsigned>(tiles < most ? tiles : most),
                       .block = S::threads,
                       .shared_bytes = sizeof(Storage<S>),
                       .stream = where.stream,
                       .programmatic_launch = true},
                      kernel_of(S{}), problem, tiles == 1 ? tile_status{} : memory.status_words());
  };
  using small_shape = tuning::small_tiles<Shape>;
  const std::size_t few =
      std::size_t{device.multiprocessors} * Shape::small_tiles * small_shape::values;
  const bool small = n <= few || sizeof(Storage<Shape>) > device.shared_bytes;
  return small ? as(small_shape{}) : as(Shape{});
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
