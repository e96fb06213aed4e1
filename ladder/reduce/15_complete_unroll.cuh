// The tree's loop unrolled for a block size known to the compiler (Reduce 6).
// Reads n, writes n/(2 block) values of global memory; log2(block) - 5 barriers; block values
// shared. The operator must be commutative. Source: documents 002 and 004.
#pragma once

#include "ladder/reduce/launching.cuh"
#include "ladder/reduce/warp_tail.cuh"
#include "ladder/reduce/work.cuh"

namespace warpfold::ladder::reduce_ladder {
inline namespace WARPFOLD_MACHINE {

template <unsigned Block, class T, class Op>
__global__ void complete_unroll_kernel(const T* in, T* partials, std::size_t n, Op op) {
  T* const values = dynamic_shared<T>();
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * Block * 2 + tid;
  T value = i < n ? in[i] : Op::template identity<T>();
  if (i + Block < n) value = op(value, in[i + Block]);
  values[tid] = value;
  __syncthreads();
  if constexpr (Block >= 1024) {
    if (tid < 512) values[tid] = op(values[tid], values[tid + 512]);
    __syncthreads();
  }
  if constexpr (Block >= 512) {
    if (tid < 256) values[tid] = op(values[tid], values[tid + 256]);
    __syncthreads();
  }
  if constexpr (Block >= 256) {
    if (tid < 128) values[tid] = op(values[tid], values[tid + 128]);
    __syncthreads();
  }
  if constexpr (Block >= 128) {
    if (tid < 64) values[tid] = op(values[tid], values[tid + 64]);
    __syncthreads();
  }
  if (tid < 32) reduce_warp_tail(values, tid, Block, op);
  if (tid == 0) partials[blockIdx.x] = values[0];
}

struct complete_unroll : block_per_tile<2> {
  static constexpr description about{
      .number = 15,
      .name = "complete-unroll",
      .idea = "the block size is a template parameter: the tree is straight-line code",
      .improves = "no loop counter, no loop branch",
      .evidence = {{{figure::steps_per_warp, 0.5, 0.99}}},
      .source = "documents 002 and 004, Reduce 6",
      .corrections = "lockstep tail and read past the end, as in rungs 13 and 14",
      .published = {.g80_gbs = 43.996, .k40m_gbs = 34.9014}};

  static double work(const shape& s) {
    return grid(s) * work_of_tree_with_tail(s.block) + work_of_first_add(s);
  }

  template <class T, class Op>
  static void run(const pass<T>& p) {
    with_block_size(p.block, [&]<unsigned Block>() {
      launch(
          {.grid = p.grid, .block = Block, .shared_bytes = Block * sizeof(T), .stream = p.stream},
          complete_unroll_kernel<Block, T, Op>, p.in, p.out, p.n, Op{});
    });
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::reduce_ladder
