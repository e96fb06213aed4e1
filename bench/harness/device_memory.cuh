// Device memory of the benchmarks: who owns it, the slots of calls, and marks for the wrong ones.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <cuda_runtime.h>

#include "bench/harness/candidate.hpp"
#include "bench/harness/numbers.hpp"
#include "warpfold/device/detail/cuda_check.cuh"
#include "warpfold/device/detail/device_buffer.cuh"

namespace warpfold::bench {

using detail::cuda_check;

/// Device memory for n values. When it goes, it waits for all that the device still does.
template <class T>
class device_buffer {
 public:
  explicit device_buffer(std::size_t n)
      : n_(n), memory_(std::max<std::size_t>(n, 1), "memory of the benchmark") {
    detail::wait_for(device.stream()).throw_if_failed("memory of the benchmark");
  }
  device_buffer(const device_buffer&) = delete;
  device_buffer& operator=(const device_buffer&) = delete;
  ~device_buffer() { (void)cudaDeviceSynchronize(); }

  [[nodiscard]] T* data() const { return memory_.data(); }
  [[nodiscard]] std::size_t size() const { return n_; }
  [[nodiscard]] std::size_t bytes() const { return n_ * sizeof(T); }
  void set_bytes(int byte, cudaStream_t stream) const {
    cuda_check(cudaMemsetAsync(data(), byte, bytes(), stream), "set memory of the benchmark");
  }
  /// Waits for the stream.
  [[nodiscard]] std::vector<T> on_host(std::size_t n, cudaStream_t stream) const {
    std::vector<T> values(n);
    cuda_check(
        cudaMemcpyAsync(values.data(), data(), n * sizeof(T), cudaMemcpyDeviceToHost, stream),
        "copy to the host");
    cuda_check(cudaStreamSynchronize(stream), "copy to the host");
    return values;
  }

 private:
  std::size_t n_;
  detail::device_buffer<T> memory_;
};

/// `count` slots of n values, each 256-byte aligned.
template <class T>
class slot_buffer {
 public:
  slot_buffer(std::size_t n, std::size_t count)
      : step_((n * sizeof(T) + 255) / 256 * 256 / sizeof(T)), values_(step_ * count) {}

  [[nodiscard]] T* operator()(std::size_t slot) const { return values_.data() + slot * step_; }
  [[nodiscard]] const device_buffer<T>& all() const { return values_; }
  /// Values from one slot to the next.
  [[nodiscard]] std::size_t step() const { return step_; }

 private:
  std::size_t step_;
  device_buffer<T> values_;
};

template <class T, class Value>
__global__ void fill_kernel(T* to, std::size_t n, Value value) {
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x) {
    to[i] = value(i);
  }
}
/// value(i), with i counting through all of the memory.
template <class T, class Value>
void fill(const device_buffer<T>& memory, Value value, cudaStream_t stream) {
  fill_kernel<<<1024, 256, 0, stream>>>(memory.data(), memory.size(), value);
  cuda_check(cudaGetLastError(), "fill memory of the benchmark");
}

/// The numbers of a case.
template <class T>
struct numbers_of {
  bool summed;
  std::uint64_t seed;
  explicit numbers_of(const bench_case& c) : summed(c.op == operation::sum), seed(c.seed) {}
  __device__ T operator()(std::size_t i) const { return number<T>(summed, seed, i); }
};

/// Writes 1 to *mark if one of n results is not the expected one.
template <class T>
__global__ void compare_kernel(const T* got, const T* expected, std::size_t n, unsigned* mark) {
  bool wrong = false;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x) {
    wrong = wrong || got[i] != expected[i];
  }
  if (wrong) *mark = 1;
}

/// A mark for each slot in which something is wrong.
class wrong_slots {
 public:
  explicit wrong_slots(std::size_t count) : marks_(count) {}

  /// `mark(marks)` launches a kernel that writes 1 to marks[slot] where the slot is wrong.
  template <class Mark>
  mistakes count(std::size_t slots, cudaStream_t stream, Mark mark) const {
    marks_.set_bytes(0, stream);
    mark(marks_.data());
    cuda_check(cudaGetLastError(), "check the results");
    const auto found = marks_.on_host(slots, stream);
    const auto right = static_cast<std::size_t>(std::count(found.begin(), found.end(), 0U));
    return {slots - right, ""};
  }

 private:
  device_buffer<unsigned> marks_;
};

}  // namespace warpfold::bench
