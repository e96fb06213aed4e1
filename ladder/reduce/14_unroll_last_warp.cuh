// First-add, and the last warp finishes alone (Reduce 5).
// Reads n, writes n/(2 block) values of global memory; log2(block) - 5 barriers; block values
// shared. The operator must be commutative. Source: documents 002 and 004.
#pragma once

#include "ladder/reduce/launching.cuh"
#include "ladder/reduce/warp_tail.cuh"
#include "ladder/reduce/work.cuh"

namespace warpfold::ladder::reduce_ladder {
inline namespace WARPFOLD_MACHINE {

template <class T, class Op>
__global__ void unroll_last_warp_kernel(const T* in, T* partials, std::size_t n, Op op) {
  T* const values = dynamic_shared<T>();
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x * 2 + tid;
  T value = i < n ? in[i] : Op::template identity<T>();
  if (i + blockDim.x < n) value = op(value, in[i + blockDim.x]);
  values[tid] = value;
  __syncthreads();
  for (unsigned stride = blockDim.x / 2; stride > 32; stride /= 2) {
    if (tid < stride) values[tid] = op(values[tid], values[tid + stride]);
    __syncthreads();
  }
  if (tid < 32) reduce_warp_tail(values, tid, blockDim.x, op);
  if (tid == 0) partials[blockIdx.x] = values[0];
}

struct unroll_last_warp : block_per_tile<2> {
  static constexpr description about{
      .number = 14,
      .name = "unroll-last-warp",
      .idea = "the last six steps need one warp only, so they need no block barrier",
      .improves = "the barriers of six steps, and the idle warps at them",
      .evidence = {{{figure::barriers, 0.2, 0.5}, {figure::steps_per_warp, 0.5, 0.99}}},
      .source = "documents 002 and 004, Reduce 5",
      .corrections =
          "the published tail relies on lockstep (and without volatile the compiler "
          "breaks it); here __syncwarp orders it",
      .published = {.g80_gbs = 31.289, .k40m_gbs = 32.1053}};

  static double work(const shape& s) {
    return grid(s) * work_of_tree_with_tail(s.block) + work_of_first_add(s);
  }

  template <class T, class Op>
  static void run(const pass<T>& p) {
    launch(
        {.grid = p.grid, .block = p.block, .shared_bytes = p.block * sizeof(T), .stream = p.stream},
        unroll_last_warp_kernel<T, Op>, p.in, p.out, p.n, Op{});
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::reduce_ladder
