#include "simt/src/run/kernel_sizes.hpp"

#include <algorithm>

#include "simt/src/run/device.hpp"
#include "simt/src/run/model.hpp"

// The linker's names for the ends of a section; null if no file has it.
extern "C" {
[[gnu::weak,
  gnu::visibility("hidden")]] extern const simt::detail::kernel_sizes __start_simt_kernel_sizes[];
[[gnu::weak,
  gnu::visibility("hidden")]] extern const simt::detail::kernel_sizes __stop_simt_kernel_sizes[];
}

namespace simt::detail {

namespace {

constexpr std::uint64_t part_mask = 0xffff;

unsigned part(std::uint64_t three, unsigned index) {
  return static_cast<unsigned>(three >> (16 * index) & part_mask);
}

/// A shape whose later extents are 1 if they were not said.
dim3 shape(std::uint64_t three) {
  if (three == 0) return {0, 0, 0};
  return {std::max(part(three, 0), 1U), std::max(part(three, 1), 1U), std::max(part(three, 2), 1U)};
}

bool same(const dim3& a, const dim3& b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

}  // namespace

kernel_sizes sizes_of(const void* kernel) {
  const auto* const found = std::find_if(__start_simt_kernel_sizes, __stop_simt_kernel_sizes,
                                         [=](const kernel_sizes& s) { return s.kernel == kernel; });
  return found != __stop_simt_kernel_sizes ? *found : kernel_sizes{};
}

unsigned most_threads(const kernel_sizes& sizes) {
  const dim3 block = fixed_block(sizes);
  if (block.x != 0) return block.x * block.y * block.z;
  const unsigned bound = part(sizes.bounds, 0);
  return bound != 0 ? std::min(bound, max_threads_per_block) : max_threads_per_block;
}
unsigned most_cluster_blocks(const kernel_sizes& sizes) { return part(sizes.bounds, 2); }
dim3 fixed_cluster(const kernel_sizes& sizes) {
  return shape(sizes.counted != 0 ? sizes.counted : sizes.cluster);
}
dim3 fixed_block(const kernel_sizes& sizes) { return shape(sizes.block); }

launch_config in_clusters(const launch_config& config, const kernel_sizes& sizes) {
  launch_config c = config;
  const dim3 cluster = fixed_cluster(sizes);
  if (cluster.x != 0 && blocks_of_cluster(c) == 1) c.cluster = cluster;
  return c;
}

launch_config as_counted(const launch_config& config, const kernel_sizes& sizes) {
  launch_config c = config;
  if (sizes.block == 0) return c;
  c.block = fixed_block(sizes);
  if (sizes.counted == 0) return c;
  const dim3 cluster = fixed_cluster(sizes);
  c.grid = {c.grid.x * cluster.x, c.grid.y * cluster.y, c.grid.z * cluster.z};
  return c;
}

std::string beyond_bounds(const launch_config& config, const kernel_sizes& sizes) {
  const std::uint64_t threads = std::uint64_t{config.block.x} * config.block.y * config.block.z;
  const dim3 block = fixed_block(sizes);
  if (block.x != 0 && !same(block, config.block)) {
    return "another block size than its __block_size__";
  }
  if (threads > most_threads(sizes)) {
    return std::to_string(threads) + " threads in a block, and its __launch_bounds__ allows " +
           std::to_string(most_threads(sizes));
  }
  return too_much_shared(sizes.static_shared + config.shared_bytes);
}

std::string other_clusters(const launch_config& config, const kernel_sizes& sizes) {
  const dim3 fixed = fixed_cluster(sizes);
  if (fixed.x != 0 && !same(fixed, config.cluster)) {
    return "another cluster size than its __cluster_dims__";
  }
  const unsigned most = most_cluster_blocks(sizes), blocks = blocks_of_cluster(config);
  if (most == 0 || blocks <= most) return {};
  return std::to_string(blocks) + " blocks in a cluster, and its __launch_bounds__ allows " +
         std::to_string(most);
}

}  // namespace simt::detail
