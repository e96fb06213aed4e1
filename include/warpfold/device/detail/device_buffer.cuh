// The one owner of device memory.
#pragma once

#include <cstddef>
#include <utility>

#include "warpfold/environment.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// Owns `size` values of T in device memory, stream-ordered: what uses it runs in its stream, or
/// has waited for that, and has ended when it goes. Movable.
template <class T>
class device_buffer {
 public:
  device_buffer() = default;
  /// Throws device_error, which says `what` and how many bytes.
  device_buffer(std::size_t size, const char* what, stream_type stream = device.stream()) {
    allocate(size, stream).throw_if_failed(what, " of ", size * sizeof(T), " bytes");
  }
  device_buffer(device_buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        stream_(other.stream_) {}
  device_buffer& operator=(device_buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(stream_, other.stream_);
    return *this;
  }
  ~device_buffer() { (void)release(); }

  /// Instead of what it has. It owns nothing if that fails.
  status allocate(std::size_t size, stream_type stream) {
    status state = release();
    if (state.ok()) state = allocate_async(&data_, size * sizeof(T), stream);
    if (!state.ok()) {
      data_ = nullptr;
      return state;
    }
    size_ = size;
    stream_ = stream;
    return {};
  }
  status zero() { return zero_async(data_, bytes(), stream_); }
  status release() {
    size_ = 0;
    return data_ == nullptr ? status{} : free_async(std::exchange(data_, nullptr), stream_);
  }

  [[nodiscard]] T* data() const { return static_cast<T*>(data_); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const { return size_ * sizeof(T); }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
  stream_type stream_{};
};

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
