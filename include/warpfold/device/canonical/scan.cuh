// Scans in the canonical order in one pass over memory (tree.cuh). A result is what precedes the
// next value: init and the complete nodes in front of it, from left to right. So each node has a
// beginning, what precedes it, and its halves meet in the middle:
//
//   begin        middle = op(begin, left)        end = what precedes the next node
//   |   left     |      right                    |
//
// A block reduces its tile, publishes the total, looks back for the tile's beginning, and forms the
// middles from the tile down to single values. The totals of a group of tiles stand side by side;
// the last tile of a group publishes the group's total. Waits only for smaller tiles, whose blocks
// run. Reads and writes each value once; three barriers and one atomic a tile.
// No result uses a node behind the last value, so no node checks that its values exist.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "warpfold/device/canonical/prefixes.cuh"
#include "warpfold/device/detail/launch_bounds.cuh"
#include "warpfold/device/detail/scratch.cuh"
#include "warpfold/tuning/canonical.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

template <class T, class Acc, class Op>
struct tree_scan {
  const T* in;
  T* out;
  std::size_t n;
  tree_begin<Acc> init;
  bool exclusive;
  Op op;
  bool wide;
};

/// A warp's part of a tile in shared memory, on its way between loads of 16 bytes that lanes make
/// side by side, and the neighbours of one thread. No bank is hit twice at a time where a thread
/// has four loads.
template <class Shape, class T>
struct tree_exchange {
  using vector = vector_type<T>;
  static constexpr unsigned loads = Shape::loads;
  static constexpr bool is_needed = loads > 1;
  vector word[is_needed ? Shape::threads / warp_size : 1][is_needed ? warp_size * loads : 1];

  static __device__ __forceinline__ unsigned swizzled(unsigned at) {
    return loads < 4 ? at : at ^ (at / 8 % 4);
  }
  __device__ __forceinline__ vector& side_by_side(unsigned k) {
    return word[threadIdx.x / warp_size][swizzled(k * warp_size + threadIdx.x % warp_size)];
  }
  __device__ __forceinline__ vector& neighbour(unsigned k) {
    return word[threadIdx.x / warp_size][swizzled(threadIdx.x % warp_size * loads + k)];
  }
};

template <class Shape, class T, class Acc>
struct tree_scan_storage {
  static constexpr unsigned warps = Shape::threads / warp_size;
  dynamic_id mine;
  Acc total[warps], begin[warps + 1];
  tree_exchange<Shape, T> exchange;
};

/// A thread's neighbours. `Bare`: the scan has no init.
template <class Shape, bool Bare, class T, class Acc, class Op>
struct tree_scan_tile : tree_tile<Shape, T> {
  using base = tree_tile<Shape, T>;
  using base::loads, base::width;
  using vector = typename base::vector;
  static constexpr unsigned items = loads * width;

  const tree_scan<T, Acc, Op>& scan;
  tree_exchange<Shape, T>& exchange;
  rounded_op<Op> op;
  T raw[items];
  lane_nodes<warp_size, Acc> lanes;

  __device__ __forceinline__ tree_scan_tile(const tree_scan<T, Acc, Op>& s,
                                            tree_exchange<Shape, T>& shared, unsigned number)
      : base(s.n, number), scan(s), exchange(shared), op{s.op} {
    vector word[loads] = {};
    if (this->whole() && scan.wide) {
#pragma unroll
      for (unsigned k = 0; k < loads; ++k) word[k] = this->load(scan.in, k);
    } else {
      this->load_edge(word, scan.in);
    }
    if constexpr (tree_exchange<Shape, T>::is_needed) {
#pragma unroll
      for (unsigned k = 0; k < loads; ++k) exchange.side_by_side(k) = word[k];
      __syncwarp();
#pragma unroll
      for (unsigned k = 0; k < loads; ++k) word[k] = exchange.neighbour(k);
    }
    memcpy(static_cast<void*>(raw), static_cast<const void*>(word), sizeof raw);
  }
  /// The warp's part; in every lane.
  __device__ __forceinline__ Acc reduce() {
    neighbour_nodes<items, Acc> nodes;
    return lanes.reduce(reduce_mine(nodes), op);
  }
  __device__ __forceinline__ void finish(const tree_begin<Acc>& begin, const Acc& end) {
    neighbour_nodes<items, Acc> nodes;  // formed again, since they would fill the registers
    reduce_mine(nodes);
    const tree_begin<Acc> first = lanes.begin(begin, op);
    tree_begin<Acc> value[items];
    nodes.begins(value, first, op);
    Acc last = shuffle_down(first.value, 1);
    if (threadIdx.x % warp_size == warp_size - 1) last = end;
#pragma unroll
    for (unsigned j = 0; j < items; ++j) {
      const Acc next = j + 1 < items ? value[j + 1 < items ? j + 1 : 0].value : last;
      raw[j] = static_cast<T>(scan.exclusive ? value[j].value : next);
    }
    vector word[loads];
    memcpy(static_cast<void*>(word), static_cast<const void*>(raw), sizeof raw);
    if constexpr (tree_exchange<Shape, T>::is_needed) {
#pragma unroll
      for (unsigned k = 0; k < loads; ++k) exchange.neighbour(k) = word[k];
      __syncwarp();
#pragma unroll
      for (unsigned k = 0; k < loads; ++k) word[k] = exchange.side_by_side(k);
    }
#pragma unroll
    for (unsigned k = 0; k < loads; ++k) store(k, word[k]);
  }

 private:
  __device__ __forceinline__ Acc reduce_mine(neighbour_nodes<items, Acc>& nodes) const {
    Acc value[items];
#pragma unroll
    for (unsigned j = 0; j < items; ++j) value[j] = static_cast<Acc>(raw[j]);
    return nodes.reduce(value, op);
  }
  __device__ __forceinline__ void store(unsigned k, const vector& word) const {
    T* const to = scan.out + this->begin + this->place(k);
    if (this->whole() && scan.wide) {
      *reinterpret_cast<vector*>(to) = word;
      return;
    }
    T result[width];
    memcpy(static_cast<void*>(result), static_cast<const void*>(&word), sizeof result);
#pragma unroll
    for (unsigned j = 0; j < width; ++j) {
      if (this->place(k) + j < this->rest) to[j] = result[j];
    }
  }
};

template <class Shape, bool Bare, class T, class Acc, class Op>
__global__ void __launch_bounds__(Shape::threads,
                                  blocks_with_registers(Shape::threads,
                                                        Shape::blocks_per_multiprocessor))
    canonical_scan_kernel(tree_scan<T, Acc, Op> scan, tile_status state) {
  constexpr unsigned warps = Shape::threads / warp_size;
  auto& shared = shared_storage<tree_scan_storage<Shape, T, Acc>>();
  const unsigned lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
  const bool alone = gridDim.x == 1;
  wait_for_primary();
  trigger_dependents();
  if (threadIdx.x == 0) shared.mine = alone ? dynamic_id{0, 0} : state.acquire_id();
  __syncthreads();
  const unsigned number = shared.mine.number;
  tree_scan_tile<Shape, Bare, T, Acc, Op> tile(scan, shared.exchange, number);
  const Acc part = tile.reduce();
  if (lane == 0) shared.total[warp] = part;
  __syncthreads();
  if (warp == 0) {
    const tree_begin<Acc> init{scan.init.value, Bare};
    lane_nodes<warps, Acc> nodes;
    const Acc total = nodes.reduce(shared.total[lane % warps], tile.op);
    tree_span<Acc> span{init, init.after(total, tile.op).value};
    if (!alone) {
      const tree_prefixes<Acc, Shape::partials_per_lane> prefixes(state, shared.mine.epoch,
                                                                  gridDim.x);
      prefixes.publish(number, total);
      const auto followed = prefixes.follow(number, total, init, tile.op);
      span = prefixes.span(number, total, followed, init, tile.op);
    }
    if (lane < warps) shared.begin[lane] = nodes.begin(span.begin, tile.op).value;
    if (lane == 0) shared.begin[warps] = span.end;
  }
  __syncthreads();
  tile.finish({shared.begin[warp], Bare && number == 0 && warp == 0}, shared.begin[warp + 1]);
  if (!alone) state.leave(shared.mine.epoch, number == gridDim.x - 1);
}

template <class Shape, class T>
constexpr std::size_t canonical_scan_tiles(std::size_t n) {
  return n == 0 ? 1 : (n - 1) / tree_tile<Shape, T>::values + 1;
}

/// Published values of a scan of n values of T, whatever the device.
template <class T, class Acc>
constexpr std::size_t canonical_scan_slots(std::size_t n) {
  const auto of = [n]<class Shape>(Shape) {
    return tree_prefixes<Acc, 1>::slots(canonical_scan_tiles<Shape, T>(n));
  };
  return sizeof(Acc) > 8 || sizeof(T) > 8 ? of(tuning::canonical_scan_heavy{})
                                          : of(tuning::canonical_scan_small{});
}

template <class Shape, class T, class Acc, class Op>
status canonical_scan_as(const work_place& where, const tree_scan<T, Acc, Op>& scan) {
  const std::size_t tiles = canonical_scan_tiles<Shape, T>(scan.n);
  const scratch memory(
      where,
      {tile_status::bytes<Acc>(canonical_scan_slots<T, Acc>(scan.n)), small_canonical_workspace},
      tiles == 1
          ? 0
          : tile_status::bytes<Acc>(tree_prefixes<Acc, Shape::partials_per_lane>::slots(tiles)));
  if (!memory.state().ok()) return memory.state();
  const auto launch = [&](auto kernel) {
    return try_launch({.grid = static_cast<unsigned>(tiles),
                       .block = Shape::threads,
                       .stream = where.stream,
                       .programmatic_launch = true},
                      kernel, scan, tiles == 1 ? tile_status{} : memory.status_words());
  };
  return scan.init.absent ? launch(canonical_scan_kernel<Shape, true, T, Acc, Op>)
                          : launch(canonical_scan_kernel<Shape, false, T, Acc, Op>);
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
