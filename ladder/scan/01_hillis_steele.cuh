// Each value adds the one 1, 2, 4, … positions to its left, in one buffer (Hillis and Steele).
// A tile of B = block values: B log2(B) - B + 1 applications, 1 + 2 log2(B) barriers, B values of
// shared memory. Any associative operator. Source: document 002, Algorithm 1.
#pragma once

#include "ladder/scan/launching.cuh"

namespace warpfold::ladder::scan_ladder {
inline namespace WARPFOLD_MACHINE {

template <class T, class Op>
__global__ void hillis_steele_kernel(tiles<T> t, Op op) {
  T* const values = dynamic_shared<T>();
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + tid;
  values[tid] = i < t.n ? t.in[i] : Op::template identity<T>();
  __syncthreads();
  for (unsigned offset = 1; offset < blockDim.x; offset *= 2) {
    T sum = values[tid];
    if (tid >= offset) sum = op(values[tid - offset], sum);
    __syncthreads();  // all have read
    values[tid] = sum;
    __syncthreads();
  }
  if (i < t.n) {
    const T left = tid > 0 ? values[tid - 1] : Op::template identity<T>();
    t.out[i] = t.exclusive ? left : values[tid];
  }
  if (t.totals != nullptr && tid == blockDim.x - 1) t.totals[blockIdx.x] = values[tid];
}

struct hillis_steele : by_tiles<1> {
  static constexpr description about{
      .number = 1,
      .name = "hillis-steele",
      .idea = "in step d each value takes on the one 2^d places to its left",
      .improves = "the starting point: log2(block) steps in place of a loop over all values",
      .also = "depth, and operator uses",
      .source = "document 002, Hillis/Steele scan (Algorithm 1)",
      .corrections =
          "the published step reads what another warp has already overwritten; here a barrier "
          "separates reading from writing",
      .least_block = 2};

  static constexpr ladder::work_formula textbook = work_formulas::hillis_steele;
  static double work(const shape& s) {
    const double block = s.block;
    return work_by_tiles(s.n, tile(s), block * std::log2(block) - (block - 1));
  }

  template <class T, class Op>
  static unsigned run(const pass<T>& p) {
    return scan_by_tiles(p, tile(p.shape), p.shape.block * sizeof(T), hillis_steele_kernel<T, Op>);
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::scan_ladder
