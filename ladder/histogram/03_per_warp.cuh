// Each warp counts in counters of its own.
//
//   shared memory | counters of warp 0 | of warp 1 | …
//
// Reads n values; n atomic additions in shared memory, where no warp waits for another's, one in
// global memory a bin and block; two barriers; 4 bytes of shared memory a bin and warp.
#pragma once

#include "ladder/histogram/launching.cuh"

namespace warpfold::ladder::histogram_ladder {
inline namespace WARPFOLD_MACHINE {

/// Adds the sum of all warps' counters to the result.
template <class Add>
__device__ __forceinline__ void add_warps(const unsigned* counters, unsigned* counts, unsigned bins,
                                          Add add) {
  __syncthreads();
  for (unsigned bin = threadIdx.x; bin < bins; bin += blockDim.x) {
    unsigned sum = 0;
    for (unsigned w = 0; w < blockDim.x / warp_size; ++w) sum += counters[w * bins + bin];
    add.atomic(counts + bin, sum);
  }
}

template <class T, class Add>
__global__ void per_warp_kernel(const T* in, unsigned* counts, std::size_t n, unsigned bins,
                                Add add) {
  unsigned* const counters = dynamic_shared<unsigned>();
  clear(counters, blockDim.x / warp_size * bins);
  unsigned* const own = counters + threadIdx.x / warp_size * bins;
  for_each_bin(in, n, bins, [&](unsigned bin) {
    if (bin != no_bin) add.atomic(own + bin, 1);
  });
  add_warps(counters, counts, bins, add);
}

/// A rung with counters for each warp.
struct by_warps : in_shared_memory {
  static std::size_t most_bins(const shape& s) { return shared_words / (s.block / 32); }
  static std::size_t shared_bytes(const shape& s) {
    return std::size_t{s.block / 32} * s.bins * sizeof(unsigned);
  }
  /// From the counters of a warp on.
  static double depth_of_merge(const shape& s) { return s.block / 32.0 + grid(s); }
};

struct per_warp : by_warps {
  static constexpr description about{
      .number = 3,
      .name = "per-warp",
      .idea = "each warp has counters in shared memory",
      .improves = "the wait of a warp for another's addition to the same counter",
      .evidence = {{{figure::depth, 0.01, 0.7}}},
      .also = "time, where a few bins take most values",
      .source = "beyond the documents; Podlozhnyuk (2007), histogram256"};

  static double depth_limit(const shape& s) { return rounds(s) * 32 + depth_of_merge(s); }
  static double work(const shape& s) { return additions(s); }

  template <class T, class Add>
  static unsigned run(const pass<T>& p, Add) {
    return count(p, grid(p.shape), shared_bytes(p.shape), per_warp_kernel<T, Add>);
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::histogram_ladder
