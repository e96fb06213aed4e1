// The device has slots for three chunks, which are used in a ring, so any number of values can be
// processed. An event marks the moment when a slot is free again. Until then the host queries
// the event and, between two queries, adds up values itself: from the far end on, until both ends
// meet.
#pragma once

#include <algorithm>
#include <cstring>

#include "ladder/streams/calls.cuh"

namespace warpfold::ladder::streams_ladder {
inline namespace WARPFOLD_MACHINE {

class ring {
 public:
  static constexpr description about{
      .number = 7,
      .name = "ring",
      .idea = "room for three chunks, freed by events; the host adds up values meanwhile",
      .improves = "the host's idleness, and device memory as large as the data",
      .also = "GB/s above the link's: what the host takes need not cross it",
      .source = "document 004: overlap the execution on the CPU and on the GPU"};

  unsigned run(const work& w) {
    const std::size_t size = w.chunk_size();
    std::size_t front = 0, back = w.n;  // still to do: [front, back)
    unsigned c = 0;
    std::memset(w.sums + w.chunks * size_of(w.type), 0, size_of(w.type));  // the host's sum
    for (; front < back; ++c) {
      const unsigned slot = c % slots;
      if (c >= slots) wait(w, slot, front, back);
      if (front >= back) break;
      const chunk_range p{c, front, std::min(size, back - front), slot * size};
      front += p.count;
      copy_in(w, p, in_);
      check(cudaEventRecord(arrived_[slot], in_), "cudaEventRecord");
      check(cudaStreamWaitEvent(out_, arrived_[slot], 0), "cudaStreamWaitEvent");
      add_up(w, p, out_);
      // The slot is free once the kernel has read it; nobody need wait for the copy out.
      check(cudaEventRecord(free_[slot], out_), "cudaEventRecord");
      copy_out(w, p, out_);
    }
    // The host waits for this one event, and not for what is put into streams after it.
    check(cudaEventRecord(done_, out_), "cudaEventRecord");
    check(cudaEventSynchronize(done_), "cudaEventSynchronize");
    for (unsigned unused = c; unused < w.chunks; ++unused) {
      std::memset(w.sums + unused * size_of(w.type), 0, size_of(w.type));
    }
    return w.chunks + 1;
  }

 private:
  static constexpr unsigned slots = 3;

  /// Returns when the slot is free. Until then adds up values at the far end, if any are left.
  void wait(const work& w, unsigned slot, std::size_t front, std::size_t& back) {
    // A small piece, so that the next query is not late.
    const std::size_t piece = std::max<std::size_t>(1, w.chunk_size() / 32 / w.passes);
    cudaError_t answer = cudaErrorNotReady;
    while (back > front && (answer = cudaEventQuery(free_[slot])) == cudaErrorNotReady) {
      const std::size_t count = std::min(piece, back - front);
      back -= count;
      add_on_host(w, {w.chunks, back, count, 0});
    }
    if (answer != cudaErrorNotReady) check(answer, "cudaEventQuery");
  }

  stream in_, out_;
  event arrived_[slots], free_[slots], done_;
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::streams_ladder
