// Several copies of a block's counters. Copies of a counter lie side by side, on banks of their
// own, and each lane adds to its copy: with 32 copies lane l is alone on bank l, also where all
// values are one.
//
//   shared memory | copies 0 to 31 of bin 0 | of bin 1 | …
//
// Reads n values; n atomic additions in shared memory, without a conflict up to 512 bins; one in
// global memory a bin and block; two barriers; 128 bytes of shared memory a bin, or fewer copies
// where the bins are many.
#pragma once

#include <bit>

#include "ladder/histogram/launching.cuh"

namespace warpfold::ladder::histogram_ladder {
inline namespace WARPFOLD_MACHINE {

/// A power of two.
__host__ __device__ constexpr unsigned copies_of(unsigned bins) {
  unsigned copies = 32;
  while (copies > 1 && copies * bins > shared_words) copies /= 2;
  return copies;
}

template <class T, class Add>
__global__ void copies_kernel(const T* in, unsigned* counts, std::size_t n, unsigned bins,
                              Add add) {
  unsigned* const counters = dynamic_shared<unsigned>();
  const unsigned copies = copies_of(bins), copy = threadIdx.x % copies;
  clear(counters, copies * bins);
  for_each_bin(in, n, bins, [&](unsigned bin) {
    if (bin != no_bin) add.atomic(counters + bin * copies + copy, 1);
  });
  __syncthreads();
  for (unsigned bin = threadIdx.x; bin < bins; bin += blockDim.x) {
    unsigned sum = 0;  // each lane begins on another bank
    for (unsigned k = 0; k < copies; ++k) sum += counters[bin * copies + (bin + k) % copies];
    add.atomic(counts + bin, sum);
  }
}

struct copies : in_shared_memory {
  static constexpr description about{
      .number = 6,
      .name = "copies",
      .idea = "each lane adds to its copy of the block's counters, on a bank of its own",
      .improves = "the conflicts of atomics, also where all values are one; at most 16,384 bins",
      .evidence = {{{figure::atomic_conflicts, 0, 0}, {figure::depth, 0.01, 0.6}}},
      .also = "time with --values constant",
      .source = "beyond the documents; Gómez-Luna and others (2013)",
      .compared_with = 2};

  static std::size_t most_bins(const shape&) { return shared_words; }
  static double depth_limit(const shape& s) {
    return rounds(s) * s.block / copies_of(s.bins) + copies_of(s.bins) + grid(s);
  }
  static double work(const shape& s) { return additions(s); }

  template <class T, class Add>
  static unsigned run(const pass<T>& p, Add) {
    const std::size_t words = std::size_t{copies_of(p.shape.bins)} * p.shape.bins;
    return count(p, grid(p.shape), words * sizeof(unsigned), copies_kernel<T, Add>);
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::histogram_ladder
