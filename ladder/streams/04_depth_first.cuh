// Two streams take chunks in turn; each chunk's three operations are enqueued before the next
// chunk's. Operations in different streams have no order, so one chunk is summed while the next is
// copied.
#pragma once

#include "ladder/streams/calls.cuh"

namespace warpfold::ladder::streams_ladder {
inline namespace WARPFOLD_MACHINE {

class depth_first {
 public:
  static constexpr description about{
      .number = 4,
      .name = "depth-first",
      .idea = "two streams take chunks in turn: in, sum, out; then the next chunk",
      .improves = "the copy engine's waiting for the kernel, and the kernel's for the copy",
      .also = "overlap; with --copy-engines 1 --one-queue, the reason for rung 05",
      .source = "document 004, making use of streams"};

  unsigned run(const work& w) {
    for (unsigned c = 0; c < w.chunks; ++c) {
      const cudaStream_t s = streams_[c % 2];
      copy_in(w, w.chunk(c), s);
      add_up(w, w.chunk(c), s);
      copy_out(w, w.chunk(c), s);
    }
    for (const auto& s : streams_) check(cudaStreamSynchronize(s), "cudaStreamSynchronize");
    return w.chunks;
  }

 private:
  stream streams_[2];
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::streams_ladder
