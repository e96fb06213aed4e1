// Hillis and Steele's steps between the lanes of a warp, then between the warps' totals.
// A tile of B = block values: about 5B + B applications, two barriers, 32 values of shared memory.
// Any associative operator. Source: beyond the documents (shuffles came with Kepler).
#pragma once

#include "ladder/scan/launching.cuh"
#include "warpfold/block/scan.cuh"

namespace warpfold::ladder::scan_ladder {
inline namespace WARPFOLD_MACHINE {

template <class T, class Op>
__global__ void shuffle_scan_kernel(tiles<T> t, Op op) {
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + tid;
  const T value = i < t.n ? t.in[i] : Op::template identity<T>();
  const auto scanned = block_scan(value, op);
  if (i < t.n) t.out[i] = t.exclusive ? scanned.exclusive : scanned.inclusive;
  if (t.totals != nullptr && tid == 0) t.totals[blockIdx.x] = scanned.total;
}

struct shuffle_scan : by_tiles<1> {
  static constexpr description about{
      .number = 5,
      .name = "shuffle-scan",
      .idea = "lanes hand their sums to the right in registers; one shared slot a warp",
      .improves = "all barriers but two, and nearly all shared memory traffic",
      .evidence = {{{figure::barriers, 0.05, 0.6}, {figure::operator_uses, 1.1, 4}}},
      .source = "beyond the documents; shuffles came with Kepler (2012)"};

  static double work(const shape& s) {
    return work_by_tiles(s.n, tile(s), work_of_block_scan(s.block));
  }

  template <class T, class Op>
  static unsigned run(const pass<T>& p) {
    return scan_by_tiles(p, tile(p.shape), 0, shuffle_scan_kernel<T, Op>);
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::scan_ladder
