// How merges of runs and searches are shaped, where they do not share the sort's tiles.
#pragma once

#include <cstddef>

#include "warpfold/language.hpp"
#include "warpfold/tuning/sort.hpp"

namespace warpfold::tuning {

/// Merges of more rows search for the parts of all tiles in a first launch. For fewer rows this
/// launch costs more than it saves (H200, 2^22 keys of 4 bytes: 21.5 us, with it 26.6).
inline constexpr std::size_t merges_partitioned_from = std::size_t{1} << 23;
template <std::size_t RowBytes>
inline constexpr merge_plan<tile_shape<256,
                                       (RowBytes <= 8    ? 15
                                        : RowBytes <= 16 ? 11
                                                         : 5),
                                       (RowBytes <= 4    ? 6
                                        : RowBytes <= 16 ? 4
                                                         : 1)>,
                            quick_tile<RowBytes>>
    partitioned_merges{{0, 0}, true, true};

/// Merges of many runs with more rows in all have the large tiles of a sort: of fewer, these would
/// be too few for all multiprocessors.
inline constexpr std::size_t merged_runs_quick_to = std::size_t{1} << 22;

/// A tile of large rows, which are copied from their places.
using merge_place_tile = tile_shape<256, 4>;

/// Set operations of up to so many keys take small tiles.
inline constexpr std::size_t sets_small_to = std::size_t{1} << 20;
template <std::size_t KeyBytes>
using set_small_tile = tile_shape<128, KeyBytes <= 16 ? 7 : 5, 8>;
template <std::size_t KeyBytes>
using set_large_tile = tile_shape<256,
                                  (KeyBytes <= 8    ? 15
                                   : KeyBytes <= 16 ? 11
                                                    : 5),
                                  3>;

/// Searches: a thread looks for `items` needles at the same time.
struct search_shape {
  static constexpr unsigned threads = 256;
  static constexpr unsigned items = 4;
};

/// Searches for the first index: a thread looks at `items` at the same time.
struct find_shape {
  static constexpr unsigned threads = 256;
  static constexpr unsigned items = 8;
  static constexpr unsigned blocks = 8;  // a multiprocessor
};

}  // namespace warpfold::tuning
