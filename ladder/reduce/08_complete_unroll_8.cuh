// Unroll-warps-8 with the tree's loop written out.
// Reads n + n/4, writes n/4 values of global memory; 5 barriers; no shared memory.
// The operator must be commutative. Source: document 001.
#pragma once

#include "ladder/reduce/launching.cuh"
#include "ladder/reduce/warp_tail.cuh"
#include "ladder/reduce/work.cuh"

namespace warpfold::ladder::reduce_ladder {
inline namespace WARPFOLD_MACHINE {

template <class T, class Op>
__global__ void complete_unroll_8_kernel(T* data, T* partials, std::size_t n, Op op) {
  const unsigned tid = threadIdx.x;
  const std::size_t base = std::size_t{blockIdx.x} * blockDim.x * 8;
  const std::size_t i = base + tid;
  const std::size_t width = blockDim.x;
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
  const auto count = static_cast<unsigned>(n - base < blockDim.x ? n - base : blockDim.x);
  if (blockDim.x >= 1024 && tid < 512 && tid + 512 < count)
    mine[tid] = op(mine[tid], mine[tid + 512]);
  __syncthreads();
  if (blockDim.x >= 512 && tid < 256 && tid + 256 < count)
    mine[tid] = op(mine[tid], mine[tid + 256]);
  __syncthreads();
  if (blockDim.x >= 256 && tid < 128 && tid + 128 < count)
    mine[tid] = op(mine[tid], mine[tid + 128]);
  __syncthreads();
  if (blockDim.x >= 128 && tid < 64 && tid + 64 < count) mine[tid] = op(mine[tid], mine[tid + 64]);
  __syncthreads();
  if (tid < 32) reduce_warp_tail(mine, tid, count, op);
  if (tid == 0) partials[blockIdx.x] = mine[0];
}

struct complete_unroll_8 : block_per_tile<8> {
  static constexpr description about{
      .number = 8,
      .name = "complete-unroll-8",
      .idea = "at most 1024 threads make a block, so the loop is written out",
      .improves = "no loop counter, no loop branch",
      .evidence = {{{figure::steps_per_warp, 0.5, 0.99}}},
      .source = "document 001, reduceCompleteUnrollWarps8",
      .corrections =
          "lockstep tail fixed with __syncwarp; the tail of n is kept; no read past the "
          "end",
      .in_place = true};

  static double work(const shape& s) { return work_in_place_with_tail(s); }

  template <class T, class Op>
  static void run(const pass<T>& p) {
    launch({.grid = p.grid, .block = p.block, .shared_bytes = 0, .stream = p.stream},
           complete_unroll_8_kernel<T, Op>, p.in, p.out, p.n, Op{});
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::reduce_ladder
