// The scheme that extends a kernel for the steps inside a tile to any number of keys: tiles
// are sorted; then, for each merge of more than a tile, strides of a tile or more go step by step
// through global memory and the smaller ones tile by tile again.
#pragma once

#include "ladder/sort/03_bitonic_global.cuh"

namespace warpfold::ladder::sort_ladder {
inline namespace WARPFOLD_MACHINE {

/// `kernel(in, out, n, merge_only, less)` sorts each tile of `in` into `out`, or merges it: makes
/// the steps with strides of tile/2 down to 1. Returns the number of launches.
template <class K, class V, class Less>
unsigned sort_by_tiles(const pass<K, V>& p, std::size_t tile, launch_config config,
                       void (*kernel)(columns<K, V>, columns<K, V>, std::size_t, bool, Less),
                       Less less) {
  config.block = p.shape.block;
  config.stream = p.stream;
  config.grid = tiles_of(p.n, tile) * config.cluster;
  launch(config, kernel, p.in, p.out, p.n, false, less);
  unsigned launches = 1;
  for (std::size_t size = 2 * tile; size / 2 < p.n; size *= 2) {
    launches += bitonic_global::step(p, size / 2, size - 1, less);
    for (std::size_t stride = size / 4; stride >= tile; stride /= 2) {
      launches += bitonic_global::step(p, stride, stride, less);
    }
    launch(config, kernel, p.out, p.out, p.n, true, less);
    ++launches;
  }
  return launches;
}

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::sort_ladder
