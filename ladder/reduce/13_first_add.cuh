// Each thread adds two values as it loads them (Reduce 4).
// Reads n, writes n/(2 block) values of global memory; 1 + log2(block) barriers; block values
// shared. The operator must be commutative. Source: documents 002 and 003.
#pragma once

#include "ladder/reduce/launching.cuh"
#include "ladder/reduce/work.cuh"

namespace warpfold::ladder::reduce_ladder {
inline namespace WARPFOLD_MACHINE {

template <class T, class Op>
__global__ void first_add_kernel(const T* in, T* partials, std::size_t n, Op op) {
  T* const values = dynamic_shared<T>();
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x * 2 + tid;
  T value = i < n ? in[i] : Op::template identity<T>();
  if (i + blockDim.x < n) value = op(value, in[i + blockDim.x]);
  values[tid] = value;
  __syncthreads();
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (tid < stride) values[tid] = op(values[tid], values[tid + stride]);
    __syncthreads();
  }
  if (tid == 0) partials[blockIdx.x] = values[0];
}

struct first_add : block_per_tile<2> {
  static constexpr description about{
      .number = 13,
      .name = "first-add",
      .idea = "each thread loads two values and adds them before the tree",
      .improves = "half of the threads had nothing to do in the first step",
      .evidence = {{{figure::barriers, 0.4, 0.6}, {figure::shared_requests, 0.4, 0.6}}},
      .source = "documents 002, 003 and 004, Reduce 4",
      .corrections = "the published kernel reads g[i + blockDim.x] past the end",
      .least_block = 2,
      .published = {.g80_gbs = 17.377, .k40m_gbs = 24.3098}};

  static double work(const shape& s) { return grid(s) * (s.block - 1.0) + work_of_first_add(s); }

  template <class T, class Op>
  static void run(const pass<T>& p) {
    launch(
        {.grid = p.grid, .block = p.block, .shared_bytes = p.block * sizeof(T), .stream = p.stream},
        first_add_kernel<T, Op>, p.in, p.out, p.n, Op{});
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::reduce_ladder
