// What launches of all ladders have in common: tiles, grids, and the block size as a constant.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "ladder/rung.hpp"
#include "warpfold/operators.hpp"
#include "warpfold/platform.hpp"

namespace warpfold::ladder {
using namespace detail;  // the words of platform.hpp; NOLINT(google-build-using-namespace)

inline namespace WARPFOLD_MACHINE {

constexpr std::size_t ceil_div(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

/// Blocks for tiles of this size; one for no values.
constexpr unsigned tiles_of(std::size_t n, std::size_t tile) {
  return static_cast<unsigned>(std::max<std::size_t>(1, ceil_div(n, tile)));
}

/// The most blocks of this size that a machine holds at once.
constexpr unsigned resident_blocks(const shape& s) {
  constexpr unsigned threads_per_processor = 2048;
  return std::min(s.most_blocks, s.processors * std::max(1U, threads_per_processor / s.block));
}

/// A rung that needs no memory besides.
struct without_scratch {
  static std::size_t scratch_bytes(const shape&) { return 0; }
};

/// Calls `f.template operator()<Block>()` with the block size as a constant.
template <class F>
auto with_block_size(unsigned block, F&& f) {
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
}  // namespace warpfold::ladder
