// How sorts are shaped, by the bytes of a row (a key and what travels with it). Found by
// `warpfold_bench_tune_sort` on an H100.
#pragma once

#include <cstddef>

namespace warpfold::tuning {

/// A cluster of blocks that sorts its rows in one launch.
struct rank_shape {
  unsigned cluster;  // blocks; a power of two
  unsigned threads;  // a block
  static constexpr unsigned max_threads = 1024;

  [[nodiscard]] constexpr unsigned rows() const { return cluster * threads; }
};

/// The shape for n rows: the first that holds them, else the last.
inline constexpr rank_shape rank_shapes[] = {{1, 256}, {1, 512},  {1, 1024}, {4, 512},
                                             {8, 512}, {8, 1024}, {16, 1024}};
/// Shared memory of a block of these, at most.
inline constexpr std::size_t rank_shared_bytes = std::size_t{200} << 10;

/// A tile that one block sorts, or merges of two runs.
template <unsigned Threads, unsigned Items>
struct tile_shape {
  static constexpr unsigned threads = Threads;
  static constexpr unsigned items = Items;  // a thread; odd, so that few banks are hit twice
  static constexpr unsigned rows = Threads * Items;
};
template <std::size_t RowBytes>
struct sort_tile : tile_shape<256, RowBytes <= 8    ? 15
                                   : RowBytes <= 16 ? 11
                                                    : 5> {};

struct sort_plan {
  /// Blocks of a cluster with so many rows each first find the part of a run that a warp needs.
  static constexpr unsigned narrow_from = 512;
  /// Up to so many rows, clusters sort the runs that are then merged; beyond, blocks do.
  static constexpr std::size_t ranked_runs = std::size_t{1} << 18;
  /// Merges of more rows look for all tiles' cuts in a launch of their own.
  static constexpr std::size_t cuts_apart = std::size_t{1} << 22;
  /// From so many rows on, keys that are ordered by their bits go to the radix sort.
  template <std::size_t KeyBytes>
  static constexpr std::size_t radix_from =
      KeyBytes <= 4 ? std::size_t{1} << 18 : std::size_t{1} << 19;
};

}  // namespace warpfold::tuning
