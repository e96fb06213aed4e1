// When each operation of a rung ran, by events: one before it and one after it, in its own stream.
//
// An event waits for its own stream alone, so recording one delays no other stream. In stream 0 it
// would, so events are recorded there only around operations of stream 0 itself. The event before
// an operation comes when the stream reaches it, though the engine may still be busy with another
// stream. So an operation begins at that event or at the end of the engine's previous operation,
// whichever is later. In a capture, events are recorded as nodes of the graph
// (cudaEventRecordExternal).
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <vector>

#include "ladder/streams/calls.cuh"
#include "ladder/streams/executor.hpp"

namespace warpfold::ladder::streams_ladder {
inline namespace WARPFOLD_MACHINE {

class event_observer final : public observer {
 public:
  event_observer(clock_function now_us, observer& besides)
      : now_us_(std::move(now_us)), besides_(besides) {}

  void starts() override {
    host_.clear();
    besides_.starts();
    check(cudaEventRecord(zero_, aside_), "cudaEventRecord");
    check(cudaEventSynchronize(zero_), "cudaEventSynchronize");
    start_us_ = now_us_();
  }
  void before(simt::engine where, const chunk_range& p, std::size_t bytes, void* s) override {
    besides_.before(where, p, bytes, s);
    const auto number = static_cast<unsigned>(streams_.size());
    const unsigned of_stream = s == nullptr ? 0 : streams_.try_emplace(s, number + 1).first->second;
    marks_.emplace_back(where, static_cast<int>(p.index), of_stream);
    record(marks_.back().before, static_cast<cudaStream_t>(s));
  }
  void after(void* s) override {
    record(marks_.back().after, static_cast<cudaStream_t>(s));
    besides_.after(s);
  }
  void host_begins(std::size_t bytes) override {
    host_.push_back({"works", now_us_(), 0});
    besides_.host_begins(bytes);
  }
  void host_ends() override {
    besides_.host_ends();
    host_.back().end = now_us_();
  }
  void asking_begins() override {
    host_.push_back({"polls", now_us_(), 0});
    besides_.asking_begins();
  }
  void asking_ends() override {
    besides_.asking_ends();
    host_.back().end = now_us_();
  }

  /// Call it when all operations have ended.
  std::vector<simt::timeline_span> spans() {
    std::vector<simt::timeline_span> all;
    for (const auto& m : marks_) {
      all.push_back({m.where, m.stream, m.label, name_of(m.where), since_zero(m.before),
                     since_zero(m.after)});
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.end_us < b.end_us; });
    std::map<simt::engine, double> busy_until;
    for (auto& s : all) {
      double& until = busy_until[s.where];
      s.begin_us = std::min(s.end_us, std::max(s.begin_us, until));
      until = s.end_us;
    }
    for (const auto& h : host_) {
      all.push_back({simt::engine::host, 0, -1, h.what, h.begin - start_us_, h.end - start_us_});
    }
    return all;
  }

 private:
  struct mark {
    mark(simt::engine e, int l, unsigned s) : where(e), label(l), stream(s) {}
    simt::engine where;
    int label;
    unsigned stream;
    event before{cudaEventDefault}, after{cudaEventDefault};
  };
  struct host_span {
    const char* what;
    double begin, end;
  };

  static const char* name_of(simt::engine e) {
    if (e == simt::engine::copy_in) return "copy in";
    return e == simt::engine::copy_out ? "copy out" : "kernel";
  }
  static void record(const event& e, cudaStream_t s) {
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    if (s != nullptr) check(cudaStreamIsCapturing(s, &capture), "cudaStreamIsCapturing");
    const bool captured = capture == cudaStreamCaptureStatusActive;
    check(
        cudaEventRecordWithFlags(e, s, captured ? cudaEventRecordExternal : cudaEventRecordDefault),
        "cudaEventRecordWithFlags");
  }
  double since_zero(const event& e) {
    float ms = 0;
    check(cudaEventElapsedTime(&ms, zero_, e), "cudaEventElapsedTime");
    return ms * 1000.0;
  }

  clock_function now_us_;
  observer& besides_;
  stream aside_{cudaStreamNonBlocking};
  event zero_{cudaEventDefault};
  double start_us_ = 0;
  std::map<void*, unsigned> streams_;
  std::deque<mark> marks_;  // they hold events, and stay where they are
  std::vector<host_span> host_;
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::streams_ladder
