// The same three calls on pinned memory (cudaMallocHost), which stays where it is: the copy engine
// reads it itself, as fast as the link goes, and the host only waits.
#pragma once

#include "ladder/streams/calls.cuh"

namespace warpfold::ladder::streams_ladder {
inline namespace WARPFOLD_MACHINE {

struct pinned {
  static constexpr description about{
      .number = 2,
      .name = "pinned",
      .idea = "the same calls on pinned memory, which the copy engine reads itself",
      .improves = "the host's own copy of every value",
      .also = "GB/s: the link's rate",
      .source = "document 004, preamble 2: cudaHostAlloc"};

  // NOLINTNEXTLINE(readability-convert-member-functions-to-static): other rungs have members
  unsigned run(const work& w) {
    const chunk_range all = w.whole();
    copy_in_and_wait(w, all);
    add_up(w, all, nullptr);
    // The host stops until everything that was put into any stream has ended. Here it is not
    // needed: the copy back waits for the kernel anyway.
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    copy_out_and_wait(w, all);
    return 1;
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::streams_ladder
