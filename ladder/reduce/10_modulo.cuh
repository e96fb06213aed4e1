// A tree over neighbouring pairs in shared memory (Reduce 1).
// Reads n, writes n/block values of global memory; 1 + log2(block) barriers; block values shared.
// Commutative or not, any associative operator. Source: document 002.
#pragma once

#include "ladder/reduce/launching.cuh"

namespace warpfold::ladder::reduce_ladder {
inline namespace WARPFOLD_MACHINE {

template <class T, class Op>
__global__ void modulo_kernel(const T* in, T* partials, std::size_t n, Op op) {
  T* const values = dynamic_shared<T>();
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + tid;
  values[tid] = i < n ? in[i] : Op::template identity<T>();
  __syncthreads();
  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    if (tid % (2 * stride) == 0) values[tid] = op(values[tid], values[tid + stride]);
    __syncthreads();
  }
  if (tid == 0) partials[blockIdx.x] = values[0];
}

struct modulo : block_per_tile<1> {
  static constexpr description about{
      .number = 10,
      .name = "modulo",
      .idea = "the tree moves to shared memory; each value is read from global memory once",
      .improves = "global traffic falls to one read of the input; the input stays as it was",
      .evidence = {{{figure::load_requests, 0.05, 0.12}, {figure::bytes_moved, 0.05, 0.12}}},
      .source = "documents 002 and 004, Reduce 1",
      .begins_series = true,
      .compared_with = 1,
      .least_block = 2,
      .published = {.g80_gbs = 2.083, .k40m_gbs = 8.1951}};

  static double work(const shape& s) { return grid(s) * (s.block - 1.0); }

  template <class T, class Op>
  static void run(const pass<T>& p) {
    launch(
        {.grid = p.grid, .block = p.block, .shared_bytes = p.block * sizeof(T), .stream = p.stream},
        modulo_kernel<T, Op>, p.in, p.out, p.n, Op{});
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::reduce_ladder
