// How calls on a CUDA device are timed. Inputs rotate through a pool larger than the second-level
// cache; `stream` is one call between two events, `graph` one of many calls in a captured graph.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <cuda_runtime.h>

#include "warpfold/error.hpp"

namespace warpfold::bench {

inline void require(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  throw device_error(std::string(what) + ": " + cudaGetErrorString(error));
}

/// Calls `f` with the number of values in 32 bits where these hold it: CUB is faster then.
template <class F>
auto with_count(std::size_t n, F f) {
  constexpr std::uint32_t most = ~std::uint32_t{0};
  return n <= most ? f(static_cast<std::uint32_t>(n)) : f(n);
}

using samples = std::vector<double>;  // microseconds

inline double median_of(samples s) {
  std::nth_element(s.begin(), s.begin() + static_cast<std::ptrdiff_t>(s.size() / 2), s.end());
  return s[s.size() / 2];
}

/// The places in a pool where one call after another finds its input.
class rotation {
 public:
  rotation(std::size_t pool_bytes, std::size_t bytes)
      : step_((bytes + 255) / 256 * 256), count_(std::max<std::size_t>(1, pool_bytes / step_)) {}

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::size_t offset(std::size_t call) const { return call % count_ * step_; }

 private:
  std::size_t step_, count_;
};

class timer {
 public:
  timer() {
    require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "create a stream");
    require(cudaEventCreate(&begin_), "create an event");
    require(cudaEventCreate(&end_), "create an event");
  }
  ~timer() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
    cudaStreamDestroy(stream_);
  }
  timer(const timer&) = delete;
  timer& operator=(const timer&) = delete;

  [[nodiscard]] cudaStream_t stream() const { return stream_; }

  /// `call(i)` puts the i-th call into the stream. Before each sample `prepare()` may make inputs
  /// anew, and waits for them.
  template <class Call, class Prepare>
  samples stream_calls(Call call, int count, Prepare prepare) {
    samples times;
    for (int i = -3; i < count; ++i) {
      prepare();
      require(cudaEventRecord(begin_, stream_), "record an event");
      call(static_cast<std::size_t>(i + 3));
      require(cudaEventRecord(end_, stream_), "record an event");
      const double time = elapsed(1);
      if (i >= 0) times.push_back(time);
    }
    return times;
  }

  template <class Call>
  samples stream_calls(Call call, int count) {
    return stream_calls(call, count, [] {});
  }

  template <class Call, class Prepare>
  samples graph_calls(Call call, int calls, int count, Prepare prepare) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t ready = nullptr;
    require(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin a capture");
    for (int i = 0; i < calls; ++i) call(static_cast<std::size_t>(i));
    require(cudaStreamEndCapture(stream_, &graph), "end a capture");
    require(cudaGraphInstantiate(&ready, graph, 0), "instantiate a graph");
    samples times;
    for (int i = -2; i < count; ++i) {
      prepare();
      require(cudaEventRecord(begin_, stream_), "record an event");
      require(cudaGraphLaunch(ready, stream_), "launch a graph");
      require(cudaEventRecord(end_, stream_), "record an event");
      const double time = elapsed(calls);
      if (i >= 0) times.push_back(time);
    }
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
    return times;
  }
  template <class Call>
  samples graph_calls(Call call, int calls, int count) {
    return graph_calls(call, calls, count, [] {});
  }

 private:
  double elapsed(int calls) {
    float ms = 0;
    require(cudaEventSynchronize(end_), "wait for the call");
    require(cudaEventElapsedTime(&ms, begin_, end_), "read the events");
    return 1000.0 * static_cast<double>(ms) / calls;
  }

  cudaStream_t stream_{};
  cudaEvent_t begin_{}, end_{};
};

/// Calls in one graph: as many as pass the second-level cache twice over, within reason.
inline int calls_per_graph(std::size_t bytes) {
  return static_cast<int>(std::clamp<std::size_t>(
      (std::size_t{128} << 20) / std::max<std::size_t>(bytes, 1), 20, 1000));
}

}  // namespace warpfold::bench
