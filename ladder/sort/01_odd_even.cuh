// Odd-even transposition: neighbours compare, n times over ("bubble sort as a network").
// n launches, n(n - 1)/2 comparisons; reads 2n and writes up to 2n keys of global memory for each
// pair of launches; no barrier. Any strict order; not stable. Source: document 002.
#pragma once

#include "ladder/sort/launching.cuh"

namespace warpfold::ladder::sort_ladder {
inline namespace WARPFOLD_MACHINE {

template <class K, class V, class Less>
__global__ void odd_even_kernel(columns<K, V> c, std::size_t n, unsigned odd, Less less) {
  const std::size_t t = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t low = 2 * t + odd;
  if (low + 1 < n) compare_exchange(c, low, low + 1, less);
}

struct odd_even : without_scratch {
  static constexpr description about{
      .number = 1,
      .name = "odd-even",
      .idea = "even pairs of neighbours compare, then odd ones, n times over",
      .improves = "the starting point: n comparisons side by side in place of one after the other",
      .also = "operator uses, n²/2, and launches",
      .source = "document 002, bubble sort as a network",
      .in_place = true,
      .least_block = 2,
      .most_values = 1 << 10};

  static unsigned grid(const shape& s) { return tiles_of(s.n, 2 * std::size_t{s.block}); }
  static double depth_limit(const shape& s) { return static_cast<double>(s.n); }

  static constexpr ladder::work_formula textbook = work_formulas::transposition;
  static double work(const shape& s) { return textbook.of(static_cast<double>(s.n)); }

  template <class K, class V, class Less>
  static unsigned run(const pass<K, V>& p, Less less) {
    for (unsigned round = 0; round < p.n; ++round) {
      launch({.grid = grid(p.shape), .block = p.shape.block, .stream = p.stream},
             odd_even_kernel<K, V, Less>, p.out, p.n, round % 2, less);
    }
    return static_cast<unsigned>(p.n);
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::sort_ladder
