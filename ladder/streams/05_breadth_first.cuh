// The same two streams, but the calls go breadth first: two chunks in, two sums, two results out.
// Where one engine does both directions and keeps to the order of the calls, a result that waits
// for its kernel would hold up the next chunk; so no result may stand before that chunk. Devices
// since Kepler have a queue for each stream, and most have an engine each way: there it makes no
// odds.
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
    // A question instead of a wait: has all of the stream's work ended? The host could do something
    // else meanwhile (rung 07 does). Here it only asks again, which costs it a core.
    for (const auto& s : streams_) {
      cudaError_t answer = cudaErrorNotReady;
      while (answer == cudaErrorNotReady) answer = cudaStreamQuery(s);
      check(answer, "cudaStreamQuery");
    }
    return w.chunks;
  }

 private:
  stream streams_[2];
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::streams_ladder
