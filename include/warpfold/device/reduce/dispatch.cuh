// Which shape of the kernel reduces how many values. What is tuned is in tuning/reduce.hpp.
#pragma once

#include <cstddef>

#include "warpfold/bounds.hpp"
#include "warpfold/device/detail/scratch.cuh"
#include "warpfold/device/reduce/kernel.cuh"
#include "warpfold/environment.hpp"
#include "warpfold/operators.hpp"
#include "warpfold/tuning/reduce.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// Partials of one launch, at most.
inline constexpr unsigned max_partials = 2048;
/// Bytes of workspace for any launch.
template <class Acc>
inline constexpr std::size_t reduce_bytes = tile_status::bytes<Acc>(max_partials);
template <class Acc>
inline constexpr memory_size reduce_memory{
    reduce_bytes<Acc>, "the workspace is smaller than reduce_workspace_bytes<Acc>()"};

/// The blocks of a reduction of n values, and their threads.
template <class Shape, class In>
struct reduce_grid {
  unsigned blocks = 1, threads = Shape::threads;
  bool fits_one_tile = false;  // a block has one tile at most

  reduce_grid(std::size_t n, unsigned multiprocessors) {
    const auto tiles_of = [vectors = n / items_per_vector<In>](unsigned tile) {
      return static_cast<unsigned>(at_least<std::size_t>(
          at_most<std::size_t>((vectors + tile - 1) / tile, ~0U / warp_size), 1));
    };
    if (tiles_of(Shape::threads * Shape::loads) == 1) {
      threads = at_most(threads, tiles_of(warp_size) * warp_size);
    } else {
      blocks = blocks_for<Shape, Shape::loads_per_thread, In>(
          n, at_most(multiprocessors * Shape::blocks_per_multiprocessor, max_partials));
    }
    fits_one_tile = tiles_of(Shape::threads * Shape::loads) <= blocks;
  }
};

template <class Shape, class In, class Acc, class Op, class Map, class Size = host_size>
status reduce_as(const work_place& where, reduction<In, Acc, Op, Map> r,
                 const reduce_grid<Shape, In>& grid, Size size = {}) {
  const std::size_t partials = adds_up<Acc, Op> ? 0 : grid.blocks;
  const scratch memory(where, reduce_memory<Acc>,
                       grid.blocks == 1 ? 0 : tile_status::bytes<Acc>(partials));
  if (!memory.state().ok()) return memory.state();
  r.partition_work(grid.blocks, grid.threads * Shape::loads);
  return try_launch({.grid = grid.blocks,
                     .block = grid.threads,
                     .stream = where.stream,
                     .programmatic_launch = true},
                    reduce_kernel<Shape, In, Acc, Op, Map, Size>, r, memory.status_words(), size);
}

/// Puts the reduction into the stream. Memory, where it must be allocated, is for as many partials
/// as there are: none where one block does it all.
template <class In, class Acc, class Op, class Map, class Size = host_size>
status launch_reduction(const work_place& where, const reduction<In, Acc, Op, Map>& r,
                        Size size = {}) {
  using namespace tuning;
  constexpr bool fits = !accumulates<Map, Acc, In> && sizeof(In) <= 16 && sizeof(Acc) <= 16;
  constexpr bool short_too = fits && is_commutative<Op>;
  if constexpr (short_too && std::is_same_v<Size, host_size>) {
    if (r.n <= reduce_few::items * warp_size) {
      if (const status s = refuse_memory(where, reduce_memory<Acc>); !s.ok()) return s;
      return try_launch(
          {.grid = 1, .block = warp_size, .stream = where.stream, .programmatic_launch = true},
          reduce_few_kernel<reduce_few::items, In, Acc, Op, Map>, r.in, static_cast<unsigned>(r.n),
          r.out, r.init, r.op, r.map);
    }
  }
  const unsigned multiprocessors = current_device().multiprocessors;
  if constexpr (short_too) {
    const reduce_grid<reduce_one_tile<adds_up<Acc, Op>>, In> once(r.n, multiprocessors);
    if (once.fits_one_tile) return reduce_as(where, r, once, size);
  }
  if constexpr (!fits) {
    return reduce_as(where, r, reduce_grid<reduce_heavy, In>(r.n, multiprocessors), size);
  } else if (r.n * sizeof(In) <= middle_bytes) {
    return reduce_as(where, r, reduce_grid<reduce_middle, In>(r.n, multiprocessors), size);
  } else {
    return reduce_as(where, r, reduce_grid<reduce_large, In>(r.n, multiprocessors), size);
  }
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
