// Complete-unroll-8 with the block size known to the compiler.
// Reads n + n/4, writes n/4 values of global memory; a barrier for each step above a warp.
// The operator must be commutative. Source: document 001.
#pragma once

#include "ladder/reduce/launching.cuh"
#include "ladder/reduce/warp_tail.cuh"
#include "ladder/reduce/work.cuh"

namespace warpfold::ladder::reduce_ladder {
inline namespace WARPFOLD_MACHINE {

template <unsigned Block, class T, class Op>
__global__ void complete_unroll_template_kernel(T* data, T* partials, std::size_t n, Op op) {
  const unsigned tid = threadIdx.x;
  const std::size_t base = std::size_t{blockIdx.x} * Block * 8;
  const std::size_t i = base + tid;
  constexpr std::size_t width = Block;
  if (i + 7 * width < n) {
    const T a0 = data[i];
    const T a1 = data[i + width];
    const T a2 = data[i + 2 * width];
    const T a3 = data[i + 3 * width];
    const T a4 = data[i + 4 * width];
    const T a5 = data[i + 5 * width];
    const T a6 = data[i + 6 * width];
    const T a7 = data[i + 7 * width];
    data[i] = op(op(op(a0, a1), op(a2, a3)), op(op(a4, a5), op(a6, a7)));
  } else {
    for (std::size_t j = i + width; j < n; j += width) data[i] = op(data[i], data[j]);
  }
  __syncthreads();
  T* const mine = data + base;
  const auto count = static_cast<unsigned>(n - base < Block ? n - base : Block);
  if constexpr (Block >= 1024) {
    if (tid < 512 && tid + 512 < count) mine[tid] = op(mine[tid], mine[tid + 512]);
    __syncthreads();
  }
  if constexpr (Block >= 512) {
    if (tid < 256 && tid + 256 < count) mine[tid] = op(mine[tid], mine[tid + 256]);
    __syncthreads();
  }
  if constexpr (Block >= 256) {
    if (tid < 128 && tid + 128 < count) mine[tid] = op(mine[tid], mine[tid + 128]);
    __syncthreads();
  }
  if constexpr (Block >= 128) {
    if (tid < 64 && tid + 64 < count) mine[tid] = op(mine[tid], mine[tid + 64]);
    __syncthreads();
  }
  if (tid < 32) reduce_warp_tail(mine, tid, count, op);
  if (tid == 0) partials[blockIdx.x] = mine[0];
}

struct complete_unroll_template : block_per_tile<8> {
  static constexpr description about{
      .number = 9,
      .name = "complete-unroll-template",
      .idea = "the block size is a template parameter, chosen by a switch on the host",
      .improves = "tests of the block size, and their barriers, are gone at compile time",
      .evidence = {{{figure::barriers, 0.4, 0.9}, {figure::steps_per_warp, 0.5, 0.99}}},
      .source = "document 001, reduceCompleteUnroll",
      .corrections =
          "lockstep tail fixed with __syncwarp; the tail of n is kept; no read past the "
          "end",
      .in_place = true};

  static double work(const shape& s) { return work_in_place_with_tail(s); }

  template <class T, class Op>
  static void run(const pass<T>& p) {
    with_block_size(p.block, [&]<unsigned Block>() {
      launch({.grid = p.grid, .block = Block, .stream = p.stream},
             complete_unroll_template_kernel<Block, T, Op>, p.in, p.out, p.n, Op{});
    });
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::reduce_ladder
