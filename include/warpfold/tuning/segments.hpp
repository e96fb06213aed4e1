// How the passes over segments are shaped.
#pragma once

#include <cstddef>

namespace warpfold::tuning {

/// A tile is `values` values and ends of segments, merged; a worker takes `items` of them. An odd
/// number, so that the lanes of a warp read different banks.
template <unsigned Threads, unsigned Items, unsigned Blocks>
struct segment_shape {
  static constexpr unsigned threads = Threads;  // that work; one more warp searches
  static constexpr unsigned items = Items;
  static constexpr unsigned values = Threads * Items;
  static constexpr unsigned blocks_per_multiprocessor = Blocks;
};

/// For values of so many bytes: some 24 KiB of shared memory for them.
template <std::size_t Bytes>
using segments_of = segment_shape<256, Bytes <= 4 ? 23 : Bytes <= 8 ? 11 : Bytes <= 16 ? 5 : 1, 4>;

}  // namespace warpfold::tuning
