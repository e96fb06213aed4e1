// Values of one type as values of another, in device memory.
#pragma once

#include <algorithm>
#include <cstddef>

#include "warpfold/device/detail/device_buffer.cuh"
#include "warpfold/environment.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

template <class From, class To>
__global__ void convert_kernel(const From* from, std::size_t n, To* to) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    to[i] = static_cast<To>(from[i]);
  }
}

/// to[i] = static_cast<To>(from[i]), in the stream. The two must not overlap.
template <class From, class To>
status convert_into(stream_type stream, const From* from, std::size_t n, To* to) {
  if (n == 0) return {};
  constexpr unsigned block = 256;
  const std::size_t wanted = (n - 1) / block + 1, most = current_device().multiprocessors * 8;
  return try_launch(
      {.grid = static_cast<unsigned>(std::min(wanted, most)), .block = block, .stream = stream},
      convert_kernel<From, To>, from, n, to);
}

/// One value in device memory.
template <class T>
class device_value {
 public:
  /// Throws device_error.
  explicit device_value(const T& value) : memory_(1, "a value in device memory") {
    status state = copy_async(memory_.data(), &value, sizeof(T), device.stream());
    if (state.ok()) state = wait_for(device.stream());
    state.throw_if_failed("a value in device memory");
  }

  [[nodiscard]] T* get() const { return memory_.data(); }

 private:
  device_buffer<T> memory_;
};

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
