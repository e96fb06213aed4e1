// Two tiles to a block: each thread reduces two values before the tree.
// Reads n + 2n/2, writes 2n/2 values of global memory; 1 + log2(block) barriers; no shared memory.
// The operator must be commutative. Source: document 001.
#pragma once

#include "ladder/reduce/launching.cuh"

namespace warpfold::ladder::reduce_ladder {
inline namespace WARPFOLD_MACHINE {

template <class T, class Op>
__global__ void unroll_2_kernel(T* data, T* partials, std::size_t n, Op op) {
  const unsigned tid = threadIdx.x;
  const std::size_t base = std::size_t{blockIdx.x} * blockDim.x * 2;
  const std::size_t i = base + tid;
  if (i + blockDim.x < n) data[i] = op(data[i], data[i + blockDim.x]);
  __syncthreads();
  T* const mine = data + base;
  const auto count = static_cast<unsigned>(n - base < blockDim.x ? n - base : blockDim.x);
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (tid < stride && tid + stride < count) mine[tid] = op(mine[tid], mine[tid + stride]);
    __syncthreads();
  }
  if (tid == 0) partials[blockIdx.x] = mine[0];
}

struct unroll_2 : block_per_tile<2> {
  static constexpr description about{
      .number = 4,
      .name = "unroll-2",
      .idea = "each block takes two tiles and adds the second to the first before the tree",
      .improves = "half the blocks, half the barriers, and no idle half at the start",
      .evidence = {{{figure::barriers, 0.45, 0.65}, {figure::load_requests, 0.7, 0.9}}},
      .also = "time",
      .source = "document 001, reduceUnrolling2",
      .corrections =
          "early barriers are kept for all threads; the published kernel reads past the "
          "end in its tree",
      .in_place = true,
      .least_block = 2};

  static double work(const shape& s) { return static_cast<double>(s.n - grid(s)); }

  template <class T, class Op>
  static void run(const pass<T>& p) {
    launch({.grid = p.grid, .block = p.block, .shared_bytes = 0, .stream = p.stream},
           unroll_2_kernel<T, Op>, p.in, p.out, p.n, Op{});
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::reduce_ladder
