// How many blocks and clusters a device holds at once, and what a kernel's attributes say of them.
#include <algorithm>
#include <map>
#include <mutex>
#include <string>

#include "simt/cudart/state.hpp"
#include "simt/runtime_kernels.hpp"
#include "simt/src/run/device.hpp"
#include "simt/src/run/kernel_sizes.hpp"
#include "simt/src/run/machine.hpp"
#include "simt/src/run/model.hpp"
#include "simt/src/run/names.hpp"
#include "simt/src/settings.hpp"

namespace simt::detail {

int processors() { return static_cast<int>(the_device().processors); }

unsigned known_registers(const void* kernel) {
  if (the_settings().registers.empty()) return 0;
  const auto known = the_settings().registers.of(kernel_name(kernel));
  const auto found = known.find(static_cast<int>(the_device().capability));
  return found != known.end() ? found->second : 0;
}

cudaError_t resident_blocks(int* blocks, const void* kernel, int threads,
                            std::size_t shared_bytes) {
  if (threads <= 0) {
    return remember(cudaErrorInvalidValue, "cudaOccupancyMaxActiveBlocksPerMultiprocessor",
                    std::to_string(threads) + " threads in a block; there are 1 to 1024");
  }
  const bool may_have_it = kernel == nullptr || shared_bytes <= allowed_shared(kernel);
  const bool starts = threads <= static_cast<int>(max_threads_per_block) && may_have_it;
  *blocks = 0;
  if (starts) {
    *blocks = static_cast<int>(fitting_blocks(static_cast<unsigned>(threads),
                                              shared_bytes + sizes_of(kernel).static_shared,
                                              known_registers(kernel)));
  }
  return cudaSuccess;
}
int largest_block(const void* kernel) { return static_cast<int>(most_threads(sizes_of(kernel))); }
namespace {

/// The launch with its clusters, if the kernel starts in such.
cudaError_t read_clusters(const cudaLaunchConfig_t& config, const kernel_sizes& sizes,
                          const char* call, launch_config& c) {
  if (const auto e = read_config(config, c); e != cudaSuccess) return e;
  c = in_clusters(c, sizes);
  for (const std::string& why : {other_clusters(c, sizes), wrong_clusters(c)}) {
    if (!why.empty()) return remember(cudaErrorInvalidClusterSize, call, why.c_str());
  }
  return cudaSuccess;
}

}  // namespace

cudaError_t resident_clusters(int* clusters, const void* kernel, const cudaLaunchConfig_t& config) {
  launch_config c{};
  const kernel_sizes sizes = sizes_of(kernel);
  const auto read = read_clusters(config, sizes, "cudaOccupancyMaxActiveClusters", c);
  if (read != cudaSuccess) return read;
  const bool may_be =
      c.shared_bytes <= allowed_shared(kernel) &&
      (blocks_of_cluster(c) <= most_blocks_of_cluster || takes_large_clusters(kernel));
  *clusters = 0;
  if (may_be) {
    *clusters = static_cast<int>(
        fitting_clusters(blocks_of_cluster(c), c.block.x * c.block.y * c.block.z,
                         c.shared_bytes + sizes.static_shared, known_registers(kernel)));
  }
  return cudaSuccess;
}
cudaError_t largest_cluster(int* blocks, const void* kernel, const cudaLaunchConfig_t& config) {
  const kernel_sizes sizes = sizes_of(kernel);
  launch_config c{};
  const auto read = read_clusters(config, sizes, "cudaOccupancyMaxPotentialClusterSize", c);
  if (read != cudaSuccess) return read;
  unsigned most = takes_large_clusters(kernel) ? max_cluster : most_blocks_of_cluster;
  if (!the_device().is_9_0()) most = 1;
  if (const unsigned own = most_cluster_blocks(sizes); own != 0) most = std::min(most, own);
  *blocks = static_cast<int>(most);
  return cudaSuccess;
}

const char* lasting_name(const void* kernel) {
  static std::map<const void*, std::string> names;
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  return names.try_emplace(kernel, kernel_name(kernel)).first->second.c_str();
}

}  // namespace simt::detail
