// The tiles of eight blocks sorted together: strides of a tile and more reach into the other
// blocks' shared memory, so a cluster makes the steps of a tile eight times as large in one launch.
// Read and write as bitonic-warp, with three steps of each larger merge fewer through global
// memory; two cluster barriers for each step between blocks; 4 block items of shared memory.
// Any strict order; not stable. Source: beyond the documents (clusters came with Hopper).
#pragma once

#include "ladder/sort/by_tiles.cuh"
#include "ladder/sort/warp_tile.cuh"

namespace warpfold::ladder::sort_ladder {
inline namespace WARPFOLD_MACHINE {

inline constexpr unsigned blocks_per_cluster = 8;

/// The same object in the shared memory of another block.
template <class K, class V>
__device__ __forceinline__ columns<K, V> in_other_block(columns<K, V> items, unsigned rank) {
  items.keys = in_block(items.keys, rank);
  if constexpr (!std::is_same_v<V, nothing>) items.values = in_block(items.values, rank);
  return items;
}

/// One step between blocks: each reads the other's items, and then both write their own.
template <class K, class V, class Less>
__device__ __forceinline__ void cluster_step(const columns<K, V>& items, unsigned tile,
                                             unsigned cluster_count, unsigned mask, Less less) {
  const unsigned rank = cluster_rank();
  const auto others = in_other_block(items, rank ^ mask / tile);
  item<K, V> kept[items_per_thread];
  cluster_sync();
#pragma unroll
  for (unsigned k = 0; k < items_per_thread; ++k) {
    const unsigned i = k * blockDim.x + threadIdx.x;
    const unsigned place = rank * tile + i;
    const unsigned partner = place ^ mask;
    if (max(place, partner) >= cluster_count) continue;
    kept[k] = items.get(i);
    const auto other = others.get(partner % tile);
    if (place < partner ? less(other.key, kept[k].key) : less(kept[k].key, other.key)) {
      kept[k] = other;
    }
  }
  cluster_sync();
#pragma unroll
  for (unsigned k = 0; k < items_per_thread; ++k) {
    const unsigned i = k * blockDim.x + threadIdx.x;
    const unsigned place = rank * tile + i;
    if (max(place, place ^ mask) < cluster_count) items.put(i, kept[k]);
  }
  __syncthreads();
}

template <class K, class V, class Less>
__global__ void __launch_bounds__(1024)
    bitonic_cluster_kernel(columns<K, V> in, columns<K, V> out, std::size_t n, bool merge_only,
                           Less less) {
  const unsigned tile = items_per_thread * blockDim.x;
  const unsigned whole = blocks_per_cluster * tile;
  const std::size_t cluster_base = std::size_t{blockIdx.x / blocks_per_cluster} * whole;
  const std::size_t base = cluster_base + cluster_rank() * tile;
  const unsigned count = count_in_tile(base, tile, n);
  const unsigned cluster_count = count_in_tile(cluster_base, whole, n);
  const auto items = columns_in<K, V>(dynamic_shared<K>(), tile);
  copy_items(in.at(base), items, count);
  __syncthreads();
  if (merge_only) {
    for (unsigned stride = whole / 2; stride >= tile; stride /= 2) {
      cluster_step(items, tile, cluster_count, stride, less);
    }
    merge_tile(items, tile, count, tile / 2, less);
  } else {
    sort_tile(items, tile, count, less);
    for (unsigned size = 2 * tile; size / 2 < cluster_count; size *= 2) {
      cluster_step(items, tile, cluster_count, size - 1, less);
      for (unsigned stride = size / 4; stride >= tile; stride /= 2) {
        cluster_step(items, tile, cluster_count, stride, less);
      }
      merge_tile(items, tile, count, tile / 2, less);
    }
  }
  copy_items(items, out.at(base), count);
}

struct bitonic_cluster : bitonic {
  static constexpr description about{
      .number = 6,
      .name = "bitonic-cluster",
      .idea = "eight blocks sort one tile through each other's shared memory",
      .improves = "three steps of each merge through global memory, and their launches",
      .evidence = {{{figure::launches, 0.05, 0.9}, {figure::load_requests, 0.05, 0.9}}},
      .source = "beyond the documents; clusters came with Hopper (2022)",
      .capability = 90};

  static unsigned tile(const shape& s) { return blocks_per_cluster * items_per_thread * s.block; }
  static unsigned grid(const shape& s) { return tiles_of(s.n, tile(s)) * blocks_per_cluster; }

  /// As bitonic-warp, but a step between blocks is evaluated on both sides.
  static double work(const shape& s) {
    const unsigned levels = levels_of(s.n);
    const unsigned in_block = levels_of(items_per_thread * s.block);
    double twice = 0;
    for (unsigned level = in_block + 1; level <= levels; ++level) {
      twice += std::min(level - in_block, levels_of(blocks_per_cluster));
    }
    return static_cast<double>(s.n) * (work_of_merges(levels) + twice / 2);
  }

  template <class K, class V, class Less>
  static unsigned run(const pass<K, V>& p, Less less) {
    return sort_by_tiles(
        p, tile(p.shape),
        {.shared_bytes = items_per_thread * p.shape.block * columns<K, V>::bytes_each,
         .cluster = blocks_per_cluster},
        bitonic_cluster_kernel<K, V, Less>, less);
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::sort_ladder
