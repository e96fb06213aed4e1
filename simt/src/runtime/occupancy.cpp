// How many blocks and clusters a device holds at once, and what a kernel's attributes say of them.
#include <algorithm>
#include <map>
#include <mutex>
#include <string>

#include "simt/runtime_kernels.hpp"
#include "simt/src/run/device.hpp"
#include "simt/src/run/kernel_sizes.hpp"
#include "simt/src/run/machine.hpp"
#include "simt/src/run/model.hpp"
#include "simt/src/run/names.hpp"
#include "simt/src/runtime/state.hpp"

namespace simt::detail {

int processors() { return the_device().processors; }

cudaError_t resident_blocks(int* blocks, const void* kernel, int threads,
                            std::size_t shared_bytes) {
  if (threads <= 0) {
    return remember(cudaErrorInvalidValue, "cudaOccupancyMaxActiveBlocksPerMultiprocessor",
                    std::to_string(threads) + " threads in a block; there are 1 to 1024");
  }
  const bool may_have_it = kernel == nullptr || shared_bytes <= allowed_shared(kernel);
  const bool starts = threads <= static_cast<int>(max_threads_per_block) && may_have_it;
  *blocks = starts ? fitting_blocks(threads, shared_bytes + sizes_of(kernel).static_shared) : 0;
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
  const auto read = read_clusters(config, sizes_of(kernel), "cudaOccupancyMaxActiveClusters", c);
  if (read != cudaSuccess) return read;
  int blocks = 0;
  const dim3 b = c.block;
  const auto status =
      resident_blocks(&blocks, kernel, static_cast<int>(b.x * b.y * b.z), config.dynamicSmemBytes);
  *clusters = blocks * processors() / static_cast<int>(std::max(blocks_of_cluster(c), 1U));
  return status;
}
cudaError_t largest_cluster(int* blocks, const void* kernel, const cudaLaunchConfig_t& config) {
  const kernel_sizes sizes = sizes_of(kernel);
  launch_config c{};
  const auto read = read_clusters(config, sizes, "cudaOccupancyMaxPotentialClusterSize", c);
  if (read != cudaSuccess) return read;
  const int most = static_cast<int>(most_cluster_blocks(sizes));
  *blocks = most != 0 ? std::min(most, most_blocks_of_cluster) : most_blocks_of_cluster;
  return cudaSuccess;
}

const char* lasting_name(const void* kernel) {
  static std::map<const void*, std::string> names;
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  return names.try_emplace(kernel, kernel_name(kernel)).first->second.c_str();
}

}  // namespace simt::detail
