// What the microbenchmarks share: memory of the device, checked calls, the median of samples.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "bench/calibrate/kernels.cuh"
#include "warpfold/error.hpp"

namespace warpfold::bench {

constexpr std::size_t mib = std::size_t{1} << 20;

inline void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  throw device_error(std::string("calibrate: ") + cudaGetErrorString(status));
}

struct summary {
  double median, spread;
};
inline summary summary_of(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const std::size_t n = samples.size();
  const double median = samples[n / 2];
  return {median, (samples[3 * n / 4] - samples[n / 4]) / median};
}

class device_buffer {
 public:
  explicit device_buffer(std::size_t bytes) { check(cudaMalloc(&memory_, bytes)); }
  ~device_buffer() { cudaFree(memory_); }
  device_buffer(const device_buffer&) = delete;
  device_buffer& operator=(const device_buffer&) = delete;
  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(memory_);
  }

 private:
  void* memory_ = nullptr;
};

/// A stream, and how long what is launched there takes.
class timed_stream {
 public:
  timed_stream() {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    check(cudaEventCreate(&begin_));
    check(cudaEventCreate(&end_));
    check(cudaHostAlloc(&go_, sizeof *go_, cudaHostAllocMapped));
  }
  ~timed_stream() {
    cudaFreeHost(const_cast<unsigned*>(go_));
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
    cudaStreamDestroy(stream_);
  }
  timed_stream(const timed_stream&) = delete;
  timed_stream& operator=(const timed_stream&) = delete;

  /// Between two events, as the ladder measures; in microseconds.
  summary time(const std::function<void()>& launches, int samples = 15) {
    std::vector<double> us;
    launches();
    for (int i = 0; i < samples; ++i) {
      check(cudaStreamSynchronize(stream_));
      check(cudaEventRecord(begin_, stream_));
      launches();
      check(cudaEventRecord(end_, stream_));
      check(cudaEventSynchronize(end_));
      check(cudaGetLastError());
      float ms = 0;
      check(cudaEventElapsedTime(&ms, begin_, end_));
      us.push_back(1000.0 * ms);
    }
    return summary_of(us);
  }
  /// The same where all of it waits in the stream before the first event.
  summary time_queued(const std::function<void()>& launches, int samples = 25) {
    std::vector<double> us;
    launches();
    for (int i = 0; i < samples; ++i) {
      check(cudaStreamSynchronize(stream_));
      *go_ = 0;
      hold<<<1, 1, 0, stream_>>>(go_);
      check(cudaEventRecord(begin_, stream_));
      launches();
      check(cudaEventRecord(end_, stream_));
      *go_ = 1;
      check(cudaEventSynchronize(end_));
      check(cudaGetLastError());
      float ms = 0;
      check(cudaEventElapsedTime(&ms, begin_, end_));
      us.push_back(1000.0 * ms);
    }
    return summary_of(us);
  }

 protected:
  cudaStream_t stream_ = nullptr;

 private:
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  volatile unsigned* go_ = nullptr;  // the host's memory
};

}  // namespace warpfold::bench
