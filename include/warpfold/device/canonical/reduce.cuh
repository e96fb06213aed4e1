// Reduction in the canonical order in one launch (tree.cuh). Blocks take tile after tile; a warp
// joins its part of one, the first warp joins the warps', and publishes the tile's value. The block
// that has the last tile of a group joins the group's values, the one that has the last tile of all
// has the result. It waits only for tiles with smaller numbers, whose blocks run.
// Reads n values once; one barrier, one atomic and one published value a tile. In large tiles a
// warp has several parts, one after the other. A load of the next part is issued as soon as one of
// this part is joined. Rows are trees of their own, whose tiles follow each other (rows.cuh).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "warpfold/bounds.hpp"
#include "warpfold/device/canonical/tree.cuh"
#include "warpfold/device/detail/launch_bounds.cuh"
#include "warpfold/device/detail/scratch.cuh"
#include "warpfold/tuning/canonical.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

template <class In, class Acc, class Op, class Map>
struct tree_reduction {
  const In* in;
  std::size_t n;  // of each row
  Acc* out;
  Acc init;
  Op op;
  Map map;
  bool wide;           // loads of 16 bytes
  unsigned tiles = 1;  // of each row
  std::size_t rows = 1;
  unsigned step_bits = 0;  // a warp has 2^step_bits parts of a tile
};

template <class Shape, class Acc>
struct tree_storage {
  dynamic_id first;
  unsigned next[2];
  bool is_last;
  Acc total[2][Shape::threads / warp_size];  // of each warp, of this tile and the one before
};

template <class Shape, class In, class Acc, class Op, class Map>
struct tree_block {
  using tile_type = tree_tile<Shape, In>;
  using vector = typename tile_type::vector;

  const tree_reduction<In, Acc, Op, Map>& r;
  rounded_op<Op> op;
  vector word[Shape::loads];  // the thread's values of the part that is loaded

  __device__ __forceinline__ unsigned row_of(unsigned number) const {
    return r.rows == 1 ? 0 : number / r.tiles;
  }
  __device__ __forceinline__ tile_type tile_of(unsigned number) const {
    return tile_type(r.n, number - row_of(number) * r.tiles, r.step_bits);
  }
  __device__ __forceinline__ void load(const tile_type& tile, const In* row) {
    if (tile.whole() && r.wide) {
#pragma unroll
      for (unsigned k = 0; k < Shape::loads; ++k) word[k] = tile.load(row, k);
    } else {
      tile.load_edge(word, row);
    }
  }
  /// The part that is loaded, in lane 0; loads part `next` of `next_row` if there is `more`.
  __device__ __forceinline__ Acc reduce(const tile_type& tile, bool more, const tile_type& next,
                                        const In* next_row) {
    Acc part[Shape::loads];
    const bool fast = tile.whole() && more && next.whole() && r.wide;
#pragma unroll
    for (unsigned k = 0; k < Shape::loads; ++k) {
      const unsigned at = tile.place(k), count = tile.size() < at ? 0 : tile.size() - at;
      part[k] = r.init;
      if (tile.whole()) {
        part[k] = tile_type::template join_load<Acc>(word[k], tile_type::width, op, r.map);
      } else if (count > 0) {
        part[k] = tile_type::template join_load<Acc>(word[k], count, op, r.map);
      }
      if (fast) word[k] = next.load(next_row, k);
    }
    if (more && !fast) load(next, next_row);
    return tile.rest == 0 ? r.init : tile.join(part, op);
  }
  /// The warp's parts of a tile whose first is loaded, in lane 0. Leaves the first part of tile
  /// `next` loaded, if there is one.
  __device__ __forceinline__ Acc reduce(tile_type& tile, const In*& row, unsigned next,
                                        unsigned all) {
    node_counter<Shape::most_step_bits, Acc> parts;
    bool ends = true;
#pragma unroll 1
    do {
      tile_type then = tile;
      ends = Shape::one_tile || tile.ends();
      const bool more = !Shape::one_tile && (!ends || next < all);
      if (!ends) {
        then.advance();
      } else if (more) {
        then = tile_of(next);
        row = r.in + row_of(next) * r.n;
      }
      parts.add(reduce(tile, more, then, row), op);
      tile = then;
    } while (!ends);
    return parts.root(op);
  }
};

template <class Shape, class In, class Acc, class Op, class Map>
__global__ void __launch_bounds__(Shape::threads,
                                  blocks_with_registers(Shape::threads,
                                                        Shape::blocks_per_multiprocessor))
    canonical_reduce_kernel(tree_reduction<In, Acc, Op, Map> r, tile_status state, unsigned all) {
  auto& shared = shared_storage<tree_storage<Shape, Acc>>();
  const unsigned lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
  const bool alone = all == 1;
  wait_for_primary();
  trigger_dependents();
  if (threadIdx.x == 0) {
    shared.first = alone ? dynamic_id{0, 0} : state.acquire_id(Shape::one_tile ? 1 : 2);
  }
  __syncthreads();
  unsigned number = shared.first.number, next = Shape::one_tile || alone ? all : number + 1;
  using levels_type = tree_levels<Acc, Shape::partials_per_lane>;
  const levels_type levels{state, shared.first.epoch};
  const std::size_t slots = levels_type::slots(r.tiles);
  tree_block<Shape, In, Acc, Op, Map> block{r, {r.op}, {}};
  auto tile = block.tile_of(number < all ? number : 0);
  const In* row = r.in + block.row_of(number) * r.n;
  if (number < all) block.load(tile, row);
  for (unsigned i = 0; number < all; ++i) {
    unsigned after = all;
    if (!Shape::one_tile && threadIdx.x == 0 && next < all) after = state.acquire_id().number;
    const unsigned there = tile.there;
    const Acc part = block.reduce(tile, row, next, all);
    if (lane == 0) shared.total[i % 2][warp] = part;
    if (threadIdx.x == 0) shared.next[i % 2] = after;
    __syncthreads();
    if (warp == 0) {
      Acc value = join_lanes(shared.total[i % 2][lane < there ? lane : 0], there, block.op);
      const std::size_t of = block.row_of(number);
      const auto index = static_cast<unsigned>(number - of * r.tiles);
      const bool is_root = levels.publish(value, of * slots, index, r.tiles, block.op);
      if (is_root && lane == 0) r.out[of] = r.n == 0 ? r.init : block.op(r.init, value);
    }
    number = next;
    next = shared.next[i % 2];
  }
  if (alone) return;
  if (threadIdx.x == 0) shared.is_last = state.acquires_no_more();
  __syncthreads();
  state.leave(levels.epoch, shared.is_last);
}

/// Slots of published values, whatever the device.
template <class T, class Acc>
constexpr std::size_t canonical_slots(std::size_t n) {
  const auto of = [n]<class Shape>(Shape) {
    return tree_levels<Acc, 1>::slots(n / tree_tile<Shape, T>::values + 1);
  };
  // No device has more than 1,024 multiprocessors.
  const std::size_t few = tree_levels<Acc, 1>::slots(1024 * tuning::canonical_small_tiles);
  const std::size_t many = of(tuning::canonical_large<sizeof(Acc)>{}),
                    heavy = of(tuning::canonical_heavy{});
  const bool fits = sizeof(T) <= 16 && sizeof(Acc) <= 16;
  return !fits ? heavy : few > many ? few : many;
}

template <class Shape, class In, class Acc, class Op, class Map>
status canonical_reduce_as(const work_place& where, tree_reduction<In, Acc, Op, Map> r,
                           unsigned multiprocessors) {
  using tile = tree_tile<Shape, In>;
  const std::size_t most = std::size_t{multiprocessors} * Shape::blocks_per_multiprocessor;
  const std::size_t parts = r.n == 0 ? 1 : (r.n - 1) / tile::values + 1;
  if constexpr (!Shape::one_tile) {
    while (r.step_bits < Shape::most_step_bits &&
           parts >> r.step_bits >= most * tuning::canonical_tiles_per_block) {
      ++r.step_bits;
    }
  }
  r.tiles = static_cast<unsigned>(((parts - 1) >> r.step_bits) + 1);
  const std::size_t all = r.rows * r.tiles;
  const std::size_t slots = r.rows * tree_levels<Acc, Shape::partials_per_lane>::slots(r.tiles);
  const std::size_t needed = r.rows > 1 ? slots : canonical_slots<In, Acc>(r.n);
  const scratch memory(where, {tile_status::bytes<Acc>(needed), small_canonical_workspace},
                       all == 1 ? 0 : tile_status::bytes<Acc>(slots));
  if (!memory.state().ok()) return memory.state();
  const std::size_t warps = at_least<std::size_t>((r.n - 1) / tile::warp_values + 1, 1);
  return try_launch({.grid = static_cast<unsigned>(Shape::one_tile || all < most ? all : most),
                     .block = r.n == 0              ? warp_size
                              : warps < tile::warps ? static_cast<unsigned>(warps) * warp_size
                                                    : Shape::threads,
                     .stream = where.stream,
                     .programmatic_launch = true},
                    canonical_reduce_kernel<Shape, In, Acc, Op, Map>, r,
                    all == 1 ? tile_status{} : memory.status_words(), static_cast<unsigned>(all));
}

/// Whether rows of n values can be loaded 16 bytes at a time.
template <class In>
bool loads_whole(const In* in, std::size_t n, std::size_t rows) {
  constexpr std::size_t bytes = sizeof(vector_type<In>);
  return items_per_vector<In> == 1 || (reinterpret_cast<std::uintptr_t>(in) % bytes == 0 &&
                                       (rows == 1 || n * sizeof(In) % bytes == 0));
}

/// Leaves op(init, the root of map(values)) in `*out`.
template <class In, class Acc, class Op, class Map>
status canonical_reduce(const work_place& where, std::span<const In> in, Acc* out, const Acc& init,
                        Op op, Map map) {
  const bool wide = loads_whole(in.data(), in.size(), 1);
  const tree_reduction<In, Acc, Op, Map> r{in.data(), in.size(), out, init, op, map, wide};
  const unsigned multiprocessors = current_device().multiprocessors;
  if constexpr (sizeof(In) > 16 || sizeof(Acc) > 16) {
    return canonical_reduce_as<tuning::canonical_heavy>(where, r, multiprocessors);
  } else {
    const std::size_t few = std::size_t{multiprocessors} * tuning::canonical_small_tiles *
                            tree_tile<tuning::canonical_small, In>::values;
    using large = tuning::canonical_large<sizeof(Acc)>;
    return r.n <= few ? canonical_reduce_as<tuning::canonical_small>(where, r, multiprocessors)
                      : canonical_reduce_as<large>(where, r, multiprocessors);
  }
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
