// Neighbouring pairs, with the work packed into the first threads.
// Reads 2n, writes n values of global memory; log2(block) barriers; no shared memory.
// Commutative or not, any associative operator. Source: document 001.
#pragma once

#include "ladder/reduce/launching.cuh"

namespace warpfold::ladder::reduce_ladder {
inline namespace WARPFOLD_MACHINE {

template <class T, class Op>
__global__ void neighbored_less_kernel(T* data, T* partials, std::size_t n, Op op) {
  const unsigned tid = threadIdx.x;
  const std::size_t base = std::size_t{blockIdx.x} * blockDim.x;
  T* const mine = data + base;
  const auto count = static_cast<unsigned>(n - base < blockDim.x ? n - base : blockDim.x);
  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    const unsigned index = 2 * stride * tid;
    if (index + stride < count) mine[index] = op(mine[index], mine[index + stride]);
    __syncthreads();
  }
  if (tid == 0) partials[blockIdx.x] = mine[0];
}

struct neighbored_less : block_per_tile<1> {
  static constexpr description about{
      .number = 2,
      .name = "neighbored-less",
      .idea = "the same pairs, but threads 0, 1, 2, … do the adding",
      .improves = "whole warps fall idle together instead of every other lane",
      .evidence = {{{figure::branch_uniformity, 1.2, 2},
                    {figure::load_requests, 0.2, 0.35},
                    {figure::bytes_moved, 0.99, 1.01}}},
      .source = "document 001, reduceNeighboredLess",
      .corrections = "early return before the barriers and reads past the end, as in neighbored",
      .in_place = true,
      .least_block = 2};

  static double work(const shape& s) { return static_cast<double>(s.n - grid(s)); }

  template <class T, class Op>
  static void run(const pass<T>& p) {
    launch({.grid = p.grid, .block = p.block, .shared_bytes = 0, .stream = p.stream},
           neighbored_less_kernel<T, Op>, p.in, p.out, p.n, Op{});
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::reduce_ladder
