// Sorts the bins of a tile, and adds each run of one bin to the result at once: for more bins than
// fit in shared memory.
//
//   sorted tile     3 3 3 5 8 8 …
//   head of a run   ^     ^ ^       adds its length: 3 to counter 3, 1 to counter 5
//
// Reads n values; an atomic addition in global memory for each bin of a tile, in the order of the
// counters; a barrier for each of the bitonic network's steps; 16 bytes of shared memory a thread.
// Any number of bins.
#pragma once

#include "ladder/histogram/launching.cuh"
#include "ladder/sort/launching.cuh"

namespace warpfold::ladder::histogram_ladder {
inline namespace WARPFOLD_MACHINE {

/// Sorts with the bitonic network of the sort ladder.
__device__ __forceinline__ void sort_tile(unsigned* keys, unsigned size) {
  const sort_ladder::columns<unsigned, sort_ladder::nothing> tile{keys};
  const auto less = [](unsigned a, unsigned b) { return a < b; };
  for (unsigned run = 2; run <= size; run *= 2) {
    sort_ladder::tile_step(tile, size, size, run / 2, run - 1, less);
    for (unsigned stride = run / 4; stride > 0; stride /= 2) {
      sort_ladder::tile_step(tile, size, size, stride, stride, less);
    }
  }
}

template <class T, class Add>
__global__ void sorted_runs_kernel(const T* in, unsigned* counts, std::size_t n, unsigned bins,
                                   Add add) {
  unsigned* const tile = dynamic_shared<unsigned>();
  const unsigned size = 4 * blockDim.x;
  const std::size_t base = std::size_t{blockIdx.x} * size;
  for (unsigned i = threadIdx.x; i < size; i += blockDim.x) {
    tile[i] = base + i < n ? bin_of(in[base + i], bins) : no_bin;
  }
  __syncthreads();
  sort_tile(tile, size);
  for (unsigned i = threadIdx.x; i < size; i += blockDim.x) {
    const unsigned bin = tile[i];
    if (bin == no_bin || (i > 0 && tile[i - 1] == bin)) continue;
    // The run's end, by a binary search in what is sorted.
    unsigned end = i + 1;
    for (unsigned after = size; end < after;) {
      const unsigned middle = (end + after) / 2;
      if (tile[middle] == bin) {
        end = middle + 1;
      } else {
        after = middle;
      }
    }
    add.atomic(counts + bin, end - i);
  }
}

struct sorted_runs : without_scratch {
  static constexpr description about{
      .number = 7,
      .name = "sorted-runs",
      .idea = "sort the bins of a tile and add each run's length to the result at once",
      .improves = "the bins that shared memory has no room for: an atomic a run, not one a value",
      .evidence = {{{figure::atomic_sectors, 0.01, 0.5}, {figure::depth, 0.0001, 0.1}}},
      .also = "time with many bins of which a few take most values",
      .source = "beyond the documents; sort and find the runs, as in Thrust's example",
      .compared_with = 1};

  static std::size_t tile(const shape& s) { return std::size_t{4} * s.block; }
  static unsigned grid(const shape& s) { return tiles_of(s.n, tile(s)); }
  static double depth_limit(const shape& s) { return grid(s); }

  template <class T, class Add>
  static unsigned run(const pass<T>& p, Add) {
    return count(p, grid(p.shape), tile(p.shape) * sizeof(unsigned), sorted_runs_kernel<T, Add>);
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::histogram_ladder
