// The device that the machine is shaped like: what SIMT_DEVICE names, else an H100. The machine
// refuses the launches that this device refuses.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace simt {

struct device_shape {
  std::string name, product;  // "l4", "NVIDIA L4"
  unsigned capability = 0;    // times ten: 89 for 8.9
  unsigned processors = 0, threads_per_processor = 0, blocks_per_processor = 0,
           registers_per_processor = 0;
  std::size_t shared_per_block = 0;  // of a kernel that asks for all of it
  std::size_t shared_per_processor = 0, shared_of_system = 0;  // the latter of each block
  std::size_t cache_bytes = 0;
  unsigned bus_bits = 0;

  /// Clusters, bulk copies and programmatic launches begin with 9.0.
  [[nodiscard]] bool is_9_0() const { return capability >= 90; }
};

const device_shape& the_device();
/// Of another one, which find_device_model knows by this name.
device_shape find_device_shape(std::string_view name);
/// The names that SIMT_DEVICE may have: "a10", "a100", …
std::vector<std::string> device_names();

/// Blocks of so many threads, bytes of shared memory and registers a thread on one multiprocessor.
/// Without registers, which the device compiler alone knows, the others decide.
unsigned fitting_blocks(unsigned threads, std::size_t shared_bytes, unsigned registers = 0);
/// Clusters of so many such blocks on the whole device.
unsigned fitting_clusters(unsigned blocks, unsigned threads, std::size_t shared_bytes,
                          unsigned registers = 0);

}  // namespace simt
