// How calls on a CUDA device are timed: one call between two events on an idle stream, and one of
// many in a captured graph; on memory that no cache holds; every result is checked.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "bench/harness/candidate.hpp"
#include "bench/harness/device_memory.cuh"

namespace warpfold::bench {

using samples = std::vector<double>;  // microseconds

/// A stream, and two events to time what is put into it.
class event_timer {
 public:
  event_timer() {
    cuda_check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "create a stream");
    cuda_check(cudaEventCreate(&begin_), "create an event");
    cuda_check(cudaEventCreate(&end_), "create an event");
  }
  ~event_timer() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
    cudaStreamDestroy(stream_);
  }
  event_timer(const event_timer&) = delete;
  event_timer& operator=(const event_timer&) = delete;

  [[nodiscard]] cudaStream_t stream() const { return stream_; }

  /// Microseconds from before to after what `put` puts into the stream.
  template <class Put>
  double time_us(Put put) {
    cuda_check(cudaEventRecord(begin_, stream_), "record an event");
    put();
    cuda_check(cudaEventRecord(end_, stream_), "record an event");
    cuda_check(cudaEventSynchronize(end_), "wait for the call");
    float ms = 0;
    cuda_check(cudaEventElapsedTime(&ms, begin_, end_), "read the events");
    return 1000.0 * static_cast<double>(ms);
  }
  /// Three calls to warm up, then `count`. `prepare()` may make inputs anew before each, and waits
  /// for them.
  template <class Call, class Prepare>
  samples single_calls(Call call, unsigned count, Prepare prepare) {
    samples times;
    for (unsigned i = 0; i < count + 3; ++i) {
      prepare();
      const double us = time_us([&] { call(i); });
      if (i >= 3) times.push_back(us);
    }
    return times;
  }
  /// One call of `calls` in a graph: two replays to warm up, then `count`.
  template <class Call, class Prepare>
  samples graph_calls(Call call, std::size_t calls, unsigned count, Prepare prepare) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t ready = nullptr;
    cuda_check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal),
               "begin a capture");
    for (std::size_t i = 0; i < calls; ++i) call(i);
    cuda_check(cudaStreamEndCapture(stream_, &graph), "end a capture");
    cuda_check(cudaGraphInstantiate(&ready, graph, 0), "instantiate a graph");
    samples times;
    for (unsigned i = 0; i < count + 2; ++i) {
      prepare();
      const double us =
          time_us([&] { cuda_check(cudaGraphLaunch(ready, stream_), "launch a graph"); });
      if (i >= 2) times.push_back(us / static_cast<double>(calls));
    }
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
    return times;
  }

 private:
  cudaStream_t stream_{};
  cudaEvent_t begin_{}, end_{};
};

/// Where the benchmarks of a device run.
struct device_place {
  explicit device_place(std::size_t cache) : cache_bytes(cache), other(4 * cache) {}

  event_timer clock;
  std::size_t cache_bytes;    // of the second level
  device_buffer<char> other;  // to fill the cache with

  [[nodiscard]] cudaStream_t stream() const { return clock.stream(); }
  void empty_cache() const { other.set_bytes(0, stream()); }
  void wait() const { cuda_check(cudaStreamSynchronize(stream()), "a call of the benchmark"); }
};
/// Of the first device.
device_place open_device();

/// How many slots of so many bytes: as many as a graph has calls, but no more than pass the cache
/// four times.
inline std::size_t device_slots_of(std::size_t bytes, std::size_t cache) {
  return std::clamp<std::size_t>(4 * cache / std::max<std::size_t>(bytes, 1) + 1, 1, 1000);
}
/// Calls in one graph: as many as pass the second-level cache twice over, within reason.
inline std::size_t calls_per_graph(std::size_t bytes) {
  return std::clamp<std::size_t>((std::size_t{128} << 20) / std::max<std::size_t>(bytes, 1), 20,
                                 1000);
}

/// Single calls of each candidate in turns, then graphs of those that can be captured.
measurements time_on_device(unsigned count, device_place& where, const slots& memory,
                            std::span<const candidate> candidates);
/// The graphs alone.
measurements time_graphs(unsigned count, device_place& where, const slots& memory,
                         std::span<const candidate> candidates);

measurements run_device_reduce(const bench_case& c, device_place& where,
                               std::span<const std::string> against);
measurements run_device_scan(const bench_case& c, device_place& where,
                             std::span<const std::string> against);
measurements run_device_sort(const bench_case& c, device_place& where,
                             std::span<const std::string> against);

}  // namespace warpfold::bench
