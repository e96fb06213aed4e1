// How many blocks and clusters a device holds at once, and what a kernel's attributes say of them.
#include <algorithm>
#include <map>
#include <mutex>
#include <string>

#include "simt/runtime_kernels.hpp"
#include "simt/src/run/device.hpp"
#include "simt/src/run/kernel_sizes.hpp"
#include "simt/src/run/model.hpp"
#include "simt/src/run/names.hpp"
#include "simt/src/runtime/state.hpp"

namespace simt::detail {

int processors() { return the_device().processors; }

cudaError_t resident_blocks(int* blocks, const void* kernel, int threads,
                            std::size_t shared_bytes) {
  if (threads <= 0 || threads > static_cast<int>(max_threads_per_block)) {
    return remember(cudaErrorInvalidValue, "cudaOccupancyMaxActiveBlocksPerMultiprocessor",
                    std::to_string(threads) + " threads in a block; there are 1 to 1024");
  }
  const kernel_sizes sizes = sizes_of(kernel);
  *blocks = threads <= largest_block(kernel)
                ? fitting_blocks(threads, shared_bytes + sizes.static_shared)
                : 0;
  return cudaSuccess;
}
int largest_block(const void* kernel) { return static_cast<int>(most_threads(sizes_of(kernel))); }
cudaError_t resident_clusters(int* clusters, const void* kernel, const cudaLaunchConfig_t& config) {
  launch_config c{};
  if (const auto e = read_config(config, c); e != cudaSuccess) return e;
  const kernel_sizes sizes = sizes_of(kernel);
  c = in_clusters(c, sizes);
  if (const std::string why = other_clusters(c, sizes); !why.empty()) {
    return remember(cudaErrorInvalidClusterSize, "cudaOccupancyMaxActiveClusters", why.c_str());
  }
  int blocks = 0;
  const dim3 b = c.block;
  const auto status =
      resident_blocks(&blocks, kernel, static_cast<int>(b.x * b.y * b.z), config.dynamicSmemBytes);
  *clusters = blocks * processors() / static_cast<int>(std::max(blocks_of_cluster(c), 1U));
  return status;
}
int largest_cluster(const void* kernel) {
  const kernel_sizes sizes = sizes_of(kernel);
  const dim3 fixed = fixed_cluster(sizes);
  if (fixed.x != 0) return static_cast<int>(fixed.x * fixed.y * fixed.z);
  const int most = static_cast<int>(most_cluster_blocks(sizes));
  return most != 0 ? std::min(most, most_blocks_of_cluster) : most_blocks_of_cluster;
}

const char* lasting_name(const void* kernel) {
  static std::map<const void*, std::string> names;
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  return names.try_emplace(kernel, kernel_name(kernel)).first->second.c_str();
}

}  // namespace simt::detail
