// Device memory that calls work in, so that they allocate nothing.
#pragma once

#include <cstddef>
#include <utility>

#include "warpfold/environment.hpp"

#if WARPFOLD_HAS_DEVICE
namespace warpfold::inline WARPFOLD_MACHINE {

/// Owns cleared device memory. It serves one call at a time: share it between calls in one stream,
/// not between streams. Movable.
///
///   workspace memory(reduce_workspace_bytes<int>());
///   reduce_into(device.on(stream).with(memory), values, out)
class workspace {
 public:
  /// Returns when the memory is there and cleared. Throws device_error.
  explicit workspace(std::size_t bytes) : bytes_(bytes) {
    const stream_type stream = device.stream();
    status state = allocate_async(&data_, bytes, stream);
    if (state.ok()) {
      state = zero_async(data_, bytes, stream);
      if (state.ok()) state = wait_for(stream);
      if (!state.ok()) (void)free_async(data_, stream);
    }
    state.throw_if_failed("a workspace of ", bytes, " bytes");
  }
  /// Takes the memory of `other`, which has none afterwards.
  workspace(workspace&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  /// Changes places with `other`.
  workspace& operator=(workspace&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  /// The calls that use it must have ended, or run in a stream that waits for the default stream.
  ~workspace() {
    if (data_ != nullptr) (void)free_async(data_, device.stream());
  }

  /// Its memory, for device_execution::with.
  // NOLINTNEXTLINE(google-explicit-constructor): wherever a view is asked for
  operator workspace_view() const { return {data_, bytes_}; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace warpfold::inline WARPFOLD_MACHINE
#endif
