// Copies that return at once, in a stream: the host puts all of the work in and is free until it
// asks for the end. In one stream each operation still waits for the one before, so the engines
// take turns: in chunks, since the next rungs overlap these.
#pragma once

#include "ladder/streams/calls.cuh"

namespace warpfold::ladder::streams_ladder {
inline namespace WARPFOLD_MACHINE {

class one_stream {
 public:
  static constexpr description about{
      .number = 3,
      .name = "one-stream",
      .idea = "cudaMemcpyAsync and launches in one stream; the host waits once, at the end",
      .improves = "the host's waiting: it is free while the device works",
      .also = "the host's lane; overlap is 0: a stream is first in, first out",
      .source = "document 004, preambles 2 and 3"};

  unsigned run(const work& w) {
    for (unsigned c = 0; c < w.chunks; ++c) {
      copy_in(w, w.chunk(c), stream_);
      add_up(w, w.chunk(c), stream_);
      copy_out(w, w.chunk(c), stream_);
    }
    // The host stops until all that this stream has been given so far has ended; other streams
    // would go on.
    check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    return w.chunks;
  }

 private:
  stream stream_;
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::streams_ladder
