// How the passes that select values, and those that fold runs of equal keys, are shaped.
#pragma once

#include <cstddef>

#include "warpfold/language.hpp"

namespace warpfold::tuning {

/// A block takes tile after tile; a thread holds `Items` rows of one in registers.
template <unsigned Threads, unsigned Items, unsigned Blocks>
struct striped_shape {
  static constexpr unsigned threads = Threads;
  static constexpr unsigned items = Items;
  static constexpr unsigned rows = Threads * Items;
  static constexpr unsigned blocks_per_multiprocessor = Blocks;
};

/// Rows of so many bytes in 96 bytes of a thread's registers, `most` at most.
template <std::size_t RowBytes>
constexpr unsigned striped_items(unsigned most) {
  const std::size_t fit = RowBytes < 96 ? 96 / RowBytes : 1;
  return fit < most ? static_cast<unsigned>(fit) : most;
}

template <std::size_t RowBytes>
using select_shape = striped_shape<512, striped_items<RowBytes>(32), 2>;
template <std::size_t RowBytes>
using run_shape = striped_shape<256, striped_items<RowBytes>(12), 3>;
/// The same in smaller tiles: for as many rows as are one wave of them, and where a device has
/// little shared memory.
template <class Shape>
using small_tiles = striped_shape<256, (Shape::items + 2) / 3, 4>;

}  // namespace warpfold::tuning
