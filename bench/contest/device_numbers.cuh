// Slots of numbers in device memory: filled, and told how many of them are wrong.
#pragma once

#include <vector>

#include "bench/contest/device_contest.hpp"
#include "bench/contest/numbers.hpp"

namespace warpfold::bench {

/// `count` slots of n values, each 256-byte aligned.
template <class T>
class number_slots {
 public:
  number_slots(std::size_t n, std::size_t count)
      : step_((n * sizeof(T) + 255) / 256 * 256), count_(count), bytes_(step_ * count) {}

  [[nodiscard]] T* operator()(std::size_t slot) const { return bytes_.as<T>(slot * step_); }
  [[nodiscard]] std::size_t values() const { return step_ / sizeof(T) * count_; }
  [[nodiscard]] std::size_t step() const { return step_ / sizeof(T); }
  void poison(cudaStream_t stream) const {
    require(cudaMemsetAsync(bytes_.as(), 0xff, step_ * count_, stream), "poison the results");
  }

 private:
  std::size_t step_, count_;
  device_bytes bytes_;
};

template <class T>
__global__ void numbers_kernel(T* to, std::size_t n, bool summed, std::uint64_t seed) {
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x) {
    to[i] = number<T>(summed, seed, i);
  }
}

template <class T>
void fill(const number_slots<T>& slots, const problem& p, cudaStream_t stream) {
  numbers_kernel<<<1024, 256, 0, stream>>>(slots(0), slots.values(), p.op == operation::sum,
                                           p.seed);
  require(cudaGetLastError(), "fill the input");
}

/// A mark for each slot in which something is wrong.
class wrong_slots {
 public:
  explicit wrong_slots(std::size_t count) : marks_(count * sizeof(unsigned)) {}

  /// `mark(marks)` launches a kernel that writes 1 to marks[slot] where the slot is wrong.
  template <class Mark>
  std::size_t count(std::size_t slots, cudaStream_t stream, Mark mark) const {
    const std::size_t bytes = slots * sizeof(unsigned);
    require(cudaMemsetAsync(marks_.as(), 0, bytes, stream), "clear the marks");
    mark(marks_.as<unsigned>());
    require(cudaGetLastError(), "check the results");
    std::vector<unsigned> found(slots);
    require(cudaMemcpyAsync(found.data(), marks_.as(), bytes, cudaMemcpyDeviceToHost, stream),
            "read the marks");
    require(cudaStreamSynchronize(stream), "check the results");
    return slots - static_cast<std::size_t>(std::count(found.begin(), found.end(), 0U));
  }

 private:
  device_bytes marks_;
};

}  // namespace warpfold::bench
