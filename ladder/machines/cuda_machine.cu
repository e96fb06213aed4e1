// A CUDA device that ladders run on.
#include <algorithm>
#include <optional>
#include <string>

#include <cuda_runtime_api.h>

#include "ladder/machines/machine.hpp"
#include "ladder/reduce/wide_loads.cuh"
#include "measure/driver.hpp"
#include "measure/read_rate.cuh"
#include "warpfold/error.hpp"

namespace warpfold::ladder {

namespace {

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  throw device_error(std::string(what) + ": " + cudaGetErrorString(status));
}

class event {
 public:
  event() { check(cudaEventCreate(&event_), "cudaEventCreate"); }
  event(const event&) = delete;
  event& operator=(const event&) = delete;
  ~event() { cudaEventDestroy(event_); }
  void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream), "cudaEventRecord"); }
  double us_since(const event& start) {
    check(cudaEventSynchronize(event_), "a kernel of the ladder");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, start.event_, event_), "cudaEventElapsedTime");
    return ms * 1000.0;
  }

 private:
  cudaEvent_t event_;
};

/// Keeps its stream until the host opens it, or for a tenth of a second.
__global__ void hold_kernel(const volatile unsigned* open) {
  constexpr long long most_cycles = 200'000'000;
  const long long begin = clock64();
  while (*open == 0 && clock64() - begin < most_cycles) {
  }
}

__global__ void nothing_kernel() {}

/// What the host did last, as to judge a result, took the place of the code that launches in its
/// caches, and its clock may have gone down.
void warm_launching(cudaStream_t stream) {
  constexpr int launches = 8;
  for (int k = 0; k < launches; ++k) nothing_kernel<<<1, 1, 0, stream>>>();
  check(cudaStreamSynchronize(stream), "an empty kernel");
}

/// While it is closed, what is launched waits.
class gate {
 public:
  gate() { check(cudaHostAlloc(&open_, sizeof *open_, cudaHostAllocMapped), "cudaHostAlloc"); }
  gate(const gate&) = delete;
  gate& operator=(const gate&) = delete;
  ~gate() { cudaFreeHost(const_cast<unsigned*>(open_)); }
  void close(cudaStream_t stream) {
    *open_ = 0;
    hold_kernel<<<1, 1, 0, stream>>>(open_);
    check(cudaGetLastError(), "a gate in a stream");
  }
  void open() { *open_ = 1; }

 private:
  volatile unsigned* open_ = nullptr;
};

/// Times by events in the device's stream.
class event_stopwatch final : public stopwatch {
 public:
  event_stopwatch(device& where, bool queued) : where_(where) {
    if (queued) gate_.emplace();
  }

  double time_us(const std::function<void()>& launches) override {
    auto* const stream = static_cast<cudaStream_t>(where_.stream());
    if (gate_) {
      gate_->close(stream);
    } else {
      warm_launching(stream);
    }
    start_.record(stream);
    launches();
    end_.record(stream);
    if (gate_) gate_->open();
    return end_.us_since(start_);
  }

  double read_ceiling_gbs() override {
    // Large enough that less than one percent of it can still be in the cache.
    std::size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    const std::size_t wanted = std::min(free / 2, std::size_t{8} << 30) / 4096 * 4096;
    const device_memory data(where_, wanted);
    const device_memory out(where_, 4);
    where_.fill(data.get(), 0x5A, wanted);
    return measure::read_rate(data.get(), wanted, static_cast<unsigned*>(out.get()),
                              where_.processors(), static_cast<cudaStream_t>(where_.stream()),
                              [&](const auto& launches) { return time_us(launches); });
  }

 private:
  device& where_;
  event start_, end_;
  std::optional<gate> gate_;
};

class cuda_machine_device final : public machine {
 public:
  explicit cuda_machine_device(bool queued) : stopwatch_(*this, queued) {
    check(cudaSetDevice(0), "cudaSetDevice");
    check(cudaGetDeviceProperties(&properties_, 0), "cudaGetDeviceProperties");
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
  }
  ~cuda_machine_device() override { cudaStreamDestroy(stream_); }

  [[nodiscard]] backend_kind backend() const override { return backend_kind::cuda; }
  [[nodiscard]] std::string name() const override { return properties_.name; }
  [[nodiscard]] std::string driver() const override {
    if (auto driver = measure::nvidia_driver(); !driver.empty()) return driver;
    int version = 0;
    cudaDriverGetVersion(&version);
    return "for CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
  }
  [[nodiscard]] std::string toolkit() const override {
    return "CUDA " + std::to_string(CUDART_VERSION / 1000) + "." +
           std::to_string(CUDART_VERSION % 1000 / 10);
  }
  [[nodiscard]] unsigned processors() const override {
    return static_cast<unsigned>(properties_.multiProcessorCount);
  }
  [[nodiscard]] int capability() const override {
    return properties_.major * 10 + properties_.minor;
  }
  [[nodiscard]] int compiled_for() const override {
    cudaFuncAttributes code{};
    check(cudaFuncGetAttributes(&code, nothing_kernel), "cudaFuncGetAttributes");
    return code.ptxVersion;
  }
  [[nodiscard]] std::size_t shared_bytes() const override {
    return properties_.sharedMemPerBlockOptin;
  }
  [[nodiscard]] std::size_t cache_bytes() const override {
    return static_cast<std::size_t>(properties_.l2CacheSize);
  }

  void* allocate(std::size_t bytes) override {
    void* p = nullptr;
    const cudaError_t status = cudaMalloc(&p, std::max<std::size_t>(bytes, 1));
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      std::size_t free = 0, total = 0;
      cudaMemGetInfo(&free, &total);
      throw device_error("the GPU needs " + std::to_string(bytes >> 20) + " MiB more memory, and " +
                         std::to_string(free >> 20) + " of its " + std::to_string(total >> 20) +
                         " MiB are free; take a smaller --n");
    }
    check(status, "cudaMalloc");
    return p;
  }
  void release(void* pointer) noexcept override { cudaFree(pointer); }
  void write(void* to, const void* from, std::size_t bytes) override {
    move(to, from, bytes, cudaMemcpyHostToDevice);
  }
  void read(void* to, const void* from, std::size_t bytes) override {
    move(to, from, bytes, cudaMemcpyDeviceToHost);
  }
  void copy(void* to, const void* from, std::size_t bytes) override {
    move(to, from, bytes, cudaMemcpyDeviceToDevice);
  }
  void fill(void* to, unsigned char byte, std::size_t bytes) override {
    if (bytes != 0) check(cudaMemsetAsync(to, byte, bytes, stream_), "cudaMemset");
  }
  [[nodiscard]] void* stream() const override { return stream_; }
  void synchronize() override { check(cudaStreamSynchronize(stream_), "a kernel of the ladder"); }

  [[nodiscard]] ladder::stopwatch* stopwatch() override { return &stopwatch_; }

 private:
  void move(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    if (bytes == 0) return;
    check(cudaMemcpyAsync(to, from, bytes, kind, stream_), "cudaMemcpy");
    check(cudaStreamSynchronize(stream_), "cudaMemcpy");
  }

  cudaDeviceProp properties_{};
  cudaStream_t stream_ = nullptr;
  event_stopwatch stopwatch_;
};

}  // namespace

bool has_cuda_device() {
  int count = 0;
  const bool found = cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
  cudaGetLastError();
  return found;
}

std::unique_ptr<machine> make_cuda_machine(bool queued) {
  if (!has_cuda_device()) {
    throw device_error(
        "--backend cuda: no usable CUDA device; run `warpfold doctor`, or use --backend simt");
  }
  return std::make_unique<cuda_machine_device>(queued);
}

}  // namespace warpfold::ladder
