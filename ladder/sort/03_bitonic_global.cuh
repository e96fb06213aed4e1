// The bitonic network in global memory, one launch a step.
// log2(n)(log2(n) + 1)/2 launches, each of which reads n and writes up to n keys; about
// n log2(n)²/4 comparisons; no barrier. Any strict order; not stable. Source: document 002.
#pragma once

#include "ladder/sort/launching.cuh"

namespace warpfold::ladder::sort_ladder {
inline namespace WARPFOLD_MACHINE {

template <class K, class V, class Less>
__global__ void bitonic_global_kernel(columns<K, V> c, std::size_t n, std::size_t half,
                                      std::size_t mask, Less less) {
  const std::size_t t = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t low = lower_index(t, half);
  const std::size_t high = low ^ mask;
  if (high < n) compare_exchange(c, low, high, less);
}

struct bitonic_global : bitonic {
  static constexpr description about{
      .number = 3,
      .name = "bitonic-global",
      .idea = "merge runs of 2, 4, 8, …: the first step compares mirror images, the others strides",
      .improves = "the work: n log²(n)/4 comparisons in place of n²/2",
      .evidence = {{{figure::operator_uses, 0.001, 0.5}, {figure::launches, 0.0001, 0.5}}},
      .source = "document 002, bitonic sort",
      .corrections = "comparators all point one way, so that n need not be a power of two",
      .in_place = true,
      .least_block = 2};

  static unsigned grid(const shape& s) { return tiles_of(s.n, 2 * std::size_t{s.block}); }

  /// One step for all n keys of `p.out`: strides of `half`, or mirror images at up to `mask`.
  template <class K, class V, class Less>
  static unsigned step(const pass<K, V>& p, std::size_t half, std::size_t mask, Less less) {
    const std::size_t comparators = ceil_div(p.n, 2 * half) * half;
    launch(
        {.grid = tiles_of(comparators, p.shape.block), .block = p.shape.block, .stream = p.stream},
        bitonic_global_kernel<K, V, Less>, p.out, p.n, half, mask, less);
    return 1;
  }

  template <class K, class V, class Less>
  static unsigned run(const pass<K, V>& p, Less less) {
    unsigned launches = 0;
    for (std::size_t size = 2; size / 2 < p.n; size *= 2) {
      launches += step(p, size / 2, size - 1, less);
      for (std::size_t stride = size / 4; stride > 0; stride /= 2) {
        launches += step(p, stride, stride, less);
      }
    }
    return launches;
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::sort_ladder
