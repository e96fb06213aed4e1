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
      .mends = "nothing: it shows what a call without a stream undoes, and how to be safe from it",
      .watch = "the timeline: one by one in the first half, overlap in the second",
      .source = "document 004, caveats: stream 0 is special",
      .changed = ""};

  unsigned run(const work& w) {
    for (unsigned c = 0; c < w.chunks; ++c) {
      const cudaStream_t s = c < w.chunks / 2 ? ordinary_[c % 2] : non_blocking_[c % 2];
      copy_in(w, w.chunk(c), s);
      add_up(w, w.chunk(c), s);
      copy_out(w, w.chunk(c), s);
      set_mark(w, c);
    }
    // For all streams at once, those of the library beside us too: the bluntest way to wait.
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    return w.chunks;
  }

 private:
  static void set_mark(const work& w, unsigned c) {
    const part nothing{c, 0, 0, 0};
    w.watch->before(simt::engine::compute, nothing, 0, nullptr);
    check(cudaMemsetAsync(w.mark, static_cast<int>(c & 0xff), 4), "cudaMemsetAsync");
    w.watch->after(nullptr);
  }

  stream ordinary_[2];
  stream non_blocking_[2]{stream(cudaStreamNonBlocking), stream(cudaStreamNonBlocking)};
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::streams_ladder
