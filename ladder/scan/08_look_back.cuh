// One pass over the data with decoupled look-back: each tile publishes its aggregate at once, then
// adds up the aggregates of the tiles to its left, back to the nearest one with a prefix.
// Reads and writes n values once, 8 or 24 bytes a tile besides; 2.6n applications; four barriers a
// tile; block * 66 bytes of shared memory. Tiles are numbered as blocks start, so a tile waits only
// for tiles that run or are done. Any associative operator. Where a look-back ends differs from run
// to run, so floating-point sums may differ too. Source: Merrill and Garland (2016).
#pragma once

#include "ladder/scan/register_tile.cuh"
#include "ladder/scan/tile_states.cuh"

namespace warpfold::ladder::scan_ladder {
inline namespace WARPFOLD_MACHINE {

/// Op stands in the kernel's name, by which a profiler's rows find their rung.
template <class T, class Op>
__global__ void reset_tiles_kernel(tile_states<T> states) {
  const unsigned tile = blockIdx.x * blockDim.x + threadIdx.x;
  if (tile < states.count) states.clear(tile);
  if (tile == 0) *states.ticket() = 0;
}

template <class T>
struct look_back_storage {
  unsigned tile;
  T prefix;
};

/// The exclusive prefix of `tile` (not 0); valid in lane 0. One whole warp calls it.
template <class T, class Op>
__device__ __forceinline__ T look_back_prefix(const tile_states<T>& states, unsigned tile, Op op) {
  const unsigned lane = threadIdx.x % warp_size;
  T prefix = Op::template identity<T>();
  for (bool first = true;; first = false, tile -= warp_size) {
    // Lane 0 reads the nearest tile, lane 31 the farthest of this window.
    tile_status<T> status{tile_state::prefix, Op::template identity<T>()};
    if (lane < tile) {
      status = states.read(tile - 1 - lane);
      while (status.state == tile_state::empty) {
        __nanosleep(0);
        status = states.read(tile - 1 - lane);
      }
    }
    const unsigned complete = __ballot_sync(all_lanes, status.state == tile_state::prefix);
    const unsigned last = complete != 0
                              ? static_cast<unsigned>(__ffs(static_cast<int>(complete))) - 1
                              : warp_size - 1;
    T sum = status.value;
#pragma unroll
    for (unsigned offset = 1; offset < warp_size; offset *= 2) {
      const T left = __shfl_down_sync(all_lanes, sum, offset);
      if (lane % (2 * offset) == 0 && lane + offset <= last) sum = op(left, sum);
    }
    prefix = first ? sum : op(sum, prefix);
    if (complete != 0) return prefix;
  }
}

template <class T, class Op>
__global__ void look_back_kernel(tiles<T> t, tile_states<T> states, Op op) {
  auto& shared = shared_storage<look_back_storage<T>>();
  register_tile<T> tile;
  if (threadIdx.x == 0) shared.tile = atomicAdd(states.ticket(), 1U);
  __syncthreads();
  const unsigned number = shared.tile;
  const std::size_t base = std::size_t{number} * tile.tile(blockDim.x);
  const std::size_t first = base + threadIdx.x / warp_size * tile.per_warp;
  tile.load(t.in, first, t.n, Op::template identity<T>());
  const auto threads = block_scan(tile.reduce(op), op);
  T prefix = Op::template identity<T>();
  if (number == 0) {
    if (threadIdx.x == 0) states.publish(0, tile_state::prefix, threads.total);
  } else {
    if (threadIdx.x == 0) states.publish(number, tile_state::aggregate, threads.total);
    if (threadIdx.x < warp_size) {
      prefix = look_back_prefix(states, number, op);
      if (threadIdx.x == 0) {
        states.publish(number, tile_state::prefix, op(prefix, threads.total));
        shared.prefix = prefix;
      }
    }
    __syncthreads();
    prefix = shared.prefix;
  }
  tile.scan(number == 0 ? threads.exclusive : op(prefix, threads.exclusive), t.exclusive, op);
  tile.store(t.out, first, t.n);
}

struct look_back {
  static constexpr description about{
      .number = 8,
      .name = "look-back",
      .idea = "each tile waits only until it knows the total of those before it, in one pass",
      .improves = "the second read of every value: 2n moved in place of 3n",
      .evidence = {{{figure::bytes_moved, 0.5, 0.9}}},
      .also = "time",
      .source = "beyond the documents; Merrill and Garland (2016)"};

  static unsigned grid(const shape& s) {
    return tiles_of(s.n, s.block * std::size_t{64} / s.value_bytes);
  }
  static std::size_t scratch_bytes(const shape& s) {
    return tile_states_bytes(grid(s), s.value_bytes);
  }
  /// At worst a prefix goes from tile to tile; besides, what happens inside the first and the last.
  static double depth_limit(const shape& s) { return 2.0 * grid(s) + 100; }

  template <class T, class Op>
  static unsigned run(const pass<T>& p) {
    const tile_states<T> states{p.scratch, grid(p.shape)};
    launch({.grid = tiles_of(states.count, 256), .block = 256, .stream = p.stream},
           reset_tiles_kernel<T, Op>, states);
    launch({.grid = states.count,
            .block = p.shape.block,
            .shared_bytes = register_tile<T>::shared_bytes(p.shape.block),
            .stream = p.stream},
           look_back_kernel<T, Op>, tiles<T>{p.in, p.out, nullptr, p.n, p.exclusive}, states, Op{});
    return 2;
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::scan_ladder
