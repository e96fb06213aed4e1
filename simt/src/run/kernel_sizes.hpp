// What the source step found of a kernel's sizes, and what the kernel's attributes say of launches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "simt/launch.hpp"

namespace simt::detail {

struct kernel_sizes {
  const void* kernel;
  std::size_t static_shared;
  std::size_t locals;     // of a thread, in bytes
  std::uint64_t bounds;   // three numbers each, as in simt/kernel.hpp
  std::uint64_t cluster;  // __cluster_dims__
  std::uint64_t block;    // __block_size__
  std::uint64_t counted;  // the clusters that it makes grids count
};

/// Zeros if the kernel's file has none.
kernel_sizes sizes_of(const void* kernel);

/// By __launch_bounds__ or __block_size__, else what a device takes.
unsigned most_threads(const kernel_sizes& sizes);
/// Blocks in a cluster, by __launch_bounds__; 0 if it does not say.
unsigned most_cluster_blocks(const kernel_sizes& sizes);
/// What the kernel's attributes fix; 0 × 0 × 0 if they do not.
dim3 fixed_cluster(const kernel_sizes& sizes);
dim3 fixed_block(const kernel_sizes& sizes);

/// The launch in the clusters that its kernel is made of.
launch_config in_clusters(const launch_config& config, const kernel_sizes& sizes);
/// The same as <<<…>>> says it, where __block_size__ has said the block before.
launch_config as_counted(const launch_config& config, const kernel_sizes& sizes);

/// Why the kernel's attributes, or its shared memory, forbid this launch; "" if they do not.
std::string beyond_bounds(const launch_config& config, const kernel_sizes& sizes);
/// The same of its clusters.
std::string other_clusters(const launch_config& config, const kernel_sizes& sizes);

}  // namespace simt::detail
