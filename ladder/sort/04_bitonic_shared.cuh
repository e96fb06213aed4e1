// Tiles of the bitonic network in shared memory: all steps of a tile in one launch.
// A tile of B = 2 block keys is read and written once for log2(B)(log2(B) + 1)/2 steps, and once
// for the last log2(B) steps of each larger merge; a barrier a step; B items of shared memory.
// Any strict order; not stable. Source: document 002, bitonicSortShared.
#pragma once

#include "ladder/sort/by_tiles.cuh"

namespace warpfold::ladder::sort_ladder {
inline namespace WARPFOLD_MACHINE {

template <class K, class V, class Less>
__global__ void bitonic_shared_kernel(columns<K, V> in, columns<K, V> out, std::size_t n,
                                      bool merge_only, Less less) {
  const unsigned tile = 2 * blockDim.x;
  const std::size_t base = std::size_t{blockIdx.x} * tile;
  const unsigned count = count_in_tile(base, tile, n);
  const auto items = columns_in<K, V>(dynamic_shared<K>(), tile);
  copy_items(in.at(base), items, count);
  __syncthreads();
  if (merge_only) {
    for (unsigned stride = tile / 2; stride > 0; stride /= 2) {
      tile_step(items, tile, count, stride, stride, less);
    }
  } else {
    for (unsigned size = 2; size / 2 < count; size *= 2) {
      tile_step(items, tile, count, size / 2, size - 1, less);
      for (unsigned stride = size / 4; stride > 0; stride /= 2) {
        tile_step(items, tile, count, stride, stride, less);
      }
    }
  }
  copy_items(items, out.at(base), count);
}

struct bitonic_shared : bitonic {
  static constexpr description about{
      .number = 4,
      .name = "bitonic-shared",
      .idea = "sort tiles in shared memory; merge large strides in global memory, small in shared",
      .improves = "a launch and a trip through global memory for each step",
      .evidence = {{{figure::launches, 0.05, 0.9}, {figure::load_requests, 0.05, 0.9}}},
      .source = "document 002, bitonicSortShared",
      .corrections =
          "the published loop stops before the last size and lacks a parenthesis in "
          "2*tid-(tid&(stride-1))",
      .least_block = 2};

  static unsigned tile(const shape& s) { return 2 * s.block; }
  static unsigned grid(const shape& s) { return tiles_of(s.n, tile(s)); }

  template <class K, class V, class Less>
  static unsigned run(const pass<K, V>& p, Less less) {
    return sort_by_tiles(p, tile(p.shape),
                         {.shared_bytes = tile(p.shape) * columns<K, V>::bytes_each},
                         bitonic_shared_kernel<K, V, Less>, less);
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::sort_ladder
