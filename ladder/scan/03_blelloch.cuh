// A tree of sums built upwards, then turned into prefixes downwards (Blelloch).
// A tile of B = 2 block values: 2(B - 1) applications, 2 log2(B) + 2 barriers, B values of shared
// memory. The tree gives the exclusive scan; the inclusive one is the same, one place further left.
// Any associative operator. Source: document 002, prescan.
#pragma once

#include "ladder/scan/launching.cuh"

namespace warpfold::ladder::scan_ladder {
inline namespace WARPFOLD_MACHINE {

template <class T, class Op>
__global__ void blelloch_kernel(tiles<T> t, Op op) {
  T* const values = dynamic_shared<T>();
  const unsigned tid = threadIdx.x;
  const unsigned tile = 2 * blockDim.x;
  const std::size_t base = std::size_t{blockIdx.x} * tile;
  for (unsigned k = 2 * tid; k < 2 * tid + 2; ++k) {
    values[k] = base + k < t.n ? t.in[base + k] : Op::template identity<T>();
  }
  unsigned stride = 1;
  for (unsigned nodes = blockDim.x; nodes > 0; nodes /= 2, stride *= 2) {
    __syncthreads();
    if (tid < nodes) {
      const unsigned left = stride * (2 * tid + 1) - 1;
      const unsigned right = left + stride;
      values[right] = op(values[left], values[right]);
    }
  }
  __syncthreads();
  if (tid == 0) {
    if (t.totals != nullptr) t.totals[blockIdx.x] = values[tile - 1];
    if (!t.exclusive && base + tile <= t.n) t.out[base + tile - 1] = values[tile - 1];
    values[tile - 1] = Op::template identity<T>();
  }
  for (unsigned nodes = 1; nodes <= blockDim.x; nodes *= 2) {
    stride /= 2;
    __syncthreads();
    if (tid < nodes) {
      const unsigned left = stride * (2 * tid + 1) - 1;
      const unsigned right = left + stride;
      const T sum = values[left];
      values[left] = values[right];
      values[right] = op(values[right], sum);
    }
  }
  __syncthreads();
  const unsigned shift = t.exclusive ? 0 : 1;
  for (unsigned k = 2 * tid; k < 2 * tid + 2; ++k) {
    const T prefix = values[k];
    if (k >= shift && base + k - shift < t.n) t.out[base + k - shift] = prefix;
  }
}

struct blelloch : by_tiles<2> {
  static constexpr description about{
      .number = 3,
      .name = "blelloch",
      .idea = "sums up a balanced tree, prefixes down the same tree",
      .improves = "the work: 2(n - 1) applications in place of n log2(n)",
      .evidence = {{{figure::operator_uses, 0.1, 0.5}, {figure::bank_conflicts, 1.5, 9e+09}}},
      .source = "document 002, Blelloch scan",
      .corrections = "any n: the published tile must be full",
      .least_block = 2};

  static constexpr ladder::work_formula textbook = work_formulas::blelloch;
  static double work(const shape& s) { return work_by_tiles(s.n, tile(s), 2 * (tile(s) - 1.0)); }

  template <class T, class Op>
  static unsigned run(const pass<T>& p) {
    return scan_by_tiles(p, tile(p.shape), tile(p.shape) * sizeof(T), blelloch_kernel<T, Op>);
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::scan_ladder
