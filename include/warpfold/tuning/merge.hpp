// How merges of two runs and searches are shaped, where they do not share the sort's tiles.
#pragma once

#include "warpfold/language.hpp"
#include "warpfold/tuning/sort.hpp"

namespace warpfold::tuning {

/// A tile of large rows, which are copied from their places.
using merge_place_tile = tile_shape<256, 4>;

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
