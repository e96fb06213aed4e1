// The same two streams, but the calls go breadth first: two chunks in, two sums, two results out.
// Where one engine does both directions and keeps to the order of the calls, a result that waits
// for its kernel would hold up the next chunk; so no result may stand before that chunk. Devices
// since Kepler have a queue for each stream, and most have an engine each way: there it makes no
// difference.
#pragma once

#include "ladder/streams/calls.cuh"

namespace warpfold::ladder::streams_ladder {
inline namespace WARPFOLD_MACHINE {

class breadth_first {
 public:
  static constexpr description about{
      .number = 5,
      .name = "breadth-first",
      .idea = "both streams' copies, then both kernels, then both results",
      .improves = "on older devices, a chunk's wait behind the result of the one before",
      .also = "nothing on devices of today; time with --copy-engines 1 --one-queue",
      .source = "document 004, making use of streams: \"some wrinkles\""};

  unsigned run(const work& w) {
    for (unsigned c = 0; c < w.chunks; c += 2) {
      const unsigned end = c + 2 < w.chunks ? c + 2 : w.chunks;
      for (unsigned i = c; i < end; ++i) copy_in(w, w.chunk(i), streams_[i % 2]);
      for (unsigned i = c; i < end; ++i) add_up(w, w.chunk(i), streams_[i % 2]);
      for (unsigned i = c; i < end; ++i) copy_out(w, w.chunk(i), streams_[i % 2]);
    }
    // A query returns at once and says whether the stream's work has ended. Between two queries the
    // host could do something else (rung 07 does); here it only asks again, which costs it a core.
    w.listener->asking_begins();
    for (const auto& s : streams_) {
      cudaError_t answer = cudaErrorNotReady;
      while (answer == cudaErrorNotReady) answer = cudaStreamQuery(s);
      check(answer, "cudaStreamQuery");
    }
    w.listener->asking_ends();
    return w.chunks;
  }

 private:
  stream streams_[2];
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::streams_ladder
