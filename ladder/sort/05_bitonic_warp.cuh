// Tiles of the bitonic network with the steps inside a warp in registers (warp_tile.cuh).
// A tile of B = 4 block keys is read and written as in bitonic-shared; of its steps only those with
// strides of 128 or more pass through shared memory and a barrier; B items of shared memory.
// Any strict order; not stable. Source: beyond the documents (shuffles came with Kepler).
#pragma once

#include "ladder/sort/by_tiles.cuh"
#include "ladder/sort/warp_tile.cuh"

namespace warpfold::ladder::sort_ladder {
inline namespace WARPFOLD_MACHINE {

template <class K, class V, class Less>
__global__ void __launch_bounds__(1024)
    bitonic_warp_kernel(columns<K, V> in, columns<K, V> out, std::size_t n, bool merge_only,
                        Less less) {
  const unsigned tile = items_per_thread * blockDim.x;
  const std::size_t base = std::size_t{blockIdx.x} * tile;
  const unsigned count = count_in_tile(base, tile, n);
  const auto items = columns_in<K, V>(dynamic_shared<K>(), tile);
  copy_items(in.at(base), items, count);
  __syncthreads();
  if (merge_only) {
    merge_tile(items, tile, count, tile / 2, less);
  } else {
    sort_tile(items, tile, count, less);
  }
  copy_items(items, out.at(base), count);
}

struct bitonic_warp : bitonic {
  static constexpr description about{
      .number = 5,
      .name = "bitonic-warp",
      .idea = "128 keys in a warp's registers; shuffles below 32, no memory at 32 and 64",
      .improves = "the barrier and the shared memory traffic of each step inside a warp",
      .evidence = {{{figure::barriers, 0.05, 0.9}, {figure::shared_requests, 0.05, 0.9}}},
      .source = "beyond the documents; shuffles came with Kepler (2012)"};

  static unsigned tile(const shape& s) { return items_per_thread * s.block; }
  static unsigned grid(const shape& s) { return tiles_of(s.n, tile(s)); }

  static double work(const shape& s) {
    return static_cast<double>(s.n) * work_of_merges(levels_of(s.n));
  }

  template <class K, class V, class Less>
  static unsigned run(const pass<K, V>& p, Less less) {
    return sort_by_tiles(p, tile(p.shape),
                         {.shared_bytes = tile(p.shape) * columns<K, V>::bytes_each},
                         bitonic_warp_kernel<K, V, Less>, less);
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::sort_ladder
