// Many values a thread, then one tree (Reduce 7).
// Reads n, writes one value a block, of a grid that just fills the machine; log2(block) - 5
// barriers; block values shared. Brent's theorem: with O(log n) or more values a thread, the cost
// (threads x time) is O(n). The operator must be commutative. Source: documents 002 and 004.
#pragma once

#include "ladder/reduce/launching.cuh"
#include "ladder/reduce/warp_tail.cuh"
#include "ladder/reduce/work.cuh"

namespace warpfold::ladder::reduce_ladder {
inline namespace WARPFOLD_MACHINE {

template <unsigned Block, class T, class Op>
__global__ void cascade_kernel(const T* in, T* partials, std::size_t n, Op op) {
  T* const values = dynamic_shared<T>();
  const unsigned tid = threadIdx.x;
  const std::size_t grid_stride = std::size_t{gridDim.x} * Block * 2;
  T value = Op::template identity<T>();
  for (std::size_t i = std::size_t{blockIdx.x} * Block * 2 + tid; i < n; i += grid_stride) {
    value = op(value, in[i]);
    if (i + Block < n) value = op(value, in[i + Block]);
  }
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

struct cascade : resident_grid<2> {
  static constexpr description about{
      .number = 16,
      .name = "cascade",
      .idea =
          "a grid that just fills the machine; each thread adds many values before the "
          "tree",
      .improves = "few trees and few barriers for much data: memory bandwidth is the limit",
      .evidence = {{{figure::barriers, 0.1, 0.65}, {figure::shared_requests, 0.1, 0.65}}},
      .also = "time",
      .source = "documents 002 and 004, Reduce 7",
      .corrections = "the published loop reads g[i + blockSize] past the end; lockstep tail",
      .published = {.g80_gbs = 62.671, .k40m_gbs = 96.8672}};

  static double work(const shape& s) {
    return static_cast<double>(s.n) + grid(s) * work_of_tree_with_tail(s.block);
  }

  template <class T, class Op>
  static void run(const pass<T>& p) {
    with_block_size(p.block, [&]<unsigned Block>() {
      launch(
          {.grid = p.grid, .block = Block, .shared_bytes = Block * sizeof(T), .stream = p.stream},
          cascade_kernel<Block, T, Op>, p.in, p.out, p.n, Op{});
    });
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::reduce_ladder
