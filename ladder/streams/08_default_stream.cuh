// Rung 04 with a small call that names no stream between two chunks: it sets a mark, in stream 0.
// Stream 0 waits for all operations put into other streams before, and all later ones wait for it,
// so the chunks run one by one again. Streams made with cudaStreamNonBlocking are exempt; the
// second half of the chunks uses two of them.
#pragma once

#include "ladder/streams/calls.cuh"

namespace warpfold::ladder::streams_ladder {
inline namespace WARPFOLD_MACHINE {

class default_stream {
 public:
  static constexpr description about{
      .number = 8,
      .name = "default-stream",
      .idea = "rung 04 with calls to stream 0 in between; then on non-blocking streams",
      .improves =
          "nothing: it shows how a call in stream 0 prevents overlap, and how to avoid that",
      .also = "the timeline: one by one in the first half, overlap in the second",
      .source = "document 004, caveats: stream 0 is special"};

  unsigned run(const work& w) {
    const unsigned half = w.chunks / 2;
    for (unsigned c = 0; c < half; ++c) one_chunk(w, c, ordinary_[c % 2]);
    // The host waits for all streams. Without this the second half would fill the gaps of the
    // first.
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    for (unsigned c = half; c < w.chunks; ++c) one_chunk(w, c, non_blocking_[c % 2]);
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    return w.chunks;
  }

 private:
  static void one_chunk(const work& w, unsigned c, cudaStream_t s) {
    copy_in(w, w.chunk(c), s);
    add_up(w, w.chunk(c), s);
    copy_out(w, w.chunk(c), s);
    set_mark(w, c);
  }

  static void set_mark(const work& w, unsigned c) {
    const chunk_range nothing{~0U, 0, 0, 0};  // no chunk
    w.listener->before(simt::engine::compute, nothing, 0, nullptr);
    check(cudaMemsetAsync(w.mark, static_cast<int>(c & 0xff), 4), "cudaMemsetAsync");
    w.listener->after(nullptr);
  }

  stream ordinary_[2];
  stream non_blocking_[2]{stream(cudaStreamNonBlocking), stream(cudaStreamNonBlocking)};
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::streams_ladder
