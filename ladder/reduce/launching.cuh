// What every rung of the reduce ladder shares: how a launch is described and how many blocks it
// takes. The kernels themselves share nothing but the tail of a warp (warp_tail.cuh).
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "ladder/rung.hpp"
#include "warpfold/operators.hpp"
#include "warpfold/platform.hpp"

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

constexpr std::size_t ceil_div(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

/// A block takes one tile of `Tile` values a thread and leaves one partial.
template <unsigned Tile>
struct block_per_tile {
  static unsigned grid(const shape& s) {
    return static_cast<unsigned>(
        std::max<std::size_t>(1, ceil_div(s.n, std::size_t{Tile} * s.block)));
  }
  static std::size_t partials(const shape& s) { return grid(s); }
  static std::size_t scratch_bytes(const shape&) { return 0; }
};

/// As many blocks as are resident at once, each taking tile after tile: the grid strides over the
/// input, and the number of partials does not depend on n.
template <unsigned Tile>
struct resident_grid {
  static constexpr unsigned threads_per_processor = 2048;
  static unsigned grid(const shape& s) {
    const unsigned resident = s.processors * std::max(1U, threads_per_processor / s.block);
    return std::min(resident, block_per_tile<Tile>::grid(s));
  }
  static std::size_t partials(const shape& s) { return grid(s); }
  static std::size_t scratch_bytes(const shape&) { return 0; }
};

/// Calls `f.template operator()<Block>()` with the block size as a constant.
template <class F>
void with_block_size(unsigned block, F&& f) {
  switch (block) {
    case 32: return f.template operator()<32>();
    case 64: return f.template operator()<64>();
    case 128: return f.template operator()<128>();
    case 256: return f.template operator()<256>();
    case 512: return f.template operator()<512>();
    case 1024: return f.template operator()<1024>();
    default: throw usage_error("a block must have 32, 64, 128, 256, 512 or 1024 threads");
  }
}

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::reduce_ladder
