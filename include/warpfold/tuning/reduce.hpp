// How reductions are shaped, by the bytes they read; by `./dev bench reduce --sweep` on an H100.
#pragma once

#include <cstddef>

#include "warpfold/language.hpp"

namespace warpfold::tuning {

/// One warp, as long as each lane has no more values than these.
struct reduce_few {
  static constexpr unsigned items = 8;
};

/// A thread has `loads` in flight, of 16 bytes each; `one_tile`: it has no more than these, and
/// little code. While these are enough, there is one block, with no more `threads` than loads. Of
/// more values, blocks take `loads_per_thread`, until they are as many as the device shall take.
template <bool OneTile, unsigned Threads, unsigned Loads, unsigned LoadsPerThread, unsigned Blocks>
struct reduce_shape {
  static constexpr bool one_tile = OneTile;
  static constexpr unsigned threads = Threads;
  static constexpr unsigned loads = Loads;
  static constexpr unsigned loads_per_thread = LoadsPerThread;
  static constexpr unsigned blocks_per_multiprocessor = Blocks;
  /// Partials that a lane of the one warp that reduces them asks for at a time: all of its share,
  /// of a block for each of up to 160 multiprocessors.
  static constexpr unsigned partials_in_flight = Blocks == 1 ? 5 : 9;
};

/// As long as all its blocks find room at once. Two blocks a multiprocessor where their partials
/// need not be reduced.
template <bool AddsUp>
using reduce_one_tile = reduce_shape<true, 512, 8, 2, AddsUp ? 2 : 1>;
/// Up to `middle_bytes`.
using reduce_middle = reduce_shape<false, 1024, 4, 8, 1>;
inline constexpr std::size_t middle_bytes = std::size_t{768} << 20;
using reduce_large = reduce_shape<false, 512, 8, 8, 4>;
/// Where what is accumulated fills the registers, or takes long.
using reduce_heavy = reduce_shape<false, 512, 8, 4, 1>;
/// The least loads of a thread where the number of values is on the device: the grid is fixed by
/// the bound, and fewer values still need work for all blocks.
inline constexpr unsigned sized_loads_per_thread = 2;

// Of many rows. A warp or less reduces a short one.
inline constexpr unsigned rows_threads = 256;
inline constexpr std::size_t most_bytes_of_short_row = 4096;
/// A block reduces a long row, or no less than `least_part_bytes` of it.
using rows_long = reduce_shape<false, 512, 4, 4, 2>;
inline constexpr std::size_t least_part_bytes = std::size_t{32} << 10;

}  // namespace warpfold::tuning
