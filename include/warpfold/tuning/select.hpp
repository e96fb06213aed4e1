// How the passes that select values, and those that reduce runs of equal keys, are shaped.
#pragma once

#include <cstddef>

#include "warpfold/language.hpp"

namespace warpfold::tuning {

/// A block takes tile after tile; a thread holds `Items` values of one in registers, `Width`
/// neighbours at a time.
template <unsigned Threads, unsigned Items, unsigned Blocks, unsigned Width,
          unsigned SmallTiles = 0>
struct striped_shape {
  static constexpr unsigned threads = Threads;
  static constexpr unsigned width = Width;
  static constexpr unsigned rows = (Items + Width - 1) / Width;  // of neighbours
  static constexpr unsigned items = rows * Width;
  static constexpr unsigned values = Threads * items;  // of a tile
  static constexpr unsigned blocks_per_multiprocessor = Blocks;
  static constexpr unsigned small_tiles = SmallTiles;  // a multiprocessor, in place of these
};

/// Values of so many bytes in `in` bytes of a thread's registers, 32 at most.
template <std::size_t Bytes>
constexpr unsigned striped_items(std::size_t in) {
  const std::size_t fit = Bytes < in ? in / Bytes : 1;
  return fit < 32 ? static_cast<unsigned>(fit) : 32;
}
/// Neighbours that 16 bytes have, of the column of the larger values: one load.
template <std::size_t Bytes>
inline constexpr unsigned striped_width = 16 % Bytes == 0 ? 16 / Bytes : 1;

/// A block's iteration takes its latency, whatever the tile: few large tiles (2^28 values of 4
/// bytes, 1 percent kept: 443 us by these, 527 by 256 threads in 4 blocks).
template <std::size_t Bytes, std::size_t LargestBytes>
using select_shape =
    striped_shape<512, striped_items<Bytes>(96), 2, striped_width<LargestBytes>, 4>;
template <std::size_t Bytes, std::size_t LargestBytes>
using run_shape = striped_shape<256, striped_items<Bytes>(128), 3, striped_width<LargestBytes>, 2>;
/// The same in smaller tiles: for few values, and where a device has little shared memory.
template <class Shape>
using small_tiles = striped_shape<256, (Shape::items + 1) / 2, 4, Shape::width>;

}  // namespace warpfold::tuning
