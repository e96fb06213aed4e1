// How many values a call has: a number of the host's, or one in device memory that a kernel loads
// once the kernels before it have ended. Tuned kernels take host_size or device_size, types of
// their own: with the host's number they have no code for the other.
#pragma once

#include <cstddef>

#include "warpfold/platform.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

template <class T>
struct device_sized_values;  // device/sized.cuh

namespace detail {

template <class Given>
inline constexpr bool is_device_sized = false;
template <class T>
inline constexpr bool is_device_sized<device_sized_values<T>> = true;

/// How many values a call has: n, or `*on_device` where that is given, n at most.
struct value_count {
  std::size_t n;
  const std::size_t* on_device;

  __device__ __forceinline__ std::size_t load() const {
    if (on_device == nullptr) return n;
    const std::size_t given = *on_device;
    return given < n ? given : n;
  }
};

/// The number of values is the problem's n.
struct host_size {};
/// It is `*at`, device memory, and the problem's n at most.
struct device_size {
  const std::size_t* at;

  /// Sets n.
  __device__ __forceinline__ void load(std::size_t& n) const { n = value_count{n, at}.load(); }
};

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
