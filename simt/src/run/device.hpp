// What the machine refuses because the device that it is shaped like does.
#pragma once

#include <cstddef>
#include <string>

#include "simt/device.hpp"

namespace simt::detail {

/// Of every kernel; more for one that has asked for it.
inline constexpr std::size_t shared_by_default = std::size_t{48} * 1024;
/// The oldest whose threads go on their own, as the machine's do.
inline constexpr unsigned oldest_capability = 70;

/// "the device is NVIDIA L4, 8.9 (SIMT_DEVICE=l4)"
std::string says_device();

/// Why no block of the device has so much shared memory; "" if one has.
std::string too_much_shared(std::size_t bytes);

/// The calling thread's: all devices are of one shape.
int current_device();
void set_current_device(int device);

}  // namespace simt::detail
