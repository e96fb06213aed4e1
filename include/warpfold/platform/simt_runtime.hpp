// The host side of the seam on the CPU machine: launches run at once, so do copies, unless their
// stream is being captured.
// Included by platform.hpp only.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>

#include "simt/device.hpp"
#include "simt/memory.hpp"
#include "simt/streams.hpp"
#include "warpfold/status.hpp"

namespace warpfold::inline WARPFOLD_MACHINE::detail {

/// The CPU machine throws where a kernel breaks a rule; that is not a status.
template <class... Parameters, class... Args>
status try_launch(const launch_config& c, void (*kernel)(Parameters...), Args&&... args) {
  launch(c, kernel, std::forward<Args>(args)...);
  return {};
}

/// No launch is: `fits` knows.
inline bool is_cluster_refused(const status&) { return false; }

/// The card is that of SIMT_DEVICE, with few enough multiprocessors that small inputs already take
/// several tiles a block.
inline device_properties current_device() {
  const auto& card = simt::the_device();
  return {4, card.processors, card.capability, static_cast<unsigned>(card.shared_per_block)};
}

template <class... Parameters>
unsigned capability_of(void (*)(Parameters...)) {
  return current_device().capability;
}
template <class... Parameters>
bool fits(const launch_config& c, void (*)(Parameters...)) {
  return simt::fitting_clusters(c.cluster, c.block, c.shared_bytes) > 0;
}

inline status allocate_async(void** p, std::size_t bytes, stream_type stream) {
  if (simt::is_capturing(stream)) {
    return {801, "memory can't be allocated in a capture here; give the call a workspace"};
  }
  try {
    *p = simt::allocate(bytes);
    return {};
  } catch (const std::bad_alloc&) {
    return {2, "out of memory"};
  }
}
inline status free_async(void* p, stream_type) {
  simt::free(p);
  return {};
}
inline status zero_async(void* p, std::size_t bytes, stream_type stream) {
  simt::submit(stream, {.bytes = bytes}, [=] { std::memset(p, 0, bytes); });
  return {};
}
inline status copy_async(void* to, const void* from, std::size_t bytes, stream_type stream) {
  simt::submit(stream, {.bytes = bytes}, [=] { std::memcpy(to, from, bytes); });
  return {};
}
inline status wait_for(stream_type stream) {
  simt::wait_for(stream);
  return {};
}

}  // namespace warpfold::inline WARPFOLD_MACHINE::detail
