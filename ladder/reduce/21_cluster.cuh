// One-pass in clusters: blocks of a cluster leave their partials in the shared memory of block 0,
// which passes on one value for all of them.
// Reads n, writes and reads one value a cluster; one barrier of a cluster; 4 more shared values.
// The operator must be commutative. Source: beyond the documents (clusters came with Hopper).
#pragma once

#include "ladder/reduce/last_block.cuh"
#include "ladder/reduce/wide_loads.cuh"
#include "ladder/reduce/work.cuh"

namespace warpfold::ladder::reduce_ladder {
inline namespace WARPFOLD_MACHINE {

inline constexpr unsigned blocks_per_cluster = 4;

template <class T>
struct cluster_partials {
  T of_block[blocks_per_cluster];
};

template <class T, class Op>
__global__ void cluster_kernel(const T* in, T* out, std::size_t n, Op op, tickets<T> scratch) {
  cluster_begins();
  auto& shared = shared_storage<cluster_partials<T>>();
  const auto reduce_warp = [op](T v) { return warp_reduce(v, op); };
  T value = block_reduce(reduce_grid_stride(in, n, op), op, reduce_warp);
  wait_for_cluster();
  if (threadIdx.x == 0) *in_block(&shared.of_block[cluster_rank()], 0) = value;
  cluster_sync();
  if (cluster_rank() != 0) return;
  if (threadIdx.x == 0) {
    value = shared.of_block[0];
    for (unsigned rank = 1; rank < blocks_per_cluster; ++rank) {
      value = op(value, shared.of_block[rank]);
    }
  }
  reduce_in_last_block(value, out, scratch, blockIdx.x / blocks_per_cluster,
                       gridDim.x / blocks_per_cluster, op, reduce_warp);
}

struct cluster : wide_grid {
  static constexpr description about{
      .number = 21,
      .name = "cluster",
      .idea = "four blocks meet in distributed shared memory before one of them takes a ticket",
      .improves = "three of four partials, atomics and trips to global memory",
      .evidence = {{{figure::atomics, 0.2, 0.3}, {figure::store_requests, 0.2, 0.6}}},
      .source = "beyond the documents; clusters came with Hopper (2022)",
      .capability = 90};

  /// A cluster begins where four blocks find places near one another, which leaves some over: an
  /// eighth of the places stays free, so that all clusters begin at once.
  static unsigned grid(const shape& s) {
    const auto clusters = std::min<std::size_t>(ceil_div(wide_grid::grid(s), blocks_per_cluster),
                                                resident_blocks(s) / 8 * 7 / blocks_per_cluster);
    return static_cast<unsigned>(std::max<std::size_t>(1, clusters)) * blocks_per_cluster;
  }
  static std::size_t partials(const shape&) { return 1; }
  static std::size_t scratch_bytes(const shape& s) {
    return tickets_bytes(grid(s) / blocks_per_cluster, s.value_bytes);
  }

  static double work(const shape& s) {
    const unsigned clusters = grid(s) / blocks_per_cluster;
    return work_in_one_launch(s, grid(s), clusters) + clusters * (blocks_per_cluster - 1.0);
  }

  template <class T, class Op>
  static void run(const pass<T>& p) {
    launch({.grid = p.grid, .block = p.block, .cluster = blocks_per_cluster, .stream = p.stream},
           cluster_kernel<T, Op>, p.in, p.out, p.n, Op{}, tickets<T>{p.scratch});
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::reduce_ladder
