// Neighbouring pairs, in global memory, in place.
// Reads 2n, writes n values of global memory; log2(block) barriers; no shared memory.
// Commutative or not, any associative operator. Source: document 001.
#pragma once

#include "ladder/reduce/launching.cuh"

namespace warpfold::ladder::reduce_ladder {
inline namespace WARPFOLD_MACHINE {

template <class T, class Op>
__global__ void neighbored_kernel(T* data, T* partials, std::size_t n, Op op) {
  const unsigned tid = threadIdx.x;
  const std::size_t base = std::size_t{blockIdx.x} * blockDim.x;
  T* const mine = data + base;
  const auto count = static_cast<unsigned>(n - base < blockDim.x ? n - base : blockDim.x);
  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    if (tid % (2 * stride) == 0 && tid + stride < count) {
      mine[tid] = op(mine[tid], mine[tid + stride]);
    }
    __syncthreads();
  }
  if (tid == 0) partials[blockIdx.x] = mine[0];
}

struct neighbored : block_per_tile<1> {
  static constexpr description about{
      .number = 1,
      .name = "neighbored",
      .idea = "each thread whose number is a multiple of 2·stride adds its right neighbour",
      .improves = "the starting point: a tree in place of a loop",
      .also = "% uniform branches and active lanes, as a baseline",
      .source = "document 001, reduceNeighbored",
      .corrections =
          "the published kernel returns before its barriers when idx >= n and adds past "
          "the end of a ragged block",
      .in_place = true,
      .least_block = 2};

  static double work(const shape& s) { return static_cast<double>(s.n - grid(s)); }

  template <class T, class Op>
  static void run(const pass<T>& p) {
    launch({.grid = p.grid, .block = p.block, .shared_bytes = 0, .stream = p.stream},
           neighbored_kernel<T, Op>, p.in, p.out, p.n, Op{});
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::reduce_ladder
