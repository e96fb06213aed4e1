// Device memory for calls, so that they allocate nothing: two types, since sorts leave data in
// theirs, and all other calls need cleared memory.
#pragma once

#include <cstddef>

#include "warpfold/environment.hpp"
#if WARPFOLD_HAS_DEVICE
#include "warpfold/device/detail/device_buffer.cuh"
#endif

#if WARPFOLD_HAS_DEVICE
namespace warpfold::inline WARPFOLD_MACHINE {

namespace detail {

/// Owns device memory of the legacy default stream, which all threads share: memory may move to
/// another thread, and sources compiled with --default-stream per-thread behave the same. Movable.
/// Before its destruction, the calls that use it must have ended, or must run in streams that the
/// legacy default stream waits for: all except those made with cudaStreamNonBlocking.
template <class View>
class owned_memory {
 public:
  /// Its memory, for `with`.
  // NOLINTNEXTLINE(google-explicit-constructor): wherever a view is asked for
  operator View() const& { return {memory_.data(), memory_.bytes()}; }
  /// A call would work in memory that is given back before it runs.
  operator View() const&& = delete;

 protected:
  owned_memory(std::size_t bytes, bool cleared, const char* what)
      : memory_(bytes, what, legacy_stream()) {
    status state;
    if (cleared) state = memory_.zero();
    if (state.ok()) state = wait_for(legacy_stream());
    state.throw_if_failed(what, " of ", bytes, " bytes");
  }

 private:
  device_buffer<std::byte> memory_;
};

}  // namespace detail

/// Owns cleared device memory, for reductions, scans and exact sums. It serves one call at a time:
/// share it between calls in one stream, not between streams that run at once. Movable.
///
///   workspace memory(reduce_workspace_bytes<int>());
///   reduce_into(device.on(stream).with(memory), values, out)
class workspace : public detail::owned_memory<workspace_view> {
 public:
  /// Returns when the memory is there and cleared. Throws device_error.
  explicit workspace(std::size_t bytes) : owned_memory(bytes, true, "a workspace") {}
};

/// Owns device memory for sorts, which leave data in it. Likewise one call at a time. Movable.
///
///   temp_storage memory(sort_temp_storage_bytes<int>(n));
///   sort(device.on(stream).with(memory), keys)
class temp_storage : public detail::owned_memory<temp_storage_view> {
 public:
  /// Returns when the memory is there. Throws device_error.
  explicit temp_storage(std::size_t bytes) : owned_memory(bytes, false, "temp_storage") {}
};

}  // namespace warpfold::inline WARPFOLD_MACHINE
#endif
