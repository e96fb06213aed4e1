// What every rung of the reduce ladder shares: how a launch is described and how many blocks it
// takes. The kernels themselves share nothing but the tail of a warp (warp_tail.cuh).
#pragma once

#include "ladder/launching.cuh"

namespace warpfold::ladder::reduce_ladder {
inline namespace WARPFOLD_MACHINE {

template <class T>
struct pass {
  T* in;
  T* out;
  std::size_t n;
  unsigned grid;
  unsigned block;
  void* scratch;
  stream_type stream;
};

/// A block takes one tile of `Tile` values a thread and leaves one partial.
template <unsigned Tile>
struct block_per_tile {
  static unsigned grid(const shape& s) { return tiles_of(s.n, std::size_t{Tile} * s.block); }
  static std::size_t partials(const shape& s) { return grid(s); }
  static std::size_t scratch_bytes(const shape&) { return 0; }
};

/// As many blocks as are resident at once, each taking tile after tile: the grid strides over the
/// input, and the number of partials does not depend on n.
template <unsigned Tile>
struct resident_grid {
  static unsigned grid(const shape& s) {
    return std::min(resident_blocks(s), block_per_tile<Tile>::grid(s));
  }
  static std::size_t partials(const shape& s) { return grid(s); }
  static std::size_t scratch_bytes(const shape&) { return 0; }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::reduce_ladder
