// The executor, in calls of CUDA's runtime: compiled for each machine.
#include <cstring>

#include "ladder/streams/calls.cuh"
#include "ladder/streams/event_observer.cuh"
#include "ladder/streams/executor.hpp"
#include "ladder/streams/memory.cuh"
#include "ladder/streams/speeds.cuh"

namespace warpfold::ladder::streams_ladder {
inline namespace WARPFOLD_MACHINE {

namespace {

constexpr int poison = 0xA5;

class runtime_executor final : public executor {
 public:
  runtime_executor(const executor_problem& p, clock_function now_us)
      : now_us_(std::move(now_us)),
        bytes_(p.n * size_of(p.type)),
        sums_bytes_((p.chunks + 1) * size_of(p.type)),
        pageable_values_(static_cast<const std::byte*>(p.values)),
        pageable_sums_(sums_bytes_),
        pinned_values_(bytes_),
        pinned_sums_(sums_bytes_),
        device_values_(bytes_),
        device_sums_(sums_bytes_),
        workspace_bytes_((sum_workspace_bytes(p.type) + 255) / 256 * 256),
        workspaces_(p.chunks * workspace_bytes_),
        mark_(4),
        work_{.type = p.type,
              .n = p.n,
              .chunks = p.chunks,
              .passes = p.passes,
              .values = pinned_values_.get(),
              .sums = pinned_sums_.get(),
              .device_values = device_values_.get(),
              .device_sums = device_sums_.get(),
              .workspaces = workspaces_.get(),
              .workspace_bytes = workspace_bytes_,
              .mark = mark_.get(),
              .listener = nullptr,
              .add_on_host = p.add_on_host} {
    if (bytes_ > 0) std::memcpy(pinned_values_.get(), p.values, bytes_);
    check(cudaMemset(workspaces_.get(), 0, p.chunks * work_.workspace_bytes), "cudaMemset");
  }

  [[nodiscard]] std::string device() const override {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
    return properties.name;
  }

  outcome run(const rung& r, observer& listener) override {
    work w = work_;
    w.listener = &listener;
    if (r.pageable) {
      w.values = pageable_values_;
      w.sums = pageable_sums_.data();
    }
    std::memset(w.sums, poison, sums_bytes_);
    check(cudaMemset(w.device_sums, poison, sums_bytes_), "cudaMemset");
    if (bytes_ > 0) check(cudaMemset(w.device_values, poison, bytes_), "cudaMemset");
    const auto ready = r.prepare(w);
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    listener.starts();
    const double start = now_us_();
    const unsigned sums = ready->run();
    const double end = now_us_();
    check(cudaDeviceSynchronize(), "a rung of the streams ladder");
    return {end - start, {w.sums, w.sums + sums * size_of(w.type)}};
  }

  std::vector<simt::timeline_span> trace(const rung& r, observer& listener) override {
    event_observer events(now_us_, listener);
    run(r, events);
    return events.spans();
  }

  simt::engine_speeds measure_speeds() override {
    return streams_ladder::measure_speeds(work_, pageable_values_, now_us_);
  }

 private:
  clock_function now_us_;
  std::size_t bytes_, sums_bytes_;
  const std::byte* pageable_values_;
  std::vector<std::byte> pageable_sums_;
  pinned_memory pinned_values_, pinned_sums_;
  global_memory device_values_, device_sums_;
  std::size_t workspace_bytes_;
  global_memory workspaces_, mark_;
  work work_;
};

}  // namespace

std::unique_ptr<executor> make_executor(const executor_problem& p, const clock_function& now_us);
std::unique_ptr<executor> make_executor(const executor_problem& p, const clock_function& now_us) {
  int devices = 0;
  const cudaError_t answer = cudaGetDeviceCount(&devices);
  if (answer != cudaSuccess || devices == 0) {
    cudaGetLastError();
    throw device_error(
        "--backend cuda: no usable CUDA device; run `warpfold doctor`, or use --backend simt");
  }
  return std::make_unique<runtime_executor>(p, now_us);
}

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::streams_ladder
