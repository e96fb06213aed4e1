// Counts what each tile keeps, scans the counts, reads the values again and stores each at its
// place: the order of the input.
//
//   launch 1   kept of tile 0, 1, 2, …       3 1 4 …
//   launch 2   before tile 0, 1, 2, …        0 3 4 …
//   launch 3   before the thread, in its tile
//
// Reads n values twice; four barriers a tile; 4 bytes of global memory a tile.
#pragma once

#include "ladder/select/launching.cuh"

namespace warpfold::ladder::select_ladder {
inline namespace WARPFOLD_MACHINE {

template <class T, class Keep>
__global__ void count_tiles_kernel(const T* in, std::size_t n, unsigned* counts, Keep keep) {
  thread_values<T> own;
  own.load(in, n, keep, blockIdx.x);
  const unsigned total = block_scan(own.count(), plus{}).total;
  if (threadIdx.x == 0) counts[blockIdx.x] = total;
}

/// One block: each count becomes what is kept before its tile.
template <class Keep>
__global__ void scan_tiles_kernel(unsigned* counts, unsigned tiles, kept_count* kept, Keep) {
  unsigned before = 0;
  for (unsigned first = 0; first < tiles; first += blockDim.x) {
    const unsigned tile = first + threadIdx.x;
    const auto scanned = block_scan(tile < tiles ? counts[tile] : 0U, plus{});
    if (tile < tiles) counts[tile] = before + scanned.exclusive;
    before += scanned.total;
    __syncthreads();
  }
  if (threadIdx.x == 0) *kept = before;
}

template <class T, class Keep>
__global__ void place_kernel(const T* in, T* out, std::size_t n, const unsigned* before,
                             Keep keep) {
  thread_values<T> own;
  own.load(in, n, keep, blockIdx.x);
  own.store(out + before[blockIdx.x] + block_scan(own.count(), plus{}).exclusive);
}

struct three_launches : by_tiles {
  static constexpr description about{
      .number = 3,
      .name = "three-launches",
      .idea = "count what each tile keeps, scan the counts, read again and store",
      .improves = "the order, which is that of the input; and no ticket is left",
      .evidence = {{{figure::atomics, 0, 0}, {figure::launches, 1.4, 1.6}}},
      .also = "operator uses ×2: each value is read and tested twice",
      .source = "beyond the documents; Billeter, Olsson and Assarsson (2009)"};

  static std::size_t scratch_bytes(const shape& s) { return grid(s) * sizeof(unsigned); }
  static double work(const shape& s) { return 2 * static_cast<double>(s.n); }

  template <class T, class Keep>
  static unsigned run(const pass<T>& p, Keep keep) {
    const unsigned tiles = grid(p.shape), block = p.shape.block;
    auto* const counts = static_cast<unsigned*>(p.scratch);
    launch({.grid = tiles, .block = block, .stream = p.stream}, count_tiles_kernel<T, Keep>, p.in,
           p.n, counts, keep);
    launch({.grid = 1, .block = block, .stream = p.stream}, scan_tiles_kernel<Keep>, counts, tiles,
           p.kept, keep);
    launch({.grid = tiles, .block = block, .stream = p.stream}, place_kernel<T, Keep>, p.in, p.out,
           p.n, counts, keep);
    return 3;
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::select_ladder
