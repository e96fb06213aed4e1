// Values of one type as values of another, in device memory.
#pragma once

#include <algorithm>
#include <cstddef>

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

}  // namespace detail

/// to[i] = static_cast<To>(from[i]), in the stream. The two must not overlap.
template <class From, class To>
status convert_into(stream_type stream, const From* from, std::size_t n, To* to) {
  if (n == 0) return {};
  constexpr unsigned block = 256;
  const std::size_t wanted = (n - 1) / block + 1, most = current_device().multiprocessors * 8;
  return try_launch(
      {.grid = static_cast<unsigned>(std::min(wanted, most)), .block = block, .stream = stream},
      detail::convert_kernel<From, To>, from, n, to);
}

/// One value in device memory.
template <class T>
class device_value {
 public:
  /// Throws device_error.
  explicit device_value(const T& value) {
    const stream_type stream = device.stream();
    allocate_async(&p_, sizeof(T), stream).throw_if_failed("room for a value on the device");
    status state = copy_async(p_, &value, sizeof(T), stream);
    if (state.ok()) state = wait_for(stream);
    if (!state.ok()) (void)free_async(p_, stream);
    state.throw_if_failed("a value on the device");
  }
  ~device_value() { (void)free_async(p_, device.stream()); }
  device_value(const device_value&) = delete;
  device_value& operator=(const device_value&) = delete;

  [[nodiscard]] T* get() const { return static_cast<T*>(p_); }

 private:
  void* p_ = nullptr;
};

}  // namespace warpfold::inline WARPFOLD_MACHINE
