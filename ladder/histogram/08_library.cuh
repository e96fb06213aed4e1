// The kernels of `warpfold::histogram`, as a rung: see warpfold/device/histogram/kernel.cuh. Picks
// its own block size; the table counts a call as one launch.
#pragma once

#include <span>

#include "ladder/histogram/launching.cuh"
#include "warpfold/device/histogram.cuh"

namespace warpfold::ladder::histogram_ladder {
inline namespace WARPFOLD_MACHINE {

struct library : without_scratch {
  static constexpr description about{
      .number = 8,
      .name = "library",
      .idea = "wide loads, counters of 4 or 2 bytes in shared memory, runs of one bin held back",
      .improves = "the loads, and the choice: each number of bins has its counters",
      .also = "time, compared with a read (its launches are not counted: a call is one)",
      .source = "beyond the documents; warpfold's histograms"};

  static unsigned grid(const shape& s) { return tiles_of(s.n, s.block); }

  template <class T, class Add>
  static unsigned run(const pass<T>& p, Add) {
    const status done =
        histogram(device.on(p.stream), std::span<const T>{p.in, p.n}, each_integer{0, p.shape.bins},
                  std::span<unsigned>{p.counts, p.shape.bins});
    done.throw_if_failed("the library's histogram");
    return 1;
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::histogram_ladder
