// Sums of values that two devices share, chunk by chunk: from the host over one link or over both,
// and from the first device to the second, through the host or directly. Who copies when, by
// events.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "warpfold/device/detail/cuda_check.cuh"
#include "warpfold/device/reduce.cuh"

namespace two_devices {

inline void check(cudaError_t error) { warpfold::detail::cuda_check(error, "two devices"); }

enum class way { one_device, both_links, through_host, peer };
inline const char* name_of(way w) {
  switch (w) {
    case way::one_device: return "from the host to one device";
    case way::both_links: return "from the host to both";
    case way::through_host: return "from device 0, through the host";
    case way::peer: return "from device 0, peer copies";
  }
  return "";
}

/// In microseconds from the first call on.
struct span {
  int device;
  const char* engine;
  unsigned stream;
  unsigned chunk;
  double begin_us, end_us;
};
struct outcome {
  double microseconds;
  bool right;
  std::vector<span> spans;  // of one more run
};

using clock_type = std::chrono::steady_clock;
inline double since(clock_type::time_point begin) {
  return std::chrono::duration<double, std::micro>(clock_type::now() - begin).count();
}

class event {
 public:
  explicit event(unsigned flags) { check(cudaEventCreateWithFlags(&event_, flags)); }
  event(const event&) = delete;
  event& operator=(const event&) = delete;
  ~event() { (void)cudaEventDestroy(event_); }
  operator cudaEvent_t() const { return event_; }  // NOLINT(google-explicit-constructor)

 private:
  cudaEvent_t event_ = nullptr;
};

/// What one device has: a copy of the values, sums by chunk, streams for copies in, out, and sums.
struct part {
  std::int32_t *values = nullptr, *sums = nullptr;
  cudaStream_t in = nullptr, away = nullptr, work = nullptr;
  std::unique_ptr<event> zero;  // all of this device's times count from it
};

/// All memory and streams. The values on device 0 are given; the host gets a copy.
class problem {
 public:
  static constexpr unsigned chunks = 16;

  problem(const std::int32_t* on_device_0, std::size_t n) : n_(n) {
    check(cudaMallocHost(&host_, n * sizeof *host_));
    check(cudaMallocHost(&host_sums_, chunks * sizeof *host_sums_));
    check(cudaMemcpy(host_, on_device_0, n * sizeof *host_, cudaMemcpyDefault));
    for (int d = 0; d < 2; ++d) {
      check(cudaSetDevice(d));
      part& p = parts_[d];
      check(cudaMalloc(&p.values, n * sizeof *p.values));
      check(cudaMalloc(&p.sums, chunks * sizeof *p.sums));
      for (cudaStream_t* s : {&p.in, &p.away, &p.work}) {
        check(cudaStreamCreateWithFlags(s, cudaStreamNonBlocking));
      }
      p.zero = std::make_unique<event>(cudaEventDefault);
      int can = 0;
      check(cudaDeviceCanAccessPeer(&can, d, 1 - d));
      // NCCL may have enabled it already.
      if (can != 0 && cudaDeviceEnablePeerAccess(1 - d, 0) != cudaSuccess) {
        (void)cudaGetLastError();
      }
    }
    check(cudaSetDevice(0));
    check(cudaMemcpy(parts_[0].values, on_device_0, n * sizeof *host_, cudaMemcpyDefault));
    for (std::size_t i = 0; i < n; ++i) truth_ += host_[i];
  }
  problem(const problem&) = delete;
  problem& operator=(const problem&) = delete;
  ~problem() {
    for (part& p : parts_) {
      (void)cudaFree(p.values);
      (void)cudaFree(p.sums);
      for (cudaStream_t s : {p.in, p.away, p.work}) (void)cudaStreamDestroy(s);
    }
    (void)cudaFreeHost(host_);
    (void)cudaFreeHost(host_sums_);
  }

  outcome measure(way w, int turns) {
    outcome result{0, true, {}};
    std::vector<double> times;
    for (int turn = -2; turn < turns; ++turn) {
      const double us = run(w);
      if (turn >= 0) times.push_back(us);
      std::int64_t sum = 0;
      for (unsigned c = 0; c < chunks; ++c) sum += host_sums_[c];
      result.right = result.right && sum == truth_;
    }
    std::sort(times.begin(), times.end());
    result.microseconds = times[times.size() / 2];
    result.spans = trace(w);
    return result;
  }

 private:
  struct mark {
    mark(int d, const char* e, unsigned s, unsigned c)
        : device(d), engine(e), stream(s), chunk(c) {}
    int device;
    const char* engine;
    unsigned stream, chunk;
    event before{cudaEventDefault}, after{cudaEventDefault};
  };

  /// An operation of the current device, with an event on either side where it is traced.
  template <class F>
  void put(int device, const char* engine, unsigned stream_number, unsigned chunk, cudaStream_t s,
           const F& f) {
    if (tracing_) {
      marks_.emplace_back(device, engine, stream_number, chunk);
      check(cudaEventRecord(marks_.back().before, s));
    }
    f();
    if (tracing_) check(cudaEventRecord(marks_.back().after, s));
  }

  /// Microseconds until the host has all sums.
  double run(way w) {
    std::fill_n(host_sums_, chunks, 0x5a5a5a5a);
    std::vector<std::unique_ptr<event>> arrived, left;
    for (unsigned c = 0; c < chunks; ++c) {
      check(cudaSetDevice(w == way::one_device ? 0 : static_cast<int>(c % 2)));
      arrived.push_back(std::make_unique<event>(cudaEventDisableTiming));
      check(cudaSetDevice(0));
      left.push_back(std::make_unique<event>(cudaEventDisableTiming));
    }
    const std::size_t each = n_ / chunks, bytes = each * sizeof *host_;
    const auto begin = clock_type::now();
    for (unsigned c = 0; c < chunks; ++c) {
      const int d = w == way::one_device ? 0 : static_cast<int>(c % 2);
      part &here = parts_[d], &first = parts_[0];
      const std::size_t at = c * each;
      const bool from_host = w == way::one_device || w == way::both_links;
      if (!from_host && d == 1) {
        check(cudaSetDevice(0));
        if (w == way::peer) {
          put(0, "peer", 2, c, first.away, [&] {
            check(
                cudaMemcpyPeerAsync(here.values + at, 1, first.values + at, 0, bytes, first.away));
          });
        } else {
          put(0, "copy_out", 2, c, first.away, [&] {
            check(cudaMemcpyAsync(host_ + at, first.values + at, bytes, cudaMemcpyDefault,
                                  first.away));
          });
        }
        check(cudaEventRecord(*left[c], first.away));
      }
      check(cudaSetDevice(d));
      if (from_host || (w == way::through_host && d == 1)) {
        if (!from_host) check(cudaStreamWaitEvent(here.in, *left[c], 0));
        put(d, "copy_in", 1, c, here.in, [&] {
          check(cudaMemcpyAsync(here.values + at, host_ + at, bytes, cudaMemcpyDefault, here.in));
        });
        check(cudaEventRecord(*arrived[c], here.in));
        check(cudaStreamWaitEvent(here.work, *arrived[c], 0));
      } else if (d == 1) {
        check(cudaStreamWaitEvent(here.work, *left[c], 0));
      }
      put(d, "compute", 3, c, here.work, [&] {
        reduce_into(warpfold::device.on(here.work),
                    std::span<const std::int32_t>(here.values + at, each), here.sums + c)
            .throw_if_failed("a reduction");
      });
      check(cudaMemcpyAsync(host_sums_ + c, here.sums + c, sizeof *host_sums_, cudaMemcpyDefault,
                            here.work));
    }
    for (const part& p : parts_) check(cudaStreamSynchronize(p.work));
    const double us = since(begin);
    check(cudaSetDevice(0));
    return us;
  }

  /// Each device's events count from one of its own, which both have before the first call.
  std::vector<span> trace(way w) {
    for (int d = 0; d < 2; ++d) {
      check(cudaSetDevice(d));
      check(cudaEventRecord(*parts_[d].zero, parts_[d].work));
      check(cudaStreamSynchronize(parts_[d].work));
    }
    tracing_ = true;
    run(w);
    tracing_ = false;
    std::vector<span> spans;
    for (const mark& m : marks_) {
      check(cudaSetDevice(m.device));
      float begin = 0, end = 0;
      check(cudaEventElapsedTime(&begin, *parts_[m.device].zero, m.before));
      check(cudaEventElapsedTime(&end, *parts_[m.device].zero, m.after));
      spans.push_back({m.device, m.engine, m.stream, m.chunk, begin * 1e3, end * 1e3});
    }
    check(cudaSetDevice(0));
    marks_.clear();
    double first = spans.front().begin_us;
    for (const span& s : spans) first = std::min(first, s.begin_us);
    for (span& s : spans) {
      s.begin_us -= first;
      s.end_us -= first;
    }
    return spans;
  }

  std::size_t n_;
  std::int32_t *host_ = nullptr, *host_sums_ = nullptr;
  std::int64_t truth_ = 0;
  part parts_[2];
  bool tracing_ = false;
  std::deque<mark> marks_;  // they hold events, and stay where they are
};

}  // namespace two_devices
