// Reduction of any number of values in one launch: 16-byte loads, several in flight a thread; each
// block tells its partial to the block that started last, which folds them in a fixed order.
// Reads n values once; one atomic and one told value a block, none where it is alone; two to four
// barriers a block.
// The same bits from run to run on one GPU: which thread folds what does not depend on timing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "warpfold/block/reduce.cuh"
#include "warpfold/device/mailbox.cuh"
#include "warpfold/device/reduce_share.cuh"
#include "warpfold/environment.hpp"
#include "warpfold/operators.hpp"
#include "warpfold/tuning/reduce.hpp"
#include "warpfold/warp/redux.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// One value a thread; valid in thread 0. In the order of the threads, if the operator needs it.
template <class Acc, class Op>
__device__ __forceinline__ Acc fold_block(Acc value, Op op) {
  const auto fold_warp = [op](const Acc& v) { return warp_fold(v, op); };
  return blockDim.x == warp_size ? fold_warp(value) : block_reduce(value, op, fold_warp);
}

/// The partials of all blocks, in the order of the blocks; valid in thread 0.
template <class Acc, class Op>
__device__ __forceinline__ Acc fold_partials(const mailbox& box, std::uint32_t tag, Op op) {
  constexpr unsigned at_once = sizeof(Acc) <= 16 ? 4 : 1;
  const unsigned share = (gridDim.x + blockDim.x - 1) / blockDim.x;
  const unsigned begin = threadIdx.x * share;
  Acc sum = op.template identity<Acc>();
  for (unsigned done = 0; done < share; done += at_once) {
    Acc part[at_once];
    const auto want = [=](unsigned k) { return done + k < share && begin + done + k < gridDim.x; };
    box.wait(
        part, tag, [=](unsigned k) { return std::size_t{begin} + done + k; }, want);
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k) {
      if (want(k)) sum = op(sum, part[k]);
    }
  }
  return fold_block(sum, op);
}

struct block_role {
  std::uint32_t tag;
  bool is_last;  // the one that started last
};

template <bool Once, unsigned Threads, unsigned Loads, class In, class Acc, class Op, class Map>
__global__ void __launch_bounds__(Threads)
    reduce_kernel(reduction<In, Acc, Op, Map> r, mailbox box) {
  auto& role = shared_storage<block_role>();
  const bool alone = gridDim.x == 1;
  ticket taken{0, 0};
  wait_for_earlier_grids();
  let_next_grid_start();
  if (!alone && threadIdx.x == 0) taken = box.take();  // comes in while the values do
  Acc value = fold_blocks_share<Once, Loads>(r, {blockIdx.x, gridDim.x});
  if (threadIdx.x == 0) role = {taken.tag, taken.number == gridDim.x - 1};
  value = fold_block(value, r.op);
  if (!alone) {
    if (threadIdx.x == 0) box.tell(blockIdx.x, value, taken.tag);
    const auto [tag, is_last] = role;
    if (is_last) {
      __syncthreads();
      value = fold_partials<Acc>(box, tag, r.op);
    }
    box.leave(tag, is_last);
    if (!is_last) return;
  }
  if (threadIdx.x == 0) *r.out = r.op(r.init, value);
}

/// One warp, for the fewest values: so little code that the launch is most of the time.
template <unsigned Items, class In, class Acc, class Op, class Map>
__global__ void __launch_bounds__(warp_size)
    reduce_few_kernel(const In* in, unsigned n, Acc* out, Acc init, Op op, Map map) {
  wait_for_earlier_grids();
  let_next_grid_start();
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
  sum = warp_redux(sum, op);
  if (threadIdx.x == 0) *out = op(init, sum);
}

/// Partials of one launch, at most.
inline constexpr unsigned max_partials = 2048;

/// The blocks of a reduction of n values, and their threads.
template <class Shape, class In>
struct reduce_grid {
  unsigned blocks = 1, threads = Shape::threads;
  bool enough_once = false;  // each thread's loads in flight are all there is

  reduce_grid(std::size_t n, unsigned multiprocessors) {
    const auto parts = [loads = n / per_load<In>](unsigned part) {
      return static_cast<unsigned>(
          std::clamp<std::size_t>((loads + part - 1) / part, 1, ~0U / warp_size));
    };
    if (parts(Shape::threads * Shape::loads) == 1) {
      threads = std::min(threads, parts(warp_size) * warp_size);
    } else {
      blocks = std::min({parts(Shape::threads * Shape::share),
                         multiprocessors * Shape::blocks_per_multiprocessor, max_partials});
    }
    enough_once = parts(Shape::threads * Shape::loads) <= blocks;
  }
};

template <class Shape, class In, class Acc, class Op, class Map>
status reduce_as(const device_execution& where, reduction<In, Acc, Op, Map> r) {
  const reduce_grid<Shape, In> grid(r.n, current_device().multiprocessors);
  r.part(grid.blocks, grid.threads * Shape::loads);
  return try_launch(
      {.grid = grid.blocks, .block = grid.threads, .stream = where.stream(), .early = true},
      reduce_kernel<Shape::once, Shape::threads, Shape::loads, In, Acc, Op, Map>, r,
      mailbox::in(where.memory().data, where.memory().bytes));
}

/// Puts the reduction into the stream. The workspace takes max_partials values of Acc.
template <class In, class Acc, class Op, class Map>
status launch_reduction(const device_execution& where, const reduction<In, Acc, Op, Map>& r) {
  using namespace tuning;
  constexpr bool fits = !accumulates<Map, Acc, In> && sizeof(In) <= 16 && sizeof(Acc) <= 16;
  if constexpr (fits && is_commutative<Op>) {
    if (r.n <= reduce_few::items * warp_size) {
      return try_launch({.grid = 1, .block = warp_size, .stream = where.stream(), .early = true},
                        reduce_few_kernel<reduce_few::items, In, Acc, Op, Map>, r.in,
                        static_cast<unsigned>(r.n), r.out, r.init, r.op, r.map);
    }
    if (reduce_grid<reduce_once, In>(r.n, current_device().multiprocessors).enough_once) {
      return reduce_as<reduce_once>(where, r);
    }
  }
  if (!fits) return reduce_as<reduce_heavy>(where, r);
  if (r.n * sizeof(In) <= middle_bytes) return reduce_as<reduce_middle>(where, r);
  return reduce_as<reduce_large>(where, r);
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
