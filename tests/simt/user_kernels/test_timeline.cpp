// The virtual clock of streams, rule by rule: a copy of 1 MB takes a millisecond here, and calls
// and latencies nothing, unless a test says otherwise.
#include <vector>

#include <cuda_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simt/timeline.hpp"

namespace {

using simt::engine;
using testing::HasSubstr;

constexpr std::size_t megabyte = 1000000;
constexpr simt::engine_speeds plain{.copy_in_gbs = 1,
                                    .copy_out_gbs = 1,
                                    .kernel_gbs = 1,
                                    .pageable_gbs = 0.5,
                                    .host_gbs = 1,
                                    .call_us = 0,
                                    .latency_us = 0,
                                    .graph_latency_us = 0};

class own_timeline : public testing::Test {
 protected:
  own_timeline() {
    for (auto& p : pinned_) cudaMallocHost(&p, megabyte);
    for (auto& p : device_) cudaMalloc(&p, megabyte);
    for (auto& s : blocking_) cudaStreamCreate(&s);
    for (auto& s : free_) cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    for (auto& e : events_) cudaEventCreate(&e);
  }
  ~own_timeline() override {
    for (auto* s : blocking_) cudaStreamDestroy(s);
    for (auto* s : free_) cudaStreamDestroy(s);
    for (auto* e : events_) cudaEventDestroy(e);
    cudaDeviceReset();
  }
  void in(int i, cudaStream_t s, std::size_t bytes = megabyte) {
    EXPECT_EQ(cudaMemcpyAsync(device_[i], pinned_[i], bytes, cudaMemcpyHostToDevice, s),
              cudaSuccess);
  }
  void out(int i, cudaStream_t s) {
    EXPECT_EQ(cudaMemcpyAsync(pinned_[i], device_[i], megabyte, cudaMemcpyDeviceToHost, s),
              cudaSuccess);
  }
  void kernel(int i, cudaStream_t s) {  // as far as engines go
    EXPECT_EQ(cudaMemsetAsync(device_[i], 1, megabyte, s), cudaSuccess);
  }
  /// Beginnings and ends in milliseconds, engine by engine.
  static std::vector<std::pair<double, double>> times(const simt::timeline& line, engine where) {
    std::vector<std::pair<double, double>> all;
    for (const auto& s : line.spans()) {
      if (s.where == where) all.emplace_back(s.begin_us / 1000, s.end_us / 1000);
    }
    return all;
  }
  using intervals = std::vector<std::pair<double, double>>;

  char* pinned_[3]{};
  char* device_[3]{};
  cudaStream_t blocking_[2]{}, free_[2]{};
  cudaEvent_t events_[3]{};
};

TEST_F(own_timeline, a_stream_is_first_in_first_out) {
  const simt::timeline line(plain);
  in(0, blocking_[0]);
  kernel(0, blocking_[0]);
  out(0, blocking_[0]);
  EXPECT_EQ(line.now_us(), 0) << "the host waits for nothing";
  EXPECT_EQ(cudaStreamSynchronize(blocking_[0]), cudaSuccess);
  EXPECT_DOUBLE_EQ(line.now_us(), 3000);
  EXPECT_EQ(times(line, engine::copy_in), (intervals{{0, 1}}));
  EXPECT_EQ(times(line, engine::compute), (intervals{{1, 2}}));
  EXPECT_EQ(times(line, engine::copy_out), (intervals{{2, 3}}));
}

TEST_F(own_timeline, engines_work_side_by_side_and_each_on_one_thing_at_a_time) {
  const simt::timeline line(plain);
  for (int i = 0; i < 2; ++i) {
    in(i, blocking_[i]);
    kernel(i, blocking_[i]);
    out(i, blocking_[i]);
  }
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_DOUBLE_EQ(line.now_us(), 4000);
  EXPECT_EQ(times(line, engine::copy_in), (intervals{{0, 1}, {1, 2}}));
  EXPECT_EQ(times(line, engine::compute), (intervals{{1, 2}, {2, 3}}));
  EXPECT_EQ(times(line, engine::copy_out), (intervals{{2, 3}, {3, 4}}));
}

TEST_F(own_timeline, one_copy_engine_with_one_queue_makes_depth_first_wait) {
  for (const bool one_queue : {false, true}) {
    auto speeds = plain;
    speeds.copy_engines = 1;
    speeds.one_queue = one_queue;
    const simt::timeline line(speeds);
    for (int i = 0; i < 2; ++i) {
      in(i, blocking_[i]);
      kernel(i, blocking_[i]);
      out(i, blocking_[i]);
    }
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_DOUBLE_EQ(line.now_us(), one_queue ? 6000 : 4000);
  }
}

TEST_F(own_timeline, the_default_stream_stands_between_but_for_non_blocking_streams) {
  for (const bool blocking : {true, false}) {
    const simt::timeline line(plain);
    auto* const* const s = blocking ? blocking_ : free_;
    in(0, s[0]);
    kernel(2, nullptr);
    in(1, s[1]);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_DOUBLE_EQ(line.now_us(), blocking ? 3000 : 2000);
    EXPECT_EQ(times(line, engine::compute), blocking ? (intervals{{1, 2}}) : (intervals{{0, 1}}));
  }
}

TEST_F(own_timeline, a_stream_waits_for_an_event_and_the_host_does_not) {
  const simt::timeline line(plain);
  in(0, free_[0]);
  EXPECT_EQ(cudaEventRecord(events_[0], free_[0]), cudaSuccess);
  in(1, free_[0]);
  EXPECT_EQ(cudaStreamWaitEvent(free_[1], events_[0], 0), cudaSuccess);
  kernel(0, free_[1]);
  EXPECT_EQ(line.now_us(), 0);
  EXPECT_EQ(cudaEventSynchronize(events_[0]), cudaSuccess);
  EXPECT_DOUBLE_EQ(line.now_us(), 1000);
  EXPECT_EQ(times(line, engine::compute), (intervals{{1, 2}}));
}

TEST_F(own_timeline, queries_answer_by_the_hosts_clock) {
  auto speeds = plain;
  speeds.call_us = 100;
  const simt::timeline line(speeds);
  in(0, free_[0]);
  EXPECT_EQ(cudaEventRecord(events_[0], free_[0]), cudaSuccess);
  int asked = 0;
  while (cudaEventQuery(events_[0]) == cudaErrorNotReady) ++asked;
  EXPECT_EQ(asked, 8) << "a copy from 100 to 1100 µs, first asked for at 300";
  EXPECT_EQ(cudaStreamQuery(free_[0]), cudaSuccess);
  in(1, free_[0]);
  EXPECT_EQ(cudaStreamQuery(free_[0]), cudaErrorNotReady);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "an answer, not an error";
}

TEST_F(own_timeline, events_hold_its_times) {
  const simt::timeline line(plain);
  EXPECT_EQ(cudaEventRecord(events_[0], free_[0]), cudaSuccess);
  in(0, free_[0]);
  EXPECT_EQ(cudaEventRecord(events_[1], free_[0]), cudaSuccess);
  float ms = 0;
  EXPECT_EQ(cudaEventElapsedTime(&ms, events_[0], events_[1]), cudaErrorNotReady);
  EXPECT_EQ(cudaStreamSynchronize(free_[0]), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&ms, events_[0], events_[1]), cudaSuccess);
  EXPECT_FLOAT_EQ(ms, 1);
}

TEST_F(own_timeline, pageable_copies_take_the_host_along) {
  std::vector<char> ordinary(megabyte);
  simt::timeline line(plain);
  EXPECT_EQ(
      cudaMemcpyAsync(device_[0], ordinary.data(), megabyte, cudaMemcpyHostToDevice, free_[0]),
      cudaSuccess);
  EXPECT_DOUBLE_EQ(line.now_us(), 2000);
  EXPECT_EQ(times(line, engine::host), (intervals{{0, 2}}));
  EXPECT_EQ(cudaMemcpy(pinned_[0], device_[0], megabyte, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_DOUBLE_EQ(line.now_us(), 3000);
  line.host_works(megabyte);
  EXPECT_DOUBLE_EQ(line.now_us(), 4000);
}

TEST_F(own_timeline, data_is_there_at_once_whatever_the_clock_says) {
  const simt::timeline line(plain);
  pinned_[0][77] = 5;
  in(0, free_[0]);
  EXPECT_EQ(device_[0][77], 5);
  EXPECT_EQ(line.now_us(), 0);
}

/// What graphs do with and without a timeline.
class own_graph : public own_timeline {
 protected:
  cudaGraph_t end() {
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(free_[0], &graph), cudaSuccess);
    return graph;
  }
  void begin() {
    EXPECT_EQ(cudaStreamBeginCapture(free_[0], cudaStreamCaptureModeGlobal), cudaSuccess);
  }
  simt::observe watching_{{}};
};

TEST_F(own_graph, runs_when_it_is_launched_and_as_often) {
  static int called = 0;
  called = 0;
  begin();
  in(0, free_[0]);
  EXPECT_EQ(cudaLaunchHostFunc(
                free_[0], [](void*) { ++called; }, nullptr),
            cudaSuccess);
  cudaGraph_t graph = end();
  std::size_t nodes = 0;
  EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
  EXPECT_EQ(nodes, 2U);
  cudaGraphExec_t exec = nullptr;
  EXPECT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(called, 0);
  for (const char value : {3, 4}) {
    pinned_[0][5] = value;
    EXPECT_EQ(cudaGraphLaunch(exec, free_[1]), cudaSuccess);
    EXPECT_EQ(device_[0][5], value);
  }
  EXPECT_EQ(called, 2);
  EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
}

TEST_F(own_graph, keeps_the_order_of_streams_and_events) {
  begin();
  EXPECT_EQ(cudaEventRecord(events_[0], free_[0]), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(free_[1], events_[0], 0), cudaSuccess);
  in(0, free_[0]);
  kernel(1, free_[1]);  // beside the copy
  EXPECT_EQ(cudaEventRecord(events_[1], free_[1]), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(free_[0], events_[1], 0), cudaSuccess);
  out(0, free_[0]);  // behind both
  cudaGraphExec_t exec = nullptr;
  EXPECT_EQ(cudaGraphInstantiate(&exec, end(), 0), cudaSuccess);
  const simt::timeline line(plain);
  EXPECT_EQ(cudaGraphLaunch(exec, free_[0]), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(exec, free_[0]), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(free_[0]), cudaSuccess);
  EXPECT_DOUBLE_EQ(line.now_us(), 4000);
  EXPECT_EQ(times(line, engine::copy_in), (intervals{{0, 1}, {2, 3}}));
  EXPECT_EQ(times(line, engine::compute), (intervals{{0, 1}, {2, 3}}));
  EXPECT_EQ(times(line, engine::copy_out), (intervals{{1, 2}, {3, 4}}));
  cudaGraphExecDestroy(exec);
}

TEST_F(own_graph, says_what_a_capture_can_not_hold) {
  const auto expect_said = [&](cudaError_t got, cudaError_t expected, const char* says) {
    EXPECT_EQ(got, expected) << cudaGetErrorName(got);
    ASSERT_FALSE(watching_.errors.empty());
    EXPECT_THAT(watching_.errors.back(), HasSubstr(says));
    cudaGetLastError();
  };
  cudaGraph_t graph = nullptr;
  expect_said(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal),
              cudaErrorStreamCaptureUnsupported, "default stream");
  expect_said(cudaStreamEndCapture(free_[0], &graph), cudaErrorIllegalState, "no capture");

  begin();
  expect_said(cudaStreamSynchronize(free_[0]), cudaErrorStreamCaptureUnsupported, "captured");
  expect_said(cudaStreamEndCapture(free_[0], &graph), cudaErrorStreamCaptureInvalidated, "broke");
  EXPECT_EQ(graph, nullptr);

  begin();
  EXPECT_EQ(cudaEventRecord(events_[0], free_[0]), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(free_[1], events_[0], 0), cudaSuccess);
  in(0, free_[1]);
  expect_said(cudaEventSynchronize(events_[0]), cudaErrorCapturedEvent, "graph");
  expect_said(cudaStreamEndCapture(free_[1], &graph), cudaErrorStreamCaptureUnmatched, "another");
  expect_said(cudaStreamEndCapture(free_[0], &graph), cudaErrorStreamCaptureUnjoined,
              "does not wait for");

  begin();
  EXPECT_EQ(cudaEventRecord(events_[1], blocking_[0]), cudaSuccess);
  expect_said(cudaStreamWaitEvent(free_[0], events_[1], 0), cudaErrorStreamCaptureIsolation,
              "outside");
  EXPECT_EQ(cudaStreamEndCapture(free_[0], &graph), cudaErrorStreamCaptureInvalidated);

  EXPECT_EQ(cudaStreamBeginCapture(blocking_[0], cudaStreamCaptureModeGlobal), cudaSuccess);
  expect_said(cudaMemset(device_[0], 0, 4), cudaErrorStreamCaptureImplicit, "NonBlocking");
  EXPECT_EQ(cudaStreamEndCapture(blocking_[0], &graph), cudaErrorStreamCaptureInvalidated);
  cudaGetLastError();
}

}  // namespace
