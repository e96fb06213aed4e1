// Rung 04 with a small call between two chunks that names no stream: a mark that is set, and so
// goes into stream 0. This one waits for all that was put into other streams before, and all that
// comes after waits for it: the chunks come one by one again. Streams made with
// cudaStreamNonBlocking take no part in that; the second half of the chunks goes through such ones.
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
          "nothing: it shows what a call without a stream undoes, and how to be safe from it",
      .also = "the timeline: one by one in the first half, overlap in the second",
      .source = "document 004, caveats: stream 0 is special"};

  unsigned run(const work& w) {
    const unsigned half = w.chunks / 2;
    for (unsigned c = 0; c < half; ++c) one_chunk(w, c, ordinary_[c % 2]);
    // The host stops until all streams have done what they were given: the bluntest way to wait.
    // Here it keeps the halves apart; without it the second would slip into the gaps of the first.
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
