// Pairs half a block apart, in global memory, in place.
// Reads 2n, writes n values of global memory; log2(block) barriers; no shared memory.
// The operator must be commutative: the order of the values changes. Source: document 001.
#pragma once

#include "ladder/reduce/launching.cuh"

namespace warpfold::ladder::reduce_ladder {
inline namespace WARPFOLD_MACHINE {

template <class T, class Op>
__global__ void interleaved_kernel(T* data, T* partials, std::size_t n, Op op) {
  const unsigned tid = threadIdx.x;
  const std::size_t base = std::size_t{blockIdx.x} * blockDim.x;
  T* const mine = data + base;
  const auto count = static_cast<unsigned>(n - base < blockDim.x ? n - base : blockDim.x);
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (tid < stride && tid + stride < count) mine[tid] = op(mine[tid], mine[tid + stride]);
    __syncthreads();
  }
  if (tid == 0) partials[blockIdx.x] = mine[0];
}

struct interleaved : block_per_tile<1> {
  static constexpr description about{
      .number = 3,
      .name = "interleaved",
      .idea =
          "strides from half the block down: neighbouring lanes touch neighbouring "
          "values",
      .improves = "every sector that is fetched is used whole",
      .evidence = {{{figure::load_efficiency, 3, 4},
                    {figure::sectors_per_request, 0.2, 0.35},
                    {figure::bytes_moved, 0.2, 0.35}}},
      .source = "document 001, reduceInterleaved",
      .corrections = "early return before the barriers and reads past the end, as in neighbored",
      .in_place = true,
      .least_block = 2};

  static double work(const shape& s) { return static_cast<double>(s.n - grid(s)); }

  template <class T, class Op>
  static void run(const pass<T>& p) {
    launch({.grid = p.grid, .block = p.block, .shared_bytes = 0, .stream = p.stream},
           interleaved_kernel<T, Op>, p.in, p.out, p.n, Op{});
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::reduce_ladder
