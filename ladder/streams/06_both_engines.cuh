// A stream for each direction: one copies chunks in, the other runs the kernels and copies the sums
// out. An event makes a kernel wait for its chunk's arrival; its place in the second stream makes
// it wait for the copy out before it. The host waits for none of it.
#pragma once

#include <memory>

#include "ladder/streams/calls.cuh"

namespace warpfold::ladder::streams_ladder {
inline namespace WARPFOLD_MACHINE {

class both_engines {
 public:
  static constexpr description about{
      .number = 6,
      .name = "both-engines",
      .idea = "in on one stream, kernels and results on the other, which waits for events",
      .improves = "a copy's wait for anything but the link: the way in is never held up",
      .also = "the lane of copies in: no gaps",
      .source = "document 004, use of cudaStreamWaitEvent",
      .corrections = "the event is recorded for each chunk, and the last result is fetched too"};

  explicit both_engines(const work& w) : arrived_(std::make_unique<event[]>(w.chunks)) {}

  unsigned run(const work& w) {
    issue(w, in_, out_);
    check(cudaStreamSynchronize(out_), "cudaStreamSynchronize");
    return w.chunks;
  }

  /// Rung 09 captures it.
  void issue(const work& w, cudaStream_t in, cudaStream_t out) {
    for (unsigned c = 0; c < w.chunks; ++c) {
      copy_in(w, w.chunk(c), in);  // 1: the new chunk
      check(cudaEventRecord(arrived_[c], in), "cudaEventRecord");
      if (c > 0) copy_out(w, w.chunk(c - 1), out);  // 2: the result before
      // Operations put into `out` from here on begin after the event. The stream waits; the host
      // goes on at once.
      check(cudaStreamWaitEvent(out, arrived_[c], 0), "cudaStreamWaitEvent");
      add_up(w, w.chunk(c), out);  // 3: needs 1 and 2
    }
    copy_out(w, w.chunk(w.chunks - 1), out);
  }

 private:
  stream in_, out_;
  std::unique_ptr<event[]> arrived_;
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::streams_ladder
