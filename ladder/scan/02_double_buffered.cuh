// Hillis and Steele's scan between two buffers: one barrier a step in place of two.
// A tile of B = block values: B log2(B) - B + 1 applications, 1 + log2(B) barriers, 2B values of
// shared memory. Any associative operator. Source: document 002, Algorithm 2.
#pragma once

#include "ladder/scan/launching.cuh"

namespace warpfold::ladder::scan_ladder {
inline namespace WARPFOLD_MACHINE {

template <class T, class Op>
__global__ void double_buffered_kernel(tiles<T> t, Op op) {
  T* from = dynamic_shared<T>();
  T* to = from + blockDim.x;
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + tid;
  from[tid] = i < t.n ? t.in[i] : Op::template identity<T>();
  __syncthreads();
  for (unsigned offset = 1; offset < blockDim.x; offset *= 2) {
    T sum = from[tid];
    if (tid >= offset) sum = op(from[tid - offset], sum);
    to[tid] = sum;
    __syncthreads();
    T* const scanned = to;
    to = from;
    from = scanned;
  }
  if (i < t.n) {
    const T left = tid > 0 ? from[tid - 1] : Op::template identity<T>();
    t.out[i] = t.exclusive ? left : from[tid];
  }
  if (t.totals != nullptr && tid == blockDim.x - 1) t.totals[blockIdx.x] = from[tid];
}

struct double_buffered : by_tiles<1> {
  static constexpr description about{
      .number = 2,
      .name = "double-buffered",
      .idea = "each step reads one buffer and writes the other, then they swap",
      .improves = "the barrier between reading and writing",
      .evidence = {{{figure::barriers, 0.4, 0.6}}},
      .source = "document 002, Algorithm 2 and its CUDA code",
      .corrections = "the published code adds into the stale value of the buffer it writes",
      .least_block = 2};

  static constexpr ladder::work_formula textbook = work_formulas::hillis_steele;
  static double work(const shape& s) {
    const double block = s.block;
    return work_by_tiles(s.n, tile(s), block * std::log2(block) - (block - 1));
  }

  template <class T, class Op>
  static unsigned run(const pass<T>& p) {
    return scan_by_tiles(p, tile(p.shape), 2 * p.shape.block * sizeof(T),
                         double_buffered_kernel<T, Op>);
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::scan_ladder
