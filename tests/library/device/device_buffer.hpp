// Device memory for tests, on a GPU or the CPU machine: values between canaries, at any offset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "warpfold/device/detail/device_buffer.cuh"
#include "warpfold/environment.hpp"

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {

template <class T>
class device_buffer {
 public:
  /// Starts `offset` values after a 256-byte boundary.
  explicit device_buffer(std::size_t n, std::size_t offset = 0)
      : n_(n), offset_(guard + offset), memory_(offset_ + n + guard, "a test buffer") {
    const std::vector<unsigned char> canaries(bytes(), canary);
    put(memory_.data(), canaries.data(), bytes());
  }
  explicit device_buffer(const std::vector<T>& values, std::size_t offset = 0)
      : device_buffer(values.size(), offset) {
    put(data(), values.data(), n_ * sizeof(T));
  }

  [[nodiscard]] T* data() const { return memory_.data() + offset_; }
  [[nodiscard]] std::size_t size() const { return n_; }
  [[nodiscard]] std::span<const T> values() const { return {data(), n_}; }
  [[nodiscard]] std::span<T> room() const { return {data(), n_}; }

  /// The values; fails the test if anything around them was written.
  [[nodiscard]] std::vector<T> read() const {
    std::vector<unsigned char> all(bytes());
    detail::wait_for(device.stream()).throw_if_failed("wait");
    detail::copy_async(all.data(), memory_.data(), bytes(), device.stream())
        .throw_if_failed("copy");
    detail::wait_for(device.stream()).throw_if_failed("wait");
    const std::size_t begin = offset_ * sizeof(T), end = begin + n_ * sizeof(T);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if ((i < begin || i >= end) && all[i] != canary) {
        ADD_FAILURE() << "byte " << i << " of a buffer with values in [" << begin << ", " << end
                      << ") was overwritten";
        break;
      }
    }
    std::vector<T> values(n_);
    if (n_ > 0) std::memcpy(static_cast<void*>(values.data()), all.data() + begin, end - begin);
    return values;
  }

 private:
  static constexpr std::size_t guard = 256;  // values, on either side
  static constexpr unsigned char canary = 0xa5;
  [[nodiscard]] std::size_t bytes() const { return memory_.bytes(); }
  static void put(void* to, const void* from, std::size_t bytes) {
    if (bytes == 0) return;
    detail::copy_async(to, from, bytes, device.stream()).throw_if_failed("copy");
    detail::wait_for(device.stream()).throw_if_failed("wait");
  }

  std::size_t n_, offset_;
  detail::device_buffer<T> memory_;
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
