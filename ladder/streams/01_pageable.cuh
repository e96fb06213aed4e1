// Three calls, one after the other: all values in, the kernel, the sum out. The values lie in
// ordinary memory, which may be moved or swapped out while a copy engine reads it; so the host
// copies them, piece by piece, into memory of the driver's that stays, and the engine reads that.
#pragma once

#include "ladder/streams/calls.cuh"

namespace warpfold::ladder::streams_ladder {
inline namespace WARPFOLD_MACHINE {

struct pageable {
  static constexpr description about{
      .number = 1,
      .name = "pageable",
      .idea = "cudaMemcpy from ordinary memory, the kernel, cudaMemcpy back",
      .improves = "the starting point: every call waits for the one before",
      .also = "GB/s against the link's: the host copies every value once more",
      .source = "document 004, preamble 2: cudaMemcpy is blocking"};
  static constexpr bool pageable_memory = true;

  // NOLINTNEXTLINE(readability-convert-member-functions-to-static): other rungs have members
  unsigned run(const work& w) {
    const chunk_range all = w.whole();
    copy_in_and_wait(w, all);
    // Stream 0 keeps the order: the kernel begins after the copy, the copy back after the kernel.
    // A launch returns at once; the copy back returns when the sum is here.
    add_up(w, all, nullptr);
    copy_out_and_wait(w, all);
    return 1;
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::streams_ladder
