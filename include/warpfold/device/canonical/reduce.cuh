// Reduction in the canonical order in one launch (tree.cuh). Blocks take tile after tile; a warp
// joins its part of one, the first warp joins the warps', and publishes the tile's value. The block
// that has the last tile of a group joins the group's values, the one that has the last tile of all
// has the result. It waits only for tiles with smaller numbers, whose blocks run.
// Reads n values once; one barrier, one atomic and one published value a tile. A load of the next
// tile is issued as soon as one of this tile is joined.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "warpfold/device/canonical/tree.cuh"
#include "warpfold/device/detail/launch_bounds.cuh"
#include "warpfold/device/detail/scratch.cuh"
#include "warpfold/ranges.hpp"
#include "warpfold/tuning/canonical.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

template <class In, class Acc, class Op, class Map>
struct tree_reduction {
  const In* in;
  std::size_t n;
  Acc* out;
  Acc init;
  Op op;
  Map map;
  bool wide;  // loads of 16 bytes
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
  vector word[Shape::loads];  // the thread's part of a tile

  __device__ __forceinline__ void load(unsigned number) {
    const tile_type tile(r.n, number);
    if (tile.whole() && r.wide) {
#pragma unroll
      for (unsigned k = 0; k < Shape::loads; ++k) word[k] = tile.load(r.in, k);
    } else {
      tile.load_edge(word, r.in);
    }
  }
  /// The warp's part of the tile that is loaded, in lane 0; loads tile `next` where there is one.
  __device__ __forceinline__ Acc reduce(unsigned number, unsigned next, unsigned tiles) {
    const tile_type tile(r.n, number);
    Acc part[Shape::loads];
    const bool more = !Shape::once && next < tiles;
    const tile_type then(r.n, more ? next : number);
    const bool fast = tile.whole() && more && then.whole() && r.wide;
#pragma unroll
    for (unsigned k = 0; k < Shape::loads; ++k) {
      const unsigned at = tile.place(k), count = tile.size < at ? 0 : tile.size - at;
      part[k] = r.init;
      if (tile.whole()) {
        part[k] = tile_type::template join_load<Acc>(word[k], tile_type::width, op, r.map);
      } else if (count > 0) {
        part[k] = tile_type::template join_load<Acc>(word[k], count, op, r.map);
      }
      if (fast) word[k] = then.load(r.in, k);
    }
    if (more && !fast) load(next);
    return tile.size == 0 ? r.init : tile.join(part, op);
  }
};

template <class Shape, class In, class Acc, class Op, class Map>
__global__ void __launch_bounds__(Shape::threads,
                                  blocks_with_registers(Shape::threads,
                                                        Shape::blocks_per_multiprocessor))
    canonical_reduce_kernel(tree_reduction<In, Acc, Op, Map> r, tile_status state,
                            unsigned tiles) {
  auto& shared = shared_storage<tree_storage<Shape, Acc>>();
  const unsigned lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
  const bool alone = tiles == 1;
  wait_for_primary();
  trigger_dependents();
  if (threadIdx.x == 0) {
    shared.first = alone ? dynamic_id{0, 0} : state.acquire_id(Shape::once ? 1 : 2);
  }
  __syncthreads();
  unsigned number = shared.first.number, next = Shape::once || alone ? tiles : number + 1;
  const tree_levels<Acc, Shape::partials_per_lane> levels{state, shared.first.epoch};
  tree_block<Shape, In, Acc, Op, Map> block{r, {r.op}, {}};
  if (number < tiles) block.load(number);
  for (unsigned i = 0; number < tiles; ++i) {
    unsigned after = tiles;
    if (!Shape::once && threadIdx.x == 0 && next < tiles) after = state.acquire_id().number;
    const Acc part = block.reduce(number, next, tiles);
    if (lane == 0) shared.total[i % 2][warp] = part;
    if (threadIdx.x == 0) shared.next[i % 2] = after;
    __syncthreads();
    if (warp == 0) {
      const unsigned there = tree_tile<Shape, In>(r.n, number).there;
      Acc value = join_lanes(shared.total[i % 2][lane < there ? lane : 0], there, block.op);
      const bool is_root = levels.publish(value, number, tiles, block.op);
      if (is_root && lane == 0) *r.out = r.n == 0 ? r.init : block.op(r.init, value);
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
  const std::size_t many = of(tuning::canonical_large<sizeof(Acc)>{}), heavy = of(tuning::canonical_heavy{});
  const bool fits = sizeof(T) <= 16 && sizeof(Acc) <= 16;
  return !fits ? heavy : few > many ? few : many;
}

template <class Shape, class In, class Acc, class Op, class Map>
status canonical_reduce_as(const work_place& where, const tree_reduction<In, Acc, Op, Map>& r,
                           unsigned multiprocessors) {
  using tile = tree_tile<Shape, In>;
  const std::size_t tiles = r.n == 0 ? 1 : (r.n - 1) / tile::values + 1;
  const std::size_t slots = tree_levels<Acc, Shape::partials_per_lane>::slots(tiles);
  const scratch memory(where, tile_status::bytes<Acc>(canonical_slots<In, Acc>(r.n)),
                       tiles == 1 ? 0 : tile_status::bytes<Acc>(slots));
  if (!memory.state().ok()) return memory.state();
  const std::size_t most = std::size_t{multiprocessors} * Shape::blocks_per_multiprocessor;
  const std::size_t warps = (r.n + tile::warp_values - 1) / tile::warp_values;
  return try_launch(
      {.grid = static_cast<unsigned>(Shape::once || tiles < most ? tiles : most),
       .block = warps == 0            ? warp_size
                : warps < tile::warps ? static_cast<unsigned>(warps) * warp_size
                                      : Shape::threads,
       .stream = where.stream,
       .programmatic_launch = true},
      canonical_reduce_kernel<Shape, In, Acc, Op, Map>, r,
      tiles == 1 ? tile_status{} : memory.status_words(), static_cast<unsigned>(tiles));
}

/// Leaves op(init, the root of map(values)) in `*out`.
template <class In, class Acc, class Op, class Map>
status canonical_reduce(const work_place& where, std::span<const In> in, Acc* out, const Acc& init,
                        Op op, Map map) {
  const bool wide = reinterpret_cast<std::uintptr_t>(in.data()) % sizeof(vector_type<In>) == 0 ||
                    items_per_vector<In> == 1;
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

/// Bytes of workspace for a reduction of up to n values of T to a value of type Acc in the
/// canonical order (docs/canonical.md).
template <class T, class Acc = accumulator_for<T>>
constexpr std::size_t canonical_workspace_bytes(std::size_t n) {
  return detail::tile_status::bytes<Acc>(detail::canonical_slots<T, Acc>(n));
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
