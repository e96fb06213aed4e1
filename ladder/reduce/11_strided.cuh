// Reduce 1 with the work packed into the first threads (Reduce 2).
// Reads n, writes n/block values of global memory; 1 + log2(block) barriers; block values shared.
// Commutative or not, any associative operator. Source: document 002.
#pragma once

#include "ladder/reduce/launching.cuh"

namespace warpfold::ladder::reduce_ladder {
inline namespace WARPFOLD_MACHINE {

template <class T, class Op>
__global__ void strided_kernel(const T* in, T* partials, std::size_t n, Op op) {
  T* const values = dynamic_shared<T>();
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + tid;
  values[tid] = i < n ? in[i] : Op::template identity<T>();
  __syncthreads();
  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    const unsigned index = 2 * stride * tid;
    if (index < blockDim.x) values[index] = op(values[index], values[index + stride]);
    __syncthreads();
  }
  if (tid == 0) partials[blockIdx.x] = values[0];
}

struct strided : block_per_tile<1> {
  static constexpr description about{
      .number = 11,
      .name = "strided",
      .idea = "threads 0, 1, 2, … do the adding, with a strided index",
      .improves = "no modulo, and lanes of a warp agree on the branch",
      .evidence = {{{figure::branch_uniformity, 1.2, 2}, {figure::bank_conflicts, 1, 9e+09}}},
      .source = "documents 002 and 004, Reduce 2",
      .least_block = 2,
      .published = {.g80_gbs = 4.854, .k40m_gbs = 11.6117}};

  static double work(const shape& s) { return grid(s) * (s.block - 1.0); }

  template <class T, class Op>
  static void run(const pass<T>& p) {
    launch(
        {.grid = p.grid, .block = p.block, .shared_bytes = p.block * sizeof(T), .stream = p.stream},
        strided_kernel<T, Op>, p.in, p.out, p.n, Op{});
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::reduce_ladder
