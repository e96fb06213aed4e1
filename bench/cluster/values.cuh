// Values on a device: made from their places, so that what a sort of them must be can be told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "warpfold/device/detail/device_buffer.cuh"
#include "warpfold/platform.hpp"

namespace many_devices {

template <class T>
class on_device {
 public:
  explicit on_device(std::size_t n) : memory_(n + 1, "a benchmark's values"), n_(n) {}
  [[nodiscard]] std::span<T> view() const { return {memory_.data(), n_}; }

 private:
  warpfold::detail::device_buffer<T> memory_;
  std::size_t n_;
};

__host__ __device__ inline std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

/// Value `i` of all: whole numbers below 2^bits.
template <class T>
__global__ void fill_kernel(T* to, std::size_t n, std::size_t first, unsigned bits) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    to[i] = static_cast<T>(mixed(first + i) >> (64 - bits));
  }
}
template <class T>
__global__ void count_up_kernel(T* to, std::size_t n, std::size_t first) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    to[i] = static_cast<T>(first + i);
  }
}
/// Rows whose key is less than the one before, or equal with a lesser item, or not the item's.
static __global__ void check_kernel(const std::uint32_t* keys, const std::uint32_t* items,
                                    std::size_t n, unsigned* wrong) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    const bool disordered =
        i > 0 && (keys[i] < keys[i - 1] || (keys[i] == keys[i - 1] && items[i] < items[i - 1]));
    const bool changed = keys[i] != static_cast<std::uint32_t>(mixed(items[i]) >> 32);
    if (disordered || changed) atomicAdd(wrong, 1U);
  }
}

template <class T>
void fill(std::span<T> values, std::size_t first, unsigned bits, cudaStream_t stream) {
  warpfold::detail::launch({.grid = 2048, .block = 256, .stream = stream}, fill_kernel<T>,
                           values.data(), values.size(), first, bits);
}

}  // namespace many_devices
