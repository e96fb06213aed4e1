// How the passes over segments are shaped.
#pragma once

#include <cstddef>

#include "warpfold/language.hpp"
#include "warpfold/tuning/select.hpp"
#include "warpfold/tuning/sort.hpp"

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

/// Large tiles amortise what each costs; small ones give every multiprocessor a share of few
/// values.
template <std::size_t Bytes>
struct segment_shapes {
  static constexpr unsigned words = Bytes <= 4 ? 1 : (Bytes + 3) / 4;
  using small = segment_shape<256, words <= 6 ? (24 / words - 1) | 1 : 1, 4>;
  using large = segment_shape<256, words <= 8 ? (32 / words - 1) | 1 : 1, 4>;
};
/// Long segments of so many values are reduced by chunks, without tiles.
inline constexpr std::size_t segment_chunks_from = std::size_t{1} << 26;
inline constexpr std::size_t segment_chunks_length = 512;  // on average
/// A multiprocessor, before large ones are due.
inline constexpr unsigned segment_small_tiles = 16;

/// What a block adds up of lengths.
using segment_ends_shape = striped_shape<256, 8, 6, 1>;

/// What a block sorts, of rows of so many bytes: a key with the place of its segment, and a value.
/// A multiple of 32 rows, of which a word has the bits.
template <std::size_t RowBytes>
using segment_sort_tile = tile_shape<256,
                                     (RowBytes <= 4    ? 31
                                      : RowBytes <= 8  ? 19
                                      : RowBytes <= 16 ? 11
                                      : RowBytes <= 24 ? 7
                                                       : 3),
                                     (RowBytes <= 12 ? 4 : 3)>;
/// Few rows: every multiprocessor has some.
template <std::size_t RowBytes>
using segment_sort_small_tile = tile_shape<128,
                                           (RowBytes <= 8    ? 9
                                            : RowBytes <= 16 ? 7
                                            : RowBytes <= 24 ? 5
                                                             : 3),
                                           6>;
/// Tiles a multiprocessor, before large ones are due.
inline constexpr unsigned segment_sort_small_tiles = 2;
/// Up to so many tiles are merged in one launch, whatever the levels.
inline constexpr unsigned segment_merges_at_once = 512;
/// Segments of so many rows at most are short: sorted in windows of 32 rows, and never merged.
inline constexpr unsigned segment_short_rows = 32;

}  // namespace warpfold::tuning
