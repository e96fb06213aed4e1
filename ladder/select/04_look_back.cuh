// One pass with decoupled look-back, as in rung 08 of the scan ladder: a tile publishes what it
// keeps, and learns from the tiles before it how many they keep.
// Reads n values once; four barriers a tile; 8 bytes of global memory a tile. Tiles are numbered as
// blocks start, so a tile waits only for tiles that run or are done.
// Source: Merrill and Garland (2016).
#pragma once

#include "ladder/scan/08_look_back.cuh"
#include "ladder/select/launching.cuh"

namespace warpfold::ladder::select_ladder {
inline namespace WARPFOLD_MACHINE {

using tile_states = scan_ladder::tile_states<unsigned>;

struct look_back_storage {
  unsigned tile;
  unsigned before;
};

/// The number of this block's tile; every thread of the block calls.
__device__ __forceinline__ unsigned next_tile(const tile_states& states) {
  auto& shared = shared_storage<look_back_storage>();
  if (threadIdx.x == 0) shared.tile = atomicAdd(states.ticket(), 1U);
  __syncthreads();
  return shared.tile;
}

/// What the tiles before `tile` keep, which itself keeps `total`; the last tile leaves the sum of
/// all. Every thread of the block calls.
__device__ __forceinline__ unsigned kept_before(const tile_states& states, unsigned tile,
                                                unsigned total, kept_count* kept) {
  using scan_ladder::tile_state;
  auto& shared = shared_storage<look_back_storage>();
  if (threadIdx.x < warp_size) {
    unsigned before = 0;
    if (tile > 0) {
      if (threadIdx.x == 0) states.publish(tile, tile_state::aggregate, total);
      before = scan_ladder::look_back_prefix(states, tile, plus{});
    }
    if (threadIdx.x == 0) {
      states.publish(tile, tile_state::prefix, before + total);
      shared.before = before;
      if (tile + 1 == states.count) *kept = before + total;
    }
  }
  __syncthreads();
  return shared.before;
}

template <class T, class Keep>
__global__ void select_look_back_kernel(const T* in, T* out, std::size_t n, kept_count* kept,
                                        tile_states states, Keep keep) {
  const unsigned tile = next_tile(states);
  thread_values<T> own;
  own.load(in, n, keep, tile);
  const auto threads = block_scan(own.count(), plus{});
  own.store(out + kept_before(states, tile, threads.total, kept) + threads.exclusive);
}

/// A rung that passes once over the values.
struct in_one_pass : by_tiles {
  static std::size_t scratch_bytes(const shape& s) {
    return scan_ladder::tile_states_bytes(grid(s), sizeof(unsigned));
  }
  static double work(const shape& s) { return static_cast<double>(s.n); }

  template <class T, class Keep>
  static unsigned run_kernel(const pass<T>& p, std::size_t shared_bytes,
                             void (*kernel)(const T*, T*, std::size_t, kept_count*, tile_states,
                                            Keep)) {
    const tile_states states{p.scratch, grid(p.shape)};
    launch({.grid = tiles_of(states.count, 256), .block = 256, .stream = p.stream},
           scan_ladder::reset_tiles_kernel<unsigned, Keep>, states);
    launch({.grid = states.count,
            .block = p.shape.block,
            .shared_bytes = shared_bytes,
            .stream = p.stream},
           kernel, p.in, p.out, p.n, p.kept, states, Keep{});
    return 2;
  }
};

struct look_back : in_one_pass {
  static constexpr description about{
      .number = 4,
      .name = "look-back",
      .idea = "each tile waits only until it knows how many the tiles before it keep, in one pass",
      .improves = "the second read of every value, and its second test",
      .evidence = {{{figure::load_requests, 0.3, 0.7}, {figure::operator_uses, 0.5, 0.5}}},
      .also = "time",
      .source = "beyond the documents; Merrill and Garland (2016)"};

  template <class T, class Keep>
  static unsigned run(const pass<T>& p, Keep) {
    return run_kernel(p, 0, select_look_back_kernel<T, Keep>);
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::select_ladder
