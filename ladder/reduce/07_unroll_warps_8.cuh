// Unroll-8, and the last warp finishes alone, without block barriers.
// Reads n + n/4, writes n/4 values of global memory; log2(block) - 5 barriers; no shared memory.
// The operator must be commutative. Source: document 001.
#pragma once

#include "ladder/reduce/launching.cuh"
#include "ladder/reduce/warp_tail.cuh"
#include "ladder/reduce/work.cuh"

namespace warpfold::ladder::reduce_ladder {
inline namespace WARPFOLD_MACHINE {

template <class T, class Op>
__global__ void unroll_warps_8_kernel(T* data, T* partials, std::size_t n, Op op) {
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
  for (unsigned stride = blockDim.x / 2; stride > 32; stride /= 2) {
    if (tid < stride && tid + stride < count) mine[tid] = op(mine[tid], mine[tid + stride]);
    __syncthreads();
  }
  if (tid < 32) reduce_warp_tail(mine, tid, count, op);
  if (tid == 0) partials[blockIdx.x] = mine[0];
}

struct unroll_warps_8 : block_per_tile<8> {
  static constexpr description about{
      .number = 7,
      .name = "unroll-warps-8",
      .idea = "the last six steps need one warp only, so they need no block barrier",
      .improves = "six barriers fewer, at which all other warps had nothing to do",
      .evidence = {{{figure::barriers, 0.2, 0.5}, {figure::steps_per_warp, 0.5, 0.99}}},
      .source = "document 001, reduceUnrollWarps8",
      .corrections =
          "the published tail relies on lockstep and volatile; here __syncwarp orders "
          "it; the tail of n is kept",
      .in_place = true};

  static double work(const shape& s) { return work_in_place_with_tail(s); }

  template <class T, class Op>
  static void run(const pass<T>& p) {
    launch({.grid = p.grid, .block = p.block, .shared_bytes = 0, .stream = p.stream},
           unroll_warps_8_kernel<T, Op>, p.in, p.out, p.n, Op{});
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::reduce_ladder
