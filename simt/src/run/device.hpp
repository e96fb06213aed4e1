// The device that the machine is shaped like: what it holds at once.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace simt::detail {

struct device_shape {
  std::string_view name;  // SIMT_DEVICE
  int major, minor;       // compute capability
  int processors;
  int threads_per_processor, blocks_per_processor;
  std::size_t shared_per_processor, shared_per_block;  // if a kernel asks for all of it
  std::size_t cache_bytes;
  int bus_bits;

  static constexpr std::size_t shared_of_system = 1024;  // of each block
};

/// What SIMT_DEVICE names, else an H100.
const device_shape& the_device();
/// nullptr: not known.
const device_shape* find_device(std::string_view name);
/// "v100, t4, …".
std::string device_names();
/// Of this many threads and bytes of shared memory, on one processor: registers are the device
/// compiler's to know.
int fitting_blocks(int threads, std::size_t shared_bytes);

/// The calling thread's: all devices are of one shape.
int current_device();
void set_current_device(int device);

}  // namespace simt::detail
