// The lanes of a warp with the same bin make one addition.
// Reads n values; one match for the 32 values of a warp; at most as many atomic additions in shared
// memory as bins differ in a warp, one in global memory a bin and block; two barriers; 4 bytes of
// shared memory a bin and warp.
#pragma once

#include "ladder/histogram/03_per_warp.cuh"

namespace warpfold::ladder::histogram_ladder {
inline namespace WARPFOLD_MACHINE {

template <class T, class Add>
__global__ void match_kernel(const T* in, unsigned* counts, std::size_t n, unsigned bins, Add add) {
  unsigned* const counters = dynamic_shared<unsigned>();
  clear(counters, blockDim.x / warp_size * bins);
  unsigned* const own = counters + threadIdx.x / warp_size * bins;
  const unsigned lanes_before = (1U << threadIdx.x % warp_size) - 1;
  for_each_bin(in, n, bins, [&](unsigned bin) {
    const unsigned same = __match_any_sync(all_lanes, bin);
    const bool is_first = (same & lanes_before) == 0;
    if (is_first && bin != no_bin) {
      add.atomic(own + bin, static_cast<unsigned>(__popc(static_cast<int>(same))));
    }
  });
  add_warps(counters, counts, bins, add);
}

struct match : by_warps {
  static constexpr description about{
      .number = 4,
      .name = "match",
      .idea = "the first of the lanes with the same bin adds their number",
      .improves = "the wait of lanes for each other's additions to the same counter",
      .evidence = {{{figure::operator_uses, 0.03, 0.95},
                    {figure::atomic_conflicts, 0, 0.9},
                    {figure::depth, 0.01, 0.5}}},
      .also = "time, where a few bins take most values",
      .source = "beyond the documents; __match_any_sync came with Volta (2017)",
      .capability = 70};

  static double depth_limit(const shape& s) { return rounds(s) + depth_of_merge(s); }

  template <class T, class Add>
  static unsigned run(const pass<T>& p, Add) {
    return count(p, grid(p.shape), shared_bytes(p.shape), match_kernel<T, Add>);
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::histogram_ladder
