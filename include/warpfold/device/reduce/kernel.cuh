// Reduction of any number of values in one launch. Each thread reduces its vectors
// (thread_reduce.cuh), each block publishes its partial, and the block that started last reduces
// the partials in the order of the blocks. Sums of integers of up to 4 bytes, which any order
// leaves the same, add up in one word instead. Reads n values once; one atomic a block, none where
// it is the only one; one barrier a block. The same bits from run to run on one GPU: which thread
// reduces what does not depend on timing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "warpfold/block/reduce.cuh"
#include "warpfold/device/detail/tile_status.cuh"
#include "warpfold/device/detail/value_count.cuh"
#include "warpfold/device/reduce/in_order.cuh"
#include "warpfold/device/reduce/thread_reduce.cuh"
#include "warpfold/operators.hpp"
#include "warpfold/tuning/reduce.hpp"
#include "warpfold/warp/redux.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// A thread's part of what its block reduces; where the order counts, a warp's, in its lane 0.
template <class Shape, class In, class Acc, class Op, class Map>
__device__ __forceinline__ Acc thread_reduce(const reduction<In, Acc, Op, Map>& r,
                                             grid_rank block) {
  if constexpr (!is_commutative<Op>) {
    return warp_reduce_in_order(r, block);
  } else if constexpr (Shape::one_tile) {
    return thread_reduce_one_tile<Shape::loads>(r, block);
  } else {
    return thread_reduce_tiles<Shape::loads>(r, block);
  }
}

/// The threads' values reduced to the block's; valid in thread 0. In the order of the threads, if
/// the operator needs it.
template <class Acc, class Op>
__device__ __forceinline__ Acc block_aggregate(Acc value, Op op) {
  const auto reduce_warp = [op](const Acc& v) { return warp_reduce(v, op, warp_policy<Op>{}); };
  return blockDim.x == warp_size ? reduce_warp(value) : block_reduce(value, op, reduce_warp);
}

/// The partials of so many blocks, reduced by one warp in the order of the blocks; valid in lane 0.
/// Each lane has up to `InFlight` loads under way.
template <unsigned InFlight, class Acc, class Op, class Blocks>
__device__ __forceinline__ Acc grid_reduce(const tile_status& tile_state, std::uint32_t epoch,
                                           Op op, Blocks blocks) {
  constexpr unsigned in_flight = sizeof(Acc) <= 8 ? InFlight : sizeof(Acc) <= 16 ? 4 : 1;
  const unsigned per_lane = (blocks + warp_size - 1) / warp_size;
  const unsigned begin = threadIdx.x * per_lane,
                 end = begin + per_lane < blocks ? begin + per_lane : blocks;
  Acc sum = op.template identity<Acc>();
  for (unsigned done = 0; done < per_lane; done += in_flight) {  // as often in every lane
    const unsigned first = begin + done;
    Acc partial[in_flight];
#pragma unroll
    for (unsigned k = 0; k < in_flight; ++k) partial[k] = op.template identity<Acc>();
    tile_state.wait_for(
        partial, epoch, [=](unsigned k) { return std::size_t{first} + k; },
        [=](unsigned k) { return first + k < end; });
#pragma unroll
    for (unsigned k = 0; k < in_flight; ++k) sum = op(sum, partial[k]);
  }
  return warp_reduce(sum, op, warp_policy<Op>{});
}

/// Whether the blocks' partials add up in one word of memory, whatever their order.
template <class Acc, class Op>
inline constexpr bool adds_up =
    std::is_integral_v<Acc> && sizeof(Acc) <= 4 && std::is_same_v<Op, plus>;

/// The vector with which this thread begins where all blocks are at work, if it is there.
template <class Shape, class In, class Acc, class Op, class Map>
__device__ __forceinline__ std::size_t first_vector(const reduction<In, Acc, Op, Map>& r) {
  const std::size_t share = Shape::one_tile     ? blockDim.x
                            : r.strided_end > 0 ? blockDim.x * Shape::loads
                                                : r.per_block;
  return blockIdx.x * share + threadIdx.x;
}

/// Blocks that take n values: each PerThread vectors a thread at least, all `most` of them if there
/// are more.
template <class Shape, unsigned PerThread, class In>
__host__ __device__ constexpr unsigned blocks_for(std::size_t n, unsigned most) {
  constexpr std::size_t tile = std::size_t{Shape::threads} * PerThread;
  const std::size_t tiles = (n / items_per_vector<In> + tile - 1) / tile;
  return tiles >= most ? most : tiles == 0 ? 1 : static_cast<unsigned>(tiles);
}

/// The blocks that are at work: all of them.
template <class Shape, class Reduction>
__device__ __forceinline__ all_blocks blocks_at_work(const Reduction&, host_size) {
  return {};
}
/// All of them where the number of values is what they are cut for, else as many as it needs, and
/// the values are cut again. While the number comes in, so do the first values.
template <class Shape, class In, class Acc, class Op, class Map>
__device__ __forceinline__ unsigned blocks_at_work(reduction<In, Acc, Op, Map>& r,
                                                   device_size size) {
  constexpr unsigned per_thread = Shape::loads_per_thread < tuning::sized_loads_per_thread
                                      ? Shape::loads_per_thread
                                      : tuning::sized_loads_per_thread;
  wait_for_primary();
  const std::size_t given = *size.at;
  if constexpr (is_commutative<Op>) {
    const std::size_t first = first_vector<Shape>(r);
    if (first < r.vectors) prefetch(r.vector_data() + first);
  }
  if (given >= r.n) return gridDim.x;
  r.n = given;
  const unsigned blocks = blocks_for<Shape, per_thread, In>(r.n, gridDim.x);
  r.partition_work(blocks, blockDim.x * Shape::loads);
  return blocks;
}

template <class Shape, class In, class Acc, class Op, class Map, class Size>
__global__ void __launch_bounds__(Shape::threads)
    reduce_kernel(reduction<In, Acc, Op, Map> r, tile_status tile_state, Size size) {
  const auto blocks = blocks_at_work<Shape>(r, size);
  if constexpr (std::is_same_v<Size, device_size>) {
    if (blockIdx.x >= blocks) return;
  }
  const bool alone = blocks == 1;
  wait_for_primary();
  trigger_dependents();
  dynamic_id id{0, 0};
  if constexpr (!adds_up<Acc, Op>) {
    if (!alone && threadIdx.x == 0) id = tile_state.acquire_id();  // comes in while the values do
  }
  Acc value = block_aggregate(thread_reduce<Shape>(r, {blockIdx.x, blocks}), r.op);
  if (threadIdx.x >= warp_size) return;
  if (!alone) {
    if constexpr (adds_up<Acc, Op>) {
      if (threadIdx.x != 0 || !tile_state.add_up(value, blocks)) return;
    } else {
      const std::uint32_t epoch = shuffle(id.epoch, 0);
      const bool is_last = shuffle(id.number, 0) == blocks - 1;
      if (threadIdx.x == 0) tile_state.publish(blockIdx.x, value, epoch);
      if (!is_last) return;
      value = grid_reduce<Shape::partials_in_flight, Acc>(tile_state, epoch, r.op, blocks);
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

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
