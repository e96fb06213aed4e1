// Wide-loads in one launch: the last block to finish reduces the partials (last_block.cuh).
// Reads n, writes and reads one value a block; four barriers in the last block, two in the others.
// The operator must be commutative. Source: beyond the documents (threadFenceReduction's idea).
#pragma once

#include "ladder/reduce/last_block.cuh"
#include "ladder/reduce/wide_loads.cuh"
#include "ladder/reduce/work.cuh"

namespace warpfold::ladder::reduce_ladder {
inline namespace WARPFOLD_MACHINE {

template <class T, class Op>
__global__ void one_pass_kernel(const T* in, T* out, std::size_t n, Op op, tickets<T> scratch) {
  const auto reduce_warp = [op](T v) { return warp_reduce(v, op); };
  const T value = block_reduce(reduce_grid_stride(in, n, op), op, reduce_warp);
  reduce_in_last_block(value, out, scratch, blockIdx.x, gridDim.x, op, reduce_warp);
}

struct one_pass : one_launch<wide_grid> {
  static constexpr description about{
      .number = 19,
      .name = "one-pass",
      .idea = "the last block to finish reduces the partials: one launch, no round trip",
      .improves = "the second launch, which costs more than the whole work of a small input",
      .evidence = {{{figure::launches, 0.2, 0.6}}},
      .also = "time at small n",
      .source = "beyond the documents"};

  static double work(const shape& s) { return work_in_one_launch(s, grid(s), grid(s)); }

  template <class T, class Op>
  static void run(const pass<T>& p) {
    launch({.grid = p.grid, .block = p.block, .stream = p.stream}, one_pass_kernel<T, Op>, p.in,
           p.out, p.n, Op{}, tickets<T>{p.scratch});
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::reduce_ladder
