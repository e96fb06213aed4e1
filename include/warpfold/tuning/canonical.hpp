// How reductions and scans in the canonical order are shaped. No result depends on it.
#pragma once

#include <cstddef>

#include "warpfold/language.hpp"
#include "warpfold/tuning/scan.hpp"

namespace warpfold::tuning {

/// A thread has `loads` of 16 bytes in flight. `one_tile`: a block for each tile, all at once. A
/// lane asks for `partials_per_lane` published values at a time. A warp has up to 2^most_step_bits
/// parts of a tile, one after the other.
template <bool OneTile, unsigned Threads, unsigned Loads, unsigned PartialsPerLane, unsigned Blocks>
struct canonical_shape {
  static constexpr bool one_tile = OneTile;
  static constexpr unsigned most_step_bits = OneTile ? 5 : 3;
  static constexpr unsigned threads = Threads;
  static constexpr unsigned loads = Loads;
  static constexpr unsigned partials_per_lane = PartialsPerLane;
  static constexpr unsigned blocks_per_multiprocessor = Blocks;
};

/// Few values: one wave of tiles.
using canonical_small = canonical_shape<true, 512, 4, 8, 2>;
/// Blocks that take tile after tile. With twice as many threads per multiprocessor, registers
/// spill.
using canonical_large = canonical_shape<false, 256, 8, 4, 2>;
/// A warp's parts double while blocks have more tiles than this on average.
inline constexpr unsigned canonical_tiles_per_block = 2;
/// Where values or what they are reduced to fill the registers.
using canonical_heavy = canonical_shape<false, 256, 1, 1, 2>;

/// Rows that a warp or less joins.
inline constexpr unsigned canonical_rows_threads = 256;

/// Segments: chunks of 2^least to 2^most values. In a round each warp of a block joins up to 2^most
/// chunks; there are up to 2^giant rounds.
inline constexpr unsigned canonical_chunk_threads = 256;
inline constexpr unsigned canonical_least_chunk_bits = 8, canonical_most_chunk_bits = 12;
inline constexpr unsigned canonical_giant_bits = 16;

/// Scans: blocks that take tile after tile, by the copy engine.
template <std::size_t AccBytes>
using canonical_scan_pipelined = scan_shape<256, 4, 4, 2, 3, (AccBytes <= 4 ? 4 : 8)>;
/// Or a block for each tile.
using canonical_scan = canonical_shape<true, 256, 4, 4, 4>;
using canonical_scan_small = canonical_shape<true, 256, 2, 4, 4>;
using canonical_scan_heavy = canonical_shape<true, 128, 1, 1, 4>;

}  // namespace warpfold::tuning
