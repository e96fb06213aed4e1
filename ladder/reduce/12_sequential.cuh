// Strides from half the block down, in shared memory (Reduce 3).
// Reads n, writes n/block values of global memory; 1 + log2(block) barriers; block values shared.
// The operator must be commutative. Source: document 002.
#pragma once

#include "ladder/reduce/launching.cuh"

namespace warpfold::ladder::reduce_ladder {
inline namespace WARPFOLD_MACHINE {

template <class T, class Op>
__global__ void sequential_kernel(const T* in, T* partials, std::size_t n, Op op) {
  T* const values = dynamic_shared<T>();
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + tid;
  values[tid] = i < n ? in[i] : Op::template identity<T>();
  __syncthreads();
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (tid < stride) values[tid] = op(values[tid], values[tid + stride]);
    __syncthreads();
  }
  if (tid == 0) partials[blockIdx.x] = values[0];
}

struct sequential : block_per_tile<1> {
  static constexpr description about{
      .number = 12,
      .name = "sequential",
      .idea = "neighbouring lanes read neighbouring words, each from its own bank",
      .improves = "the bank conflicts are gone",
      .evidence = {{{figure::bank_conflicts, 0, 0}}},
      .source = "documents 002, 003 and 004, Reduce 3",
      .least_block = 2,
      .published = {.g80_gbs = 9.741, .k40m_gbs = 13.839}};

  static double work(const shape& s) { return grid(s) * (s.block - 1.0); }

  template <class T, class Op>
  static void run(const pass<T>& p) {
    launch(
        {.grid = p.grid, .block = p.block, .shared_bytes = p.block * sizeof(T), .stream = p.stream},
        sequential_kernel<T, Op>, p.in, p.out, p.n, Op{});
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::reduce_ladder
