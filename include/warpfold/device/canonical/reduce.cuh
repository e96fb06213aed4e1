// Reduction in the canonical order in one launch (tree.cuh). Blocks take tile after tile; a warp
// joins its part of one, the first warp joins the warps', and publishes the tile's value. The block
// of a group's last tile joins the group's values. The block of the last tile stores the result. A
// block waits only for tiles with smaller numbers; their blocks already run.
// Reads n values once; one barrier, one atomic and one published value a tile. In large tiles a
// warp has several parts, one after the other. After a thread joins a load, it issues the same load
// of the next part at once. Rows are trees of their own, whose tiles follow each other (rows.cuh).
// Few values are one wave of tiles: the block that started last joins all.
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
  /// Whether all parts of the warp are complete. Only complete parts are loaded ahead.
  __device__ __forceinline__ bool whole(const tile_type& tile) const {
    return r.wide && tile.rest >> r.step_bits == tile_type::warp_values;
  }
  __device__ __forceinline__ void load(const In* part) {
#pragma unroll
    for (unsigned k = 0; k < Shape::loads; ++k) word[k] = tile_type::load_at(part, k);
  }
  /// The part that is loaded, in lane 0; loads part `next`.
  __device__ __forceinline__ Acc reduce_whole(const tile_type& tile, const In* next) {
    Acc part[Shape::loads];
#pragma unroll
    for (unsigned k = 0; k < Shape::loads; ++k) {
      part[k] = join_whole(k);
      word[k] = tile_type::load_at(next, k);
    }
    return tile.template join<true>(part, op);
  }
  /// Loads none.
  __device__ __forceinline__ Acc reduce_whole(const tile_type& tile) const {
    Acc part[Shape::loads];
#pragma unroll
    for (unsigned k = 0; k < Shape::loads; ++k) part[k] = join_whole(k);
    return tile.template join<true>(part, op);
  }
  /// Reduces an incomplete part; valid in lane 0.
  __device__ __forceinline__ Acc reduce_edge(const tile_type& tile, const In* row) const {
    vector edge[Shape::loads] = {};
    tile.load_edge(edge, row);
    if constexpr (Shape::one_tile) {
      Acc part[Shape::loads];
#pragma unroll
      for (unsigned k = 0; k < Shape::loads; ++k) part[k] = join_edge(tile, k, edge[k]);
      return tile.template join<false>(part, op);
    } else {
      // One row at a time: all rows at once would need the registers of the next loads.
      node_counter<3, Acc> nodes;
      static_assert(Shape::loads <= 8);
#pragma unroll 1
      for (unsigned k = 0; k * tile_type::row < tile.size(); ++k) {
        const unsigned there = tile.size() - k * tile_type::row;
        nodes.add(join_lanes(join_edge(tile, k, edge[k]),
                             (there + tile_type::width - 1) / tile_type::width, op),
                  op);
      }
      return nodes.root(op);
    }
  }
  /// Reduces the warp's parts of a tile; valid in lane 0. The first part of a whole tile is already
  /// loaded. Loads the first part of `next` if `more` and `next` is whole.
  __device__ __forceinline__ Acc reduce(tile_type tile, const In* row, bool more,
                                        const tile_type& next, const In* next_row) {
    node_counter<Shape::most_step_bits, Acc> parts;
    const bool loads = more && whole(next);
    const In* then = next_row + next.begin;
    if (whole(tile)) {
      const In* at = row + tile.begin;
      if (!loads) then = at;
#pragma unroll 1
      for (unsigned left = 1U << r.step_bits; left > (Shape::one_tile ? 1 : 0); --left) {
        at = Shape::one_tile || left > 1 ? at + tile_type::warp_values : then;
        parts.add(reduce_whole(tile, at), op);
      }
      if constexpr (Shape::one_tile) parts.add(reduce_whole(tile), op);
    } else {
#pragma unroll 1
      do {
        parts.add(tile.rest == 0 ? r.init : reduce_edge(tile, row), op);
      } while (tile.advance());
      if (loads) load(then);
    }
    return parts.root(op);
  }

 private:
  __device__ __forceinline__ Acc join_whole(unsigned k) const {
    return tile_type::template join_load<Acc>(word[k], tile_type::width, op, r.map);
  }
  __device__ __forceinline__ Acc join_edge(const tile_type& tile, unsigned k,
                                           const vector& loaded) const {
    const unsigned at = tile.place(k), count = tile.size() < at ? 0 : tile.size() - at;
    return count == 0 ? r.init : tile_type::template join_load<Acc>(loaded, count, op, r.map);
  }
};

template <class Shape, class Acc>
struct tree_storage {
  dynamic_id first;
  unsigned next[2];
  bool is_last;
  Acc total[2][Shape::threads / warp_size];  // of each warp, of this tile and the one before
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
  if (threadIdx.x == 0) shared.first = alone ? dynamic_id{0, 0} : state.acquire_id(2);
  __syncthreads();
  unsigned number = shared.first.number, next = alone ? all : number + 1;
  using levels_type = tree_levels<Acc, Shape::partials_per_lane>;
  const levels_type levels{state, shared.first.epoch};
  const std::size_t slots = levels_type::slots(r.tiles);
  tree_block<Shape, In, Acc, Op, Map> block{r, {r.op}, {}};
  auto tile = block.tile_of(number < all ? number : 0);
  const In* row = r.in + block.row_of(number) * r.n;
  if (number < all && block.whole(tile)) block.load(row + tile.begin);
  for (unsigned i = 0; number < all; ++i) {
    unsigned after = all;
    if (threadIdx.x == 0 && next < all) after = state.acquire_id().number;
    const bool more = next < all;
    const auto then = block.tile_of(more ? next : number);
    const In* const row_then = r.in + block.row_of(more ? next : number) * r.n;
    const Acc part = block.reduce(tile, row, more, then, row_then);
    if (lane == 0) shared.total[i % 2][warp] = part;
    if (threadIdx.x == 0) shared.next[i % 2] = after;
    __syncthreads();
    if (warp == 0) {
      const unsigned there = tile.there;
      Acc value = join_lanes(shared.total[i % 2][lane < there ? lane : 0], there, block.op);
      const std::size_t of = block.row_of(number);
      const auto index = static_cast<unsigned>(number - of * r.tiles);
      const bool is_root = levels.publish(value, of * slots, index, r.tiles, block.op);
      if (is_root && lane == 0) r.out[of] = r.n == 0 ? r.init : block.op(r.init, value);
    }
    tile = then;
    row = row_then;
    number = next;
    next = shared.next[i % 2];
  }
  if (alone) return;
  if (threadIdx.x == 0) shared.is_last = state.acquires_no_more();
  __syncthreads();
  state.leave(levels.epoch, shared.is_last);
}

template <class Shape, class Acc>
struct tree_wave_storage {
  block_arrival arrival;
  Acc total[Shape::threads / warp_size], group_total[Shape::threads / warp_size];
};

/// A block for each tile, all of them at once. The block that started last joins the tiles: each of
/// its warps a group of them.
template <class Shape, class In, class Acc, class Op, class Map>
__global__ void __launch_bounds__(Shape::threads,
                                  blocks_with_registers(Shape::threads,
                                                        Shape::blocks_per_multiprocessor))
    canonical_wave_kernel(tree_reduction<In, Acc, Op, Map> r, tile_status state) {
  auto& shared = shared_storage<tree_wave_storage<Shape, Acc>>();
  const unsigned lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
  const bool alone = gridDim.x == 1;
  wait_for_primary();
  trigger_dependents();
  dynamic_id id{0, 0};
  if (!alone && threadIdx.x == 0) id = state.acquire_id();
  tree_block<Shape, In, Acc, Op, Map> block{r, {r.op}, {}};
  const auto tile = block.tile_of(blockIdx.x);
  if (block.whole(tile)) block.load(r.in + tile.begin);
  Acc part = block.reduce(tile, r.in, false, tile, r.in);
  if (lane == 0) shared.total[warp] = part;
  if (threadIdx.x == 0) shared.arrival = {id.epoch, id.number == gridDim.x - 1};
  __syncthreads();
  if (warp == 0) {
    part = join_lanes(shared.total[lane < tile.there ? lane : 0], tile.there, block.op);
    if (lane == 0 && !alone) state.publish(blockIdx.x, part, id.epoch);
    if (lane == 0 && alone) *r.out = r.n == 0 ? r.init : block.op(r.init, part);
  }
  if (alone) return;
  const auto [epoch, is_last] = shared.arrival;
  if (is_last) {
    using levels_type = tree_levels<Acc, Shape::partials_per_lane>;
    constexpr unsigned group = levels_type::group;
    const unsigned groups = (r.tiles - 1) / group + 1, first = warp * group;
    if (warp < groups) {
      const unsigned count = r.tiles - first < group ? r.tiles - first : group;
      part = levels_type{state, epoch}.join(first, count, r.init, block.op);
      if (lane == 0) shared.group_total[warp] = part;
    }
    __syncthreads();
    if (warp == 0) {
      part = join_lanes(shared.group_total[lane < groups ? lane : 0], groups, block.op);
      if (lane == 0) *r.out = block.op(r.init, part);
    }
  }
  state.leave(epoch, is_last);
}

/// Slots of published values, whatever the device.
template <class T, class Acc>
constexpr std::size_t canonical_slots(std::size_t n) {
  const auto of = [n]<class Shape>(Shape) {
    return tree_levels<Acc, 1>::slots(n / tree_tile<Shape, T>::values + 1);
  };
  // No device has more than 1,024 multiprocessors.
  const std::size_t few =
      tree_levels<Acc, 1>::slots(1024 * tuning::canonical_small::blocks_per_multiprocessor);
  const std::size_t many = of(tuning::canonical_large{}), heavy = of(tuning::canonical_heavy{});
  const bool fits = sizeof(T) <= 16 && sizeof(Acc) <= 16;
  return !fits ? heavy : few > many ? few : many;
}

/// Tiles that a wave takes: each warp of the last block joins a group of them.
template <class Shape, class Acc>
constexpr std::size_t most_wave_tiles =
    Shape::threads / warp_size * tree_levels<Acc, Shape::partials_per_lane>::group;

template <class Shape, class In, class Acc, class Op, class Map>
status canonical_reduce_as(const work_place& where, tree_reduction<In, Acc, Op, Map> r,
                           unsigned multiprocessors) {
  using tile = tree_tile<Shape, In>;
  const std::size_t most = std::size_t{multiprocessors} * Shape::blocks_per_multiprocessor;
  const std::size_t parts = r.n == 0 ? 1 : (r.n - 1) / tile::values + 1;
  const std::size_t wanted = most * (Shape::one_tile ? 1 : tuning::canonical_tiles_per_block);
  const auto tiles = [&] { return ((parts - 1) >> r.step_bits) + 1; };
  while (r.step_bits < Shape::most_step_bits && tiles() > 1 && r.rows * tiles() > wanted) {
    ++r.step_bits;
  }
  r.tiles = static_cast<unsigned>(tiles());
  const std::size_t all = r.rows * r.tiles;
  using levels = tree_levels<Acc, Shape::partials_per_lane>;
  const std::size_t slots = r.tiles == 1 ? 0 : r.rows * levels::slots(r.tiles);  // none for a root
  const std::size_t needed = r.rows > 1 ? slots : canonical_slots<In, Acc>(r.n);
  const scratch memory(where, {tile_status::bytes<Acc>(needed), small_canonical_workspace},
                       all == 1 ? 0 : tile_status::bytes<Acc>(slots));
  if (!memory.state().ok()) return memory.state();
  const std::size_t warps = at_least<std::size_t>((r.n - 1) / tile::warp_values + 1, 1);
  const launch_config config{
      .grid = static_cast<unsigned>(Shape::one_tile || all < most ? all : most),
      .block = r.n == 0              ? warp_size
               : warps < tile::warps ? static_cast<unsigned>(warps) * warp_size
                                     : Shape::threads,
      .stream = where.stream,
      .programmatic_launch = true};
  const tile_status state = all == 1 ? tile_status{} : memory.status_words();
  if constexpr (Shape::one_tile) {
    return try_launch(config, canonical_wave_kernel<Shape, In, Acc, Op, Map>, r, state);
  } else {
    return try_launch(config, canonical_reduce_kernel<Shape, In, Acc, Op, Map>, r, state,
                      static_cast<unsigned>(all));
  }
}

/// Whether rows of n values can be loaded 16 bytes at a time.
template <class In>
bool loads_whole(const In* in, std::size_t n, std::size_t rows) {
  constexpr std::size_t bytes = sizeof(vector_type<In>);
  return std::is_same_v<vector_type<In>, In> ||
         (reinterpret_cast<std::uintptr_t>(in) % bytes == 0 &&
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
    using small = tuning::canonical_small;
    const std::size_t few = at_most(std::size_t{multiprocessors} * small::blocks_per_multiprocessor,
                                    most_wave_tiles<small, Acc>) *
                            (tree_tile<small, In>::values << small::most_step_bits);
    using large = tuning::canonical_large;
    return r.n <= few ? canonical_reduce_as<small>(where, r, multiprocessors)
                      : canonical_reduce_as<large>(where, r, multiprocessors);
  }
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
