// One thread a value, one atomic addition to the result in global memory.
// Reads n values; n atomic additions in the L2 cache, where those to one counter wait for each
// other; no barrier; no shared memory. Any number of bins.
#pragma once

#include "ladder/histogram/launching.cuh"

namespace warpfold::ladder::histogram_ladder {
inline namespace WARPFOLD_MACHINE {

template <class T, class Add>
__global__ void global_atomics_kernel(const T* in, unsigned* counts, std::size_t n, unsigned bins,
                                      Add add) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned bin = bin_of(in[i], bins);
  if (bin != no_bin) add.atomic(counts + bin, 1);
}

struct global_atomics : without_scratch {
  static constexpr description about{
      .number = 1,
      .name = "global-atomics",
      .idea = "each thread adds 1 to its value's counter in global memory",
      .improves = "the starting point: a thread for each value in place of a loop over all",
      .also = "atomic sectors: those of one address wait for each other",
      .source = "beyond the documents; atomics came with compute capability 1.1 (2007)"};
  static constexpr ladder::work_formula textbook = work_formulas::additions;

  static unsigned grid(const shape& s) { return tiles_of(s.n, s.block); }
  static double depth_limit(const shape& s) { return static_cast<double>(s.n); }
  static double work(const shape& s) { return static_cast<double>(s.n); }

  template <class T, class Add>
  static unsigned run(const pass<T>& p, Add) {
    return count(p, grid(p.shape), 0, global_atomics_kernel<T, Add>);
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::histogram_ladder
