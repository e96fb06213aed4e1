// Each thread has counters of its own, of one byte, four to a word. Words of a block's threads lie
// side by side: thread t's are on bank t % 32.
//
//   shared memory | bins 0 to 3 of thread 0, 1, … | bins 4 to 7 of thread 0, 1, … | …
//
// A thread adds its counters up with the others' before one can hold more than 255.
// Reads n values; n additions in shared memory, none of them atomic and none with a conflict; one
// atomic addition in global memory a bin, block and 255 values of a thread; two barriers for as
// many; a byte of shared memory a bin and thread, so that 256 threads take at most 256 bins.
#pragma once

#include "ladder/histogram/launching.cuh"
#include "warpfold/warp/reduce.cuh"

namespace warpfold::ladder::histogram_ladder {
inline namespace WARPFOLD_MACHINE {

/// Adds all threads' counters to the result, and zeroes them.
template <class Add>
__device__ __forceinline__ void add_threads(unsigned* counters, unsigned* counts, unsigned bins,
                                            Add add) {
  __syncthreads();
  const unsigned warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
  for (unsigned bin = 4 * warp; bin < bins; bin += blockDim.x / warp_size * 4) {
    unsigned* const words = counters + bin / 4 * blockDim.x;
    unsigned sum[4] = {};
    for (unsigned t = lane; t < blockDim.x; t += warp_size) {
      const unsigned word = words[t];
      words[t] = 0;
#pragma unroll
      for (unsigned k = 0; k < 4; ++k) sum[k] += word >> 8 * k & 0xff;
    }
    unsigned own = 0;  // of lane k: of bin + k
#pragma unroll
    for (unsigned k = 0; k < 4; ++k) {
      const unsigned all = __shfl_sync(all_lanes, warp_reduce(sum[k], plus{}), 0);
      if (lane == k) own = all;
    }
    if (lane < 4 && bin + lane < bins) add.atomic(counts + bin + lane, own);
  }
  __syncthreads();
}

template <class T, class Add>
__global__ void packed_kernel(const T* in, unsigned* counts, std::size_t n, unsigned bins,
                              Add add) {
  constexpr unsigned most = 255;  // that a byte can hold
  unsigned* const counters = dynamic_shared<unsigned>();
  clear(counters, (bins + 3) / 4 * blockDim.x);
  unsigned values = 0;
  for_each_bin(in, n, bins, [&](unsigned bin) {
    if (values == most) {
      add_threads(counters, counts, bins, add);
      values = 0;
    }
    if (bin != no_bin) add(counters[bin / 4 * blockDim.x + threadIdx.x], 1U << 8 * (bin % 4));
    ++values;
  });
  add_threads(counters, counts, bins, add);
}

struct packed : in_shared_memory {
  static constexpr description about{
      .number = 5,
      .name = "packed",
      .idea = "each thread has counters of one byte, four to a word",
      .improves = "the atomics: no two threads share a counter",
      .evidence = {{{figure::atomics, 0.001, 0.5}, {figure::atomic_conflicts, 0, 0}}},
      .also = "time, whatever the values are",
      .source = "beyond the documents; Podlozhnyuk (2007), histogram64"};

  static std::size_t most_bins(const shape& s) { return 4 * (shared_words / s.block); }
  static double merges(const shape& s) { return std::max(1.0, std::ceil(rounds(s) / 255)); }
  static double depth_limit(const shape& s) {
    return std::min(rounds(s), 255.0) + s.block / 32.0 + 5 + grid(s) * merges(s);
  }
  static double work(const shape& s) {
    return static_cast<double>(s.n) + grid(s) * merges(s) * s.bins;
  }

  template <class T, class Add>
  static unsigned run(const pass<T>& p, Add) {
    const std::size_t words = ceil_div(p.shape.bins, 4) * p.shape.block;
    return count(p, grid(p.shape), words * sizeof(unsigned), packed_kernel<T, Add>);
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::histogram_ladder
