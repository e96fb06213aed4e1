// Reduces or scans segments of any length in one pass over memory. The values and the ends of the
// segments are merged into one sequence, an end behind the values before it, and cut into tiles of
// equal length. So an empty segment costs as much as a value, and no length is a bad one:
//
//   offsets  0 2 2 5          values  a b | | c d e |        | an end
//   merged   a b | | c d e |  tile 0: a b | |   tile 1: c d e |
//
// Blocks take tile after tile. While they work on one, their last warp searches where the next one
// begins:
//
//   load        values and ends to shared memory
//   -- barrier --
//   reduce      each thread its share of the merged sequence, in order
//   -- barrier --
//   look_back   what came before the tile in the segment that is open there;   last warp: search
//               not if none is
//   complete    the segments that began with an earlier thread
//   store       results, neighbours by neighbouring threads
//   -- barrier --
//
// Values meet in an order that depends on the offsets alone: the same bits from run to run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "warpfold/device/detail/launch_bounds.cuh"
#include "warpfold/device/detail/striped_tile.cuh"
#include "warpfold/device/segments/merged.cuh"
#include "warpfold/tuning/segments.hpp"
#include "warpfold/warp/scan.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// A tile, and which segments end in it.
struct segment_tile {
  dynamic_id id;
  bool begins_segment;
  std::size_t first_segment, last_segment;  // the one after the last
};

template <class Shape, class Problem>
struct segment_storage {
  using acc_type = typename Problem::acc_type;
  static constexpr unsigned width = tuning::striped_width<sizeof(typename Problem::value_type)>;
  static constexpr unsigned warps = Shape::threads / warp_size;

  alignas(16) acc_type slots[Shape::values + 2 * width];  // the values; behind them the results
  std::uint16_t ends[Shape::values + 1];  // values of the tile that are before each end
  segment_tile next[2];
  segment_partial<acc_type> warp_total[warps];
  tile_queue::storage queue;
  typename block_look_back<segment_partial<acc_type>, Shape::threads>::storage look_back;
};

/// A barrier of the threads that work.
template <class Shape>
__device__ __forceinline__ void wait_for_workers() {
  asm volatile("bar.sync 1, %0;" ::"n"(Shape::threads) : "memory");
}

template <class Shape, class Problem>
struct segment_block {
  using V = typename Problem::value_type;
  using Acc = typename Problem::acc_type;
  using op_type = segment_op<decltype(Problem::op)>;
  using partial = segment_partial<Acc>;
  using storage = segment_storage<Shape, Problem>;
  using look_back_type = block_look_back<partial, Shape::threads>;
  static constexpr unsigned items = Shape::items, width = storage::width;
  static constexpr bool scans = Problem::output != segment_output::reductions;
  static constexpr bool in_a_row = decltype(Problem::source)::is_in_a_row;

  const Problem& problem;
  const merged_segments<Problem>& all;
  const tile_queue& queue;
  storage& shared;

  // Of the tile: its length, what it consists of, and where its values are in shared memory.
  segment_tile tile;
  std::size_t first_value, first_place;  // in the range, where its values are neighbours there
  unsigned values, ends, lead;
  partial total;
  struct thread_share {
    unsigned value, end;  // where it begins
    partial before;
    Acc sum;     // of is_one_sum()
    bool ended;  // whether a segment ends in it
  };
  thread_share share;

  __device__ __forceinline__ segment_block(const Problem& p, const merged_segments<Problem>& m,
                                           const tile_queue& q, storage& s)
      : problem(p), all(m), queue(q), shared(s) {}

  __device__ __forceinline__ op_type op() const { return {problem.op}; }

  /// For the last warp: the tile after `current` in `shared.next[which]`.
  __device__ __forceinline__ void search(const segment_tile& current, unsigned which) const {
    const unsigned lane = threadIdx.x % warp_size;
    dynamic_id id{};
    if (lane == 0) id = queue.acquire(current.id.number);
    id = {shuffle(id.number, 0), shuffle(id.epoch, 0)};
    const std::size_t begin = std::size_t{id.number} * Shape::values, length = all.length();
    const std::size_t at = begin + (lane < warp_size / 2 ? 0 : Shape::values);
    const std::size_t found = id.number < queue.tiles
                                  ? all.ends_before(at < length ? at : length, current.last_segment)
                                  : 0;
    const std::size_t from = shuffle(found, 0), to = shuffle(found, warp_size - 1);
    if (lane != 0) return;
    const bool begins = from == 0 ? begin == 0 : all.end_of(from - 1) + from == begin;
    shared.next[which] = {id, begins, from, to};
  }
  /// Whether there is a tile.
  __device__ __forceinline__ bool take(unsigned which) {
    tile = shared.next[which];
    if (tile.id.number >= queue.tiles) return false;
    const std::size_t begin = std::size_t{tile.id.number} * Shape::values;
    const std::size_t left = all.length() - begin;
    const unsigned length = left < Shape::values ? static_cast<unsigned>(left) : Shape::values;
    const bool is_right =
        tile.first_segment <= tile.last_segment && tile.last_segment - tile.first_segment <= length;
    ends = is_right ? static_cast<unsigned>(tile.last_segment - tile.first_segment) : 0;
    first_value = begin - tile.first_segment;
    values = length - ends;
    if (first_value + values > all.values) values = 0;
    if (!is_right) refuse();
    if constexpr (in_a_row) {
      first_place = all.first + first_value;
    } else {
      first_place = is_of_one() ? first_value + problem.source.shift(tile.first_segment) : 0;
    }
    const auto address = reinterpret_cast<std::uintptr_t>(problem.in + first_place);
    lead = in_a_row || is_of_one() ? static_cast<unsigned>(address / sizeof(V) % width) : 0;
    return true;
  }
  /// Of wrong offsets nothing is made.
  __device__ __forceinline__ void skip() {
    values = ends = 0;
    if (threadIdx.x == 0) shared.ends[0] = no_end;
    __syncthreads();
  }
  /// False where offsets are wrong.
  __device__ __forceinline__ bool load() {
    bool right = true;
    const V* const aligned = problem.in + first_place - lead;
    if (is_one_sum()) {
      share.sum = problem.op.template identity<Acc>();
      load_values(aligned, [&](unsigned, const Acc& x) { share.sum = problem.op(share.sum, x); });
      return true;
    }
    if (in_a_row || is_of_one()) {
      load_values(aligned, [&](unsigned i, const Acc& x) { shared.slots[i] = x; });
    }
#pragma unroll 4
    for (unsigned j = threadIdx.x; j < ends; j += Shape::threads) {
      const std::size_t segment = tile.first_segment + j, at = all.end_of(segment);
      const std::size_t end = problem.source.offset(segment + 1);
      if (end < problem.source.offset(segment) || end > problem.n) {
        refuse();
        right = false;
      }
      shared.ends[j] = static_cast<std::uint16_t>(at - first_value);
    }
    if (threadIdx.x == 0) shared.ends[ends] = no_end;
    if constexpr (!in_a_row) {
      if (!is_of_one()) gather_values();
    }
    return right;
  }
  /// What this thread's share comes to, and the shares of the warp up to it.
  __device__ __forceinline__ void reduce() {
    Acc sum = problem.op.template identity<Acc>();
    if (is_one_sum()) {
      sum = share.sum;
      share.ended = false;
    } else {
      find_share();
      const unsigned end = walk([&](unsigned v) { sum = problem.op(sum, shared.slots[lead + v]); },
                                [&](unsigned e) {
                                  if constexpr (!scans) result(e) = sum;
                                  sum = problem.op.template identity<Acc>();
                                });
      share.ended = end != share.end;
    }
    const partial up_to = warp_inclusive_scan(partial{share.ended ? 1U : 0U, sum}, op());
    const unsigned lane = threadIdx.x % warp_size;
    if (lane == warp_size - 1) shared.warp_total[threadIdx.x / warp_size] = up_to;
    share.before = shuffle_up(up_to, 1);
    if (lane == 0) share.before = op().template identity<partial>();
  }
  /// Publishes what the tile comes to, and waits for what is before it.
  __device__ __forceinline__ void look_back() {
    const unsigned lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
    const partial none = op().template identity<partial>();
    const partial totals =
        scan_lanes<storage::warps>(lane < storage::warps ? shared.warp_total[lane] : none, op());
    total = shuffle(totals, storage::warps - 1);
    const partial warps_before = shuffle(totals, warp == 0 ? 0 : warp - 1);
    if (warp > 0) share.before = op()(warps_before, share.before);
    if (queue.is_single_tile()) return;
    if (threadIdx.x == 0) in_tiles().publish_total(tile.id.number, total);
    if (looks_back()) in_tiles().wait(tile.id.number, in_tiles().peek(tile.id.number), op());
  }
  /// This thread's results, by what is before it in the segment that is open.
  __device__ __forceinline__ void complete() {
    if (looks_back()) {
      share.before = op()(in_tiles().prefix(tile.id.number, total, op()), share.before);
    }
    if constexpr (scans) {
      constexpr bool inclusive = Problem::output == segment_output::inclusive;
      Acc sum = share.before.value;
      walk(
          [&](unsigned v) {
            Acc& slot = shared.slots[lead + v];
            const Acc next = problem.op(sum, slot);
            slot = inclusive ? next : problem.op(problem.init, sum);
            sum = next;
          },
          [&](unsigned) { sum = problem.op.template identity<Acc>(); });
    } else {
      if (share.ended) result(share.end) = problem.op(share.before.value, result(share.end));
    }
  }
  __device__ __forceinline__ void store() const {
    using Out = std::remove_pointer_t<decltype(problem.out)>;
    if constexpr (scans) {
      for (unsigned i = threadIdx.x; i < values; i += Shape::threads) {
        const std::size_t at = in_a_row || is_of_one() ? first_place + i : place_of(i);
        problem.out[at] = static_cast<Out>(shared.slots[lead + i]);
      }
    } else {
      Out* const to = problem.out + tile.first_segment;
      for (unsigned i = threadIdx.x; i < ends; i += Shape::threads) {
        to[i] = static_cast<Out>(problem.op(problem.init, result(i)));
      }
    }
  }

 private:
  static constexpr std::uint16_t no_end = 0xffff;

  __device__ __forceinline__ look_back_type in_tiles() const {
    return {queue.state, shared.look_back, tile.id.epoch, false};
  }
  /// Whether what is before the tile is of use, or to be published for a group of tiles.
  __device__ __forceinline__ bool looks_back() const {
    const bool ends_group = tile.id.number % Shape::threads == Shape::threads - 1;
    return !queue.is_single_tile() && (!tile.begins_segment || ends_group);
  }
  /// Whether all values are of one segment, which does not end in the tile.
  __device__ __forceinline__ bool is_of_one() const { return ends == 0 && values != 0; }
  /// Such values need not pass through shared memory.
  __device__ __forceinline__ bool is_one_sum() const {
    return !scans && is_commutative<decltype(Problem::op)> && ends == 0;
  }
  /// Where the v-th value is in the range.
  __device__ __forceinline__ std::size_t place_of(unsigned v) const {
    unsigned low = 0, high = ends;  // the first end behind it
    while (low < high) {
      const unsigned middle = (low + high) / 2;
      if (shared.ends[middle] <= v) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return first_value + v + problem.source.shift(tile.first_segment + low);
  }
  /// Values of segments that are no neighbours.
  __device__ __forceinline__ void gather_values() const {
    wait_for_workers<Shape>();  // for the ends
#pragma unroll 4
    for (unsigned v = threadIdx.x; v < values; v += Shape::threads) {
      const V* const from = problem.in + place_of(v);
      shared.slots[v] = problem.mapped(*from, from);
    }
  }
  /// Behind the values: as many slots as there are ends.
  __device__ __forceinline__ Acc& result(unsigned i) const {
    return shared.slots[lead + values + i];
  }
  __device__ __forceinline__ void refuse() const {
    if (problem.refused == nullptr) return;
    atomicAdd(reinterpret_cast<unsigned long long*>(problem.refused), 1ULL);
  }
  /// `aligned` is where a load of `width` values may begin, at `lead` values before the first.
  template <class Put>
  __device__ __forceinline__ void load_values(const V* aligned, Put put) const {
    using word = neighbours_word<width * sizeof(V)>;
    constexpr unsigned rounds = (Shape::values + 2 * width) / (Shape::threads * width) + 1;
    const unsigned end = lead + values;
    const auto inside = [&](unsigned i) { return i >= lead && i + width <= end; };
    const auto place = [](unsigned r) { return (r * Shape::threads + threadIdx.x) * width; };
    if constexpr (width > 1 && !std::is_void_v<word>) {
      constexpr unsigned at_once = 4;
#pragma unroll
      for (unsigned first = 0; first < rounds; first += at_once) {
        word loaded[at_once];
#pragma unroll
        for (unsigned r = 0; r < at_once; ++r) {
          const unsigned i = place(first + r);
          if (inside(i)) loaded[r] = *reinterpret_cast<const word*>(aligned + i);
        }
#pragma unroll
        for (unsigned r = 0; r < at_once; ++r) {
          const unsigned i = place(first + r);
          if (inside(i)) {
            V value[width];
            memcpy(static_cast<void*>(value), static_cast<const void*>(&loaded[r]), sizeof(word));
#pragma unroll
            for (unsigned k = 0; k < width; ++k)
              put(i + k, problem.mapped(value[k], aligned + i + k));
          } else {
            for (unsigned k = 0; k < width; ++k) {
              if (i + k >= lead && i + k < end) {
                put(i + k, problem.mapped(aligned[i + k], aligned + i + k));
              }
            }
          }
        }
      }
    } else {
      for (unsigned i = lead + threadIdx.x; i < end; i += Shape::threads) {
        put(i, problem.mapped(aligned[i], aligned + i));
      }
    }
  }
  /// Where this thread's share of the tile begins: a binary search among the ends.
  __device__ __forceinline__ void find_share() {
    const unsigned wanted = threadIdx.x * items;
    const unsigned at = wanted < values + ends ? wanted : values + ends;
    unsigned low = at > values ? at - values : 0, high = at < ends ? at : ends;
    while (low < high) {
      const unsigned middle = (low + high) / 2;
      if (shared.ends[middle] + middle >= at) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    share.end = low;
    share.value = at - low;
  }
  /// Calls on_value(v) and on_end(e) for this thread's share; returns the first end behind it.
  template <class OnValue, class OnEnd>
  __device__ __forceinline__ unsigned walk(OnValue on_value, OnEnd on_end) const {
    const auto walk_share = [&](auto is_there) {
      unsigned v = share.value, e = share.end, next_end = shared.ends[e];
#pragma unroll
      for (unsigned k = 0; k < items; ++k) {
        if (next_end <= v) {
          on_end(e);
          next_end = shared.ends[++e];
        } else if (is_there(v)) {
          on_value(v);
          ++v;
        }
      }
      return e;
    };
    if (values + ends == Shape::values) return walk_share([](unsigned) { return true; });
    return walk_share([&](unsigned v) { return v < values; });
  }
};

template <class Shape, class Problem>
__global__ void __launch_bounds__(Shape::threads + warp_size,
                                  blocks_with_registers(Shape::threads + warp_size,
                                                        Shape::blocks_per_multiprocessor))
    segment_kernel(Problem problem, tile_status state) {
  auto& shared = shared_storage<segment_storage<Shape, Problem>>();
  wait_for_primary();
  trigger_dependents();
  const merged_segments<Problem> all(problem);
  const std::size_t length = all.length();
  const tile_queue queue{
      state, shared.queue,
      length == 0 ? 1U : static_cast<unsigned>((length - 1) / Shape::values + 1)};
  segment_block<Shape, Problem> block(problem, all, queue, shared);
  const bool works = threadIdx.x < Shape::threads;
  if (!works) block.search({{~0U, 0}, true, 0, 0}, 0);
  __syncthreads();
  for (unsigned i = 0; block.take(i % 2); ++i) {
    const bool right = !works || block.load();
    if (__syncthreads_or(right ? 0 : 1) != 0) block.skip();
    if (works) block.reduce();
    __syncthreads();  // an id that is acquired before its block publishes makes other blocks wait
    if (works) {
      block.look_back();
      wait_for_workers<Shape>();
      block.complete();
      wait_for_workers<Shape>();
      block.store();
    } else {
      block.search(block.tile, (i + 1) % 2);
    }
    __syncthreads();
  }
  queue.leave(block.tile.id.epoch);
}

/// A slot of shared memory holds a value, converted, or a result.
template <class Acc>
using segment_shapes = tuning::segment_shapes<sizeof(Acc)>;

/// Status words for n values in segments with `offsets` offsets, in tiles of either size.
template <class Acc>
constexpr std::size_t segment_bytes(std::size_t n, std::size_t offsets) {
  using shape = typename segment_shapes<Acc>::small;
  using look_back = block_look_back<segment_partial<Acc>, shape::threads>;
  return tile_status::bytes<segment_partial<Acc>>(
      look_back::slots((n + offsets) / shape::values + 1));
}

inline constexpr char too_small_for_segments[] =
    "the workspace is smaller than segmented_workspace_bytes<Out>(n, offsets)";

template <class Problem>
status reduce_segments(const work_place& where, const Problem& problem) {
  using acc_type = typename Problem::acc_type;
  using shapes = segment_shapes<acc_type>;
  const device_properties device = current_device();
  if (problem.source.most() == 0) return {};
  const std::size_t offsets = problem.source.most() + 1, length = problem.n + offsets;
  const std::size_t bytes = segment_bytes<acc_type>(problem.n, offsets);
  const auto in_tiles = [&]<class Shape>(Shape) -> status {
    const std::size_t tiles = length <= Shape::values ? 1 : (length - 1) / Shape::values + 1;
    const scratch memory(where, {bytes, too_small_for_segments}, tiles == 1 ? 0 : bytes);
    if (!memory.state().ok()) return memory.state();
    const std::size_t most = std::size_t{device.multiprocessors} * Shape::blocks_per_multiprocessor;
    return try_launch({.grid = static_cast<unsigned>(tiles < most ? tiles : most),
                       .block = Shape::threads + warp_size,
                       .stream = where.stream,
                       .programmatic_launch = true},
                      segment_kernel<Shape, Problem>, problem,
                      tiles == 1 ? tile_status{} : memory.status_words());
  };
  using small = typename shapes::small;
  const bool few = length <= small::values * tuning::segment_small_tiles * device.multiprocessors;
  return few ? in_tiles(small{}) : in_tiles(typename shapes::large{});
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
