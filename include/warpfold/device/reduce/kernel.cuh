// Reduction of any number of values in one launch: 16-byte loads, several in flight a thread; each
// block publishes its partial, and the block that started last folds them in a fixed order. Sums
// of integers of up to 4 bytes, which any order leaves the same, add up in one word instead.
// Reads n values once; one atomic a block, none where it is alone; one barrier a block.
// The same bits from run to run on one GPU: which thread folds what does not depend on timing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "warpfold/block/reduce.cuh"
#include "warpfold/bounds.hpp"
#include "warpfold/device/detail/scratch.cuh"
#include "warpfold/device/detail/tile_status.cuh"
#include "warpfold/device/reduce/thread_reduce.cuh"
#include "warpfold/environment.hpp"
#include "warpfold/operators.hpp"
#include "warpfold/tuning/reduce.hpp"
#include "warpfold/warp/redux.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// One value a thread; valid in thread 0. In the order of the threads, if the operator needs it.
template <class Acc, class Op>
__device__ __forceinline__ Acc block_aggregate(Acc value, Op op) {
  const auto fold_warp = [op](const Acc& v) { return warp_reduce(v, op, warp_policy<Op>{}); };
  return blockDim.x == warp_size ? fold_warp(value) : block_reduce(value, op, fold_warp);
}

/// The partials of all blocks, folded by one warp in the order of the blocks; valid in lane 0. Each
/// lane asks for up to `AtOnce` at a time.
template <unsigned AtOnce, class Acc, class Op>
__device__ __forceinline__ Acc grid_reduce(const tile_status& tile_state, std::uint32_t epoch,
                                           Op op) {
  constexpr unsigned at_once = sizeof(Acc) <= 8 ? AtOnce : sizeof(Acc) <= 16 ? 4 : 1;
  const unsigned share = (gridDim.x + warp_size - 1) / warp_size;
  const unsigned begin = threadIdx.x * share,
                 end = begin + share < gridDim.x ? begin + share : gridDim.x;
  Acc sum = op.template identity<Acc>();
  for (unsigned turn = 0; turn < share; turn += at_once) {  // of all lanes, whatever their shares
    const unsigned first = begin + turn;
    Acc part[at_once];
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k) part[k] = op.template identity<Acc>();
    tile_state.wait_for(
        part, epoch, [=](unsigned k) { return std::size_t{first} + k; },
        [=](unsigned k) { return first + k < end; });
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k) sum = op(sum, part[k]);
  }
  return warp_reduce(sum, op, warp_policy<Op>{});
}

/// Whether the blocks' partials add up in one word of memory, whatever their order.
template <class Acc, class Op>
inline constexpr bool adds_up =
    std::is_integral_v<Acc> && sizeof(Acc) <= 4 && std::is_same_v<Op, plus>;

template <class Shape, class In, class Acc, class Op, class Map>
__global__ void __launch_bounds__(Shape::threads)
    reduce_kernel(reduction<In, Acc, Op, Map> r, tile_status tile_state) {
  const bool alone = gridDim.x == 1;
  wait_for_primary();
  trigger_dependents();
  dynamic_id id{0, 0};
  if constexpr (!adds_up<Acc, Op>) {
    if (!alone && threadIdx.x == 0) id = tile_state.acquire_id();  // comes in while the values do
  }
  Acc value = block_aggregate(thread_reduce<Shape>(r, {blockIdx.x, gridDim.x}), r.op);
  if (threadIdx.x >= warp_size) return;
  if (!alone) {
    if constexpr (adds_up<Acc, Op>) {
      if (threadIdx.x != 0 || !tile_state.add_up(value)) return;
    } else {
      const std::uint32_t epoch = shuffle(id.epoch, 0);
      const bool is_last = shuffle(id.number, 0) == gridDim.x - 1;
      if (threadIdx.x == 0) tile_state.publish(blockIdx.x, value, epoch);
      if (!is_last) return;
      value = grid_reduce<Shape::partials_in_flight, Acc>(tile_state, epoch, r.op);
      tile_state.close(epoch, warp_size);
    }
  }
  if (threadIdx.x == 0) *r.out = r.op(r.init, value);
}

/// One warp, for the fewest values: so little code that the launch is most of the time.
template <unsigned Items, class In, class Acc, class Op, class Map>
__global__ void __launch_bounds__(warp_size)
    reduce_few_kernel(const In* in, unsigned n, Acc* out, Acc init, Op op, Map map) {
  wait_for_primary();
  trigger_dependents();
  In value[Items];
#pragma unroll
  for (unsigned k = 0; k < Items; ++k) {
    const unsigned i = threadIdx.x + k * warp_size;
    if (i < n) value[k] = in[i];
  }
  Acc sum = op.template identity<Acc>();
#pragma unroll
  for (unsigned k = 0; k < Items; ++k) {
    if (threadIdx.x + k * warp_size < n) sum = op(sum, map(value[k]));
  }
  sum = warp_reduce(sum, op, by_redux{});
  if (threadIdx.x == 0) *out = op(init, sum);
}

/// Partials of one launch, at most.
inline constexpr unsigned max_partials = 2048;
/// Bytes of workspace for any launch.
template <class Acc>
inline constexpr std::size_t reduce_bytes = tile_status::bytes<Acc>(max_partials);

/// The blocks of a reduction of n values, and their threads.
template <class Shape, class In>
struct reduce_grid {
  unsigned blocks = 1, threads = Shape::threads;
  bool fits_one_tile = false;  // each thread's loads in flight are all there is

  reduce_grid(std::size_t n, unsigned multiprocessors) {
    const auto parts = [loads = n / items_per_vector<In>](unsigned part) {
      return static_cast<unsigned>(at_least<std::size_t>(
          at_most<std::size_t>((loads + part - 1) / part, ~0U / warp_size), 1));
    };
    if (parts(Shape::threads * Shape::loads) == 1) {
      threads = at_most(threads, parts(warp_size) * warp_size);
    } else {
      blocks = at_most(parts(Shape::threads * Shape::loads_per_thread),
                       at_most(multiprocessors * Shape::blocks_per_multiprocessor, max_partials));
    }
    fits_one_tile = parts(Shape::threads * Shape::loads) <= blocks;
  }
};

template <class Shape, class In, class Acc, class Op, class Map>
status reduce_as(const work_place& where, reduction<In, Acc, Op, Map> r,
                 const reduce_grid<Shape, In>& grid) {
  const std::size_t partials = adds_up<Acc, Op> ? 0 : grid.blocks;
  const scratch memory(where, reduce_bytes<Acc>,
                       grid.blocks == 1 ? 0 : tile_status::bytes<Acc>(partials));
  if (!memory.state().ok()) return memory.state();
  r.partition_work(grid.blocks, grid.threads * Shape::loads);
  return try_launch({.grid = grid.blocks,
                     .block = grid.threads,
                     .stream = where.stream,
                     .programmatic_launch = true},
                    reduce_kernel<Shape, In, Acc, Op, Map>, r, memory.status_words());
}

/// Puts the reduction into the stream. Memory, where it must be allocated, is for as many partials
/// as there are: none where one block does it all.
template <class In, class Acc, class Op, class Map>
status launch_reduction(const work_place& where, const reduction<In, Acc, Op, Map>& r) {
  using namespace tuning;
  constexpr bool fits = !accumulates<Map, Acc, In> && sizeof(In) <= 16 && sizeof(Acc) <= 16;
  constexpr bool short_too = fits && is_commutative<Op>;
  if constexpr (short_too) {
    if (r.n <= reduce_few::items * warp_size) {
      if (const status s = refuse_memory(where, reduce_bytes<Acc>); !s.ok()) return s;
      return try_launch(
          {.grid = 1, .block = warp_size, .stream = where.stream, .programmatic_launch = true},
          reduce_few_kernel<reduce_few::items, In, Acc, Op, Map>, r.in, static_cast<unsigned>(r.n),
          r.out, r.init, r.op, r.map);
    }
  }
  const unsigned multiprocessors = current_device().multiprocessors;
  if constexpr (short_too) {
    const reduce_grid<reduce_one_tile<adds_up<Acc, Op>>, In> once(r.n, multiprocessors);
    if (once.fits_one_tile) return reduce_as(where, r, once);
  }
  if constexpr (!fits) {
    return reduce_as(where, r, reduce_grid<reduce_heavy, In>(r.n, multiprocessors));
  } else if (r.n * sizeof(In) <= middle_bytes) {
    return reduce_as(where, r, reduce_grid<reduce_middle, In>(r.n, multiprocessors));
  } else {
    return reduce_as(where, r, reduce_grid<reduce_large, In>(r.n, multiprocessors));
  }
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
