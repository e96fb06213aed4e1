// Each block counts in shared memory and adds its counts to the result once.
// Reads n values; n atomic additions in shared memory, one in global memory a bin and block; two
// barriers; 4 bytes of shared memory a bin, so that there are at most 16,384.
#pragma once

#include "ladder/histogram/launching.cuh"

namespace warpfold::ladder::histogram_ladder {
inline namespace WARPFOLD_MACHINE {

template <class T, class Add>
__global__ void shared_atomics_kernel(const T* in, unsigned* counts, std::size_t n, unsigned bins,
                                      Add add) {
  unsigned* const counters = dynamic_shared<unsigned>();
  clear(counters, bins);
  for_each_bin(in, n, bins, [&](unsigned bin) {
    if (bin != no_bin) add.atomic(counters + bin, 1);
  });
  __syncthreads();
  for (unsigned bin = threadIdx.x; bin < bins; bin += blockDim.x) {
    add.atomic(counts + bin, counters[bin]);
  }
}

struct shared_atomics : in_shared_memory {
  static constexpr description about{
      .number = 2,
      .name = "shared-atomics",
      .idea = "each block has counters in shared memory and adds them to the result once",
      .improves = "the atomics in global memory: one a bin and block in place of one a value",
      .evidence = {{{figure::atomic_sectors, 0.001, 0.1}, {figure::depth, 0.001, 0.6}}},
      .also = "time",
      .source =
          "beyond the documents; atomics in shared memory came with compute capability 1.2 (2008)"};

  static std::size_t most_bins(const shape&) { return shared_words; }
  static double depth_limit(const shape& s) { return rounds(s) * s.block + grid(s); }
  static double work(const shape& s) { return additions(s); }

  template <class T, class Add>
  static unsigned run(const pass<T>& p, Add) {
    return count(p, grid(p.shape), p.shape.bins * sizeof(unsigned), shared_atomics_kernel<T, Add>);
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::histogram_ladder
