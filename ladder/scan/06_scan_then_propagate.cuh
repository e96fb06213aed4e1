// Three kernels: scan of large tiles, scan of their totals, propagation. Each thread scans 64 bytes
// of neighbouring values in registers, so the block scans one value a thread, not one a value.
// Reads and writes n values twice; 2.5n applications a pass; two barriers a tile; block * 66 bytes
// of shared memory. Any associative operator. Source: beyond the documents (scan-scan-add).
#pragma once

#include "ladder/scan/register_tile.cuh"

namespace warpfold::ladder::scan_ladder {
inline namespace WARPFOLD_MACHINE {

template <class T, class Op>
__global__ void scan_then_propagate_kernel(tiles<T> t, Op op) {
  register_tile<T> tile;
  const std::size_t base = std::size_t{blockIdx.x} * tile.tile(blockDim.x);
  const std::size_t first = base + threadIdx.x / warp_size * tile.per_warp;
  tile.load(t.in, first, t.n, Op::template identity<T>());
  const auto threads = block_scan(tile.reduce(op), op);
  tile.scan(threads.exclusive, t.exclusive, op);
  tile.store(t.out, first, t.n);
  if (t.totals != nullptr && threadIdx.x == 0) t.totals[blockIdx.x] = threads.total;
}

struct scan_then_propagate {
  static constexpr description about{
      .number = 6,
      .name = "scan-then-propagate",
      .idea = "each thread scans many neighbours in registers before the block scans the threads",
      .improves = "the block's scan runs over a sixteenth of the values, and so do the totals",
      .evidence = {{{figure::operator_uses, 0.2, 0.95}, {figure::barriers, 0.03, 0.3}}},
      .source = "beyond the documents; the three kernels of rungs 01 to 05"};

  static unsigned tile(const shape& s) {
    return static_cast<unsigned>(s.block * 64 / s.value_bytes);
  }
  static unsigned grid(const shape& s) { return tiles_of(s.n, tile(s)); }
  static std::size_t scratch_bytes(const shape& s) {
    return totals_bytes(s.n, tile(s), s.value_bytes);
  }

  /// Each thread reduces its items, then scans them.
  static double work_of_tile(const shape& s) {
    return 2.0 * tile(s) - s.block + work_of_block_scan(s.block);
  }
  static double work(const shape& s) { return work_by_tiles(s.n, tile(s), work_of_tile(s)); }

  template <class T, class Op>
  static unsigned run(const pass<T>& p) {
    return scan_by_tiles(p, tile(p.shape), register_tile<T>::shared_bytes(p.shape.block),
                         scan_then_propagate_kernel<T, Op>);
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::scan_ladder
