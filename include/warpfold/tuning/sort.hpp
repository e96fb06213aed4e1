// How sorts are shaped, by the bytes of a key or a row (a key and what travels with it). Found by
// `./dev bench sort --sweep` on an H100.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "warpfold/language.hpp"

namespace warpfold::tuning {

/// A cluster of blocks that sorts its rows in one launch.
struct cluster_shape {
  unsigned cluster;     // blocks; a power of two
  unsigned block_rows;  // a power of two
  static constexpr unsigned max_threads = 1024;

  [[nodiscard]] constexpr unsigned rows() const { return cluster * block_rows; }
};

/// The shape for n rows: the first that holds them and that the device takes, else the last.
inline constexpr cluster_shape cluster_shapes_of_4_bytes[] = {
    {1, 256},  {1, 512}, {16, 64},  {8, 128}, {1, 1024},
    {16, 128}, {8, 256}, {16, 256}, {8, 512}, {16, 512}};
inline constexpr cluster_shape cluster_shapes_of_more[] = {
    {8, 64}, {1, 512}, {8, 128}, {1, 1024}, {8, 256}, {16, 256}, {8, 512}, {16, 512}};
template <std::size_t KeyBytes>
inline constexpr std::span<const cluster_shape> cluster_shapes = cluster_shapes_of_more;
template <std::size_t KeyBytes>
  requires(KeyBytes <= 4)
inline constexpr std::span<const cluster_shape> cluster_shapes<KeyBytes> =
    cluster_shapes_of_4_bytes;
/// Rows that a thread of a single block sorts; those of a cluster sort one each.
template <std::size_t KeyBytes>
inline constexpr unsigned cluster_sort_items = KeyBytes <= 8 ? 2 : 1;
/// Shared memory of a block of these, at most.
inline constexpr std::size_t cluster_shared_bytes = std::size_t{200} << 10;

/// A tile that one block sorts, or merges of two runs.
template <unsigned Threads, unsigned Items, unsigned Blocks = 1>
struct tile_shape {
  static constexpr unsigned threads = Threads;
  static constexpr unsigned blocks = Blocks;  // that a multiprocessor has registers for, at least
  static constexpr unsigned items = Items;    // a thread; odd, so that few banks are hit twice
  static constexpr unsigned rows = Threads * Items;
};

/// The tiles of a merge, the runs that blocks or clusters sort before, and how merges are launched.
template <class Tile, class RunTile, bool CanMergeByFours = false>
struct merge_plan {
  static constexpr bool can_merge_by_fours = CanMergeByFours;
  using tile = Tile;
  using run_tile = RunTile;      // of the block's sort, where no cluster's is asked for
  cluster_shape runs;            // of the cluster's sort, or {0, 0}
  bool separate_partition_pass;  // a launch of its own looks for all tiles' partitions
  bool programmatic_launch;      // launches overlap
  bool by_fours = false;         // merges four runs at a time, as often as that can be
};

/// Many blocks, each soon done.
template <std::size_t RowBytes>
using quick_tile = tile_shape<128, RowBytes <= 16 ? 7 : 5>;
template <std::size_t RowBytes>
inline constexpr merge_plan<quick_tile<RowBytes>, quick_tile<RowBytes>> quick_merges{
    {0, 0}, false, true};

/// More rows a tile, and all of them still in the second-level cache.
template <std::size_t RowBytes>
inline constexpr unsigned middle_items = RowBytes <= 4   ? 17
                                         : RowBytes <= 8 ? 11
                                                         : 9;
template <std::size_t RowBytes>
inline constexpr merge_plan<tile_shape<128, middle_items<RowBytes>, (RowBytes <= 4 ? 8 : 6)>,
                            tile_shape<(RowBytes <= 8 ? 512 : 256), middle_items<RowBytes>,
                                       (RowBytes <= 4   ? 3
                                        : RowBytes <= 8 ? 2
                                                        : 4)>>
    middle_merges{{0, 0}, false, true};

/// Few passes over much memory. More rows a thread, in fewer blocks, are faster than the reverse.
template <std::size_t RowBytes>
inline constexpr unsigned large_items = RowBytes <= 4    ? 33
                                        : RowBytes <= 8  ? 19
                                        : RowBytes <= 16 ? 9
                                                         : 5;
template <std::size_t RowBytes>
inline constexpr merge_plan<tile_shape<256, large_items<RowBytes>, RowBytes <= 16 ? 3 : 1>,
                            tile_shape<512, large_items<RowBytes>, RowBytes <= 16 ? 2 : 1>, true>
    large_merges{{0, 0}, true, false};

/// How a radix sort's pass finds the place of a row among those of its digit.
enum class radix_ranking {
  by_atomics,  // in words of shared memory that half a warp has: fewer instructions
  by_votes     // of a warp: fewer accesses; warps store up to the ends of sectors then
};

/// A tile of a radix sort's pass: `threads` rank `items` rows each, two more warps look back. A
/// launch takes `portion` rows at most, whose number a status word holds.
template <unsigned Threads, unsigned Items, unsigned Blocks = 2, unsigned Window = 4,
          std::size_t Portion = std::size_t{1} << 29,
          radix_ranking Ranking = radix_ranking::by_atomics, bool Packs = false>
struct radix_shape {
  static constexpr radix_ranking ranking = Ranking;
  static constexpr bool packs = Packs;  // a key and an item of 4 bytes are one word between passes
  static constexpr unsigned threads = Threads;
  static constexpr unsigned items = Items;
  static constexpr unsigned blocks = Blocks;  // that a multiprocessor has registers for, at least
  static constexpr unsigned window = Window;  // tiles that the look-back loads at a time
  static constexpr unsigned rows = Threads * Items;  // fewer than 2^16
  static constexpr std::size_t portion = Portion / rows * rows;
};

template <unsigned Items, unsigned Window, bool Packs = false>
using radix_vote_shape =
    radix_shape<384, Items, 2, Window, std::size_t{1} << 29, radix_ranking::by_votes, Packs>;
template <unsigned Items, unsigned Window>
using radix_atomic_shape = radix_shape<384, Items, 2, Window>;

/// As many rows as registers hold: what is stored together is long then.
template <std::size_t KeyBytes, std::size_t ItemBytes>
constexpr auto large_radix_shape() {
  constexpr std::size_t bytes = KeyBytes + ItemBytes;
  if constexpr (ItemBytes == 0) {
    return radix_atomic_shape<(bytes <= 4 ? 32 : bytes <= 8 ? 20 : 12), (bytes == 8 ? 2 : 4)>{};
  } else if constexpr (KeyBytes == 4 && ItemBytes == 4) {
    return radix_vote_shape<21, 1, true>{};
  } else if constexpr (ItemBytes <= 2 && KeyBytes <= 8) {
    return radix_atomic_shape<(KeyBytes <= 4 ? 30 : 18), 1>{};
  } else if constexpr (bytes <= 12) {
    return radix_vote_shape<(bytes <= 8 ? 28 : KeyBytes == 4 ? 19 : 18), 1>{};
  } else {
    return radix_vote_shape<(KeyBytes <= 8 ? 14 : 12), 1>{};
  }
}
/// Fewer rows, so that every multiprocessor has some.
template <std::size_t KeyBytes, std::size_t ItemBytes>
constexpr auto small_radix_shape() {
  constexpr std::size_t bytes = KeyBytes + ItemBytes;
  if constexpr (ItemBytes == 0) {
    return radix_atomic_shape<(bytes <= 4 ? 21 : bytes <= 8 ? 16 : 12), (bytes == 8 ? 8 : 4)>{};
  } else if constexpr (KeyBytes == 4 && ItemBytes == 4) {
    return radix_vote_shape<14, 4, true>{};
  } else {
    return radix_vote_shape<(bytes <= 8 ? 16 : 12), (bytes <= 8 ? 2 : 4)>{};
  }
}
template <std::size_t KeyBytes, std::size_t RowBytes = KeyBytes>
using radix_tile = decltype(large_radix_shape<KeyBytes, RowBytes - KeyBytes>());
template <std::size_t KeyBytes, std::size_t RowBytes = KeyBytes>
using radix_small_tile = decltype(small_radix_shape<KeyBytes, RowBytes - KeyBytes>());

/// A finish of rows that are sorted by some upper digits, in place of passes by the lower ones:
/// from so many rows on, behind so many passes at most.
template <unsigned Threads, unsigned Items, std::size_t From, unsigned MostPasses>
struct radix_finish_shape {
  static constexpr bool can = Items > 0;
  static constexpr unsigned threads = Threads;
  static constexpr unsigned items = Items;
  static constexpr unsigned rows = Threads * Items;
  static constexpr std::size_t from = From;
  static constexpr unsigned most_passes = MostPasses;
  static constexpr unsigned reach = 32;    // rows of a run, at most
  static constexpr float most_alike = 5;   // rows that a row's run has by chance, at most
  static constexpr unsigned samples = 16;  // of the keys, before that is decided
};
/// A pass of 4-byte keys takes no longer. From where merges of quick tiles take one pass more.
template <std::size_t KeyBytes>
using radix_finish =
    std::conditional_t<(KeyBytes >= 8), radix_finish_shape<256, 8, std::size_t{896} << 9, 5>,
                       radix_finish_shape<0, 0, 0, 0>>;

/// Whether small tiles are sooner done than large ones: by the rows that one multiprocessor's
/// blocks take in turn. Large ones store longer runs, which is worth 7 percent.
template <class Small, class Large>
constexpr bool small_radix_tiles(std::size_t n, unsigned multiprocessors) {
  const auto rows_in_turn = [=]<class Shape>(Shape) {
    const std::size_t at_once = std::size_t{Shape::rows} * Shape::blocks * multiprocessors;
    return (n + at_once - 1) / at_once * Shape::rows;
  };
  return rows_in_turn(Small{}) * 100 < rows_in_turn(Large{}) * 93;
}

struct sort_plan {
  /// Up to `cluster_runs_to` rows, clusters of this shape sort the runs, where the device takes it.
  /// Few clusters of 16 blocks run at a time where a block takes much shared memory (12,000 rows of
  /// 16 bytes: 22.7 us, by 8 blocks 17.7). Keys of 16 bytes gain by none.
  template <std::size_t KeyBytes, std::size_t RowBytes>
  static constexpr cluster_shape cluster_runs =
      KeyBytes <= 4 || RowBytes <= 8 ? cluster_shape{16, 256} : cluster_shape{8, 512};
  template <std::size_t KeyBytes, std::size_t RowBytes>
  static constexpr std::size_t cluster_runs_to = KeyBytes <= 4   ? 32'768
                                                 : RowBytes <= 8 ? 16'384
                                                 : KeyBytes <= 8 ? 24'576
                                                                 : 0;
  /// Merges of more rows are large ones. Below there are middle ones for rows of at most 8 bytes
  /// and for keys alone of at most 16.
  template <std::size_t KeyBytes, std::size_t RowBytes>
  static constexpr std::size_t middle_merges_to =
      std::size_t{1} << (RowBytes <= 8                            ? 21
                         : RowBytes <= 16 && KeyBytes == RowBytes ? 20
                                                                  : 19);
  /// Merges of fewer are quick ones.
  template <std::size_t KeyBytes, std::size_t RowBytes>
  static constexpr std::size_t quick_merges_to =
      std::size_t{1} << (middle_merges_to<KeyBytes, RowBytes> > std::size_t{1} << 19 ? 18 : 19);
  /// Launches that overlap share a multiprocessor's memory alike: to change that, it would stand
  /// still between them (2^17 rows of 4 and 8 bytes: 50 us, alike 34). Larger rows gain by what the
  /// driver chooses, 0 (2^19 of 16 bytes: 93.4 us, at 58 percent 94.9).
  template <std::size_t RowBytes>
  static constexpr unsigned shared_percent = RowBytes <= 8 ? 58 : 0;
  /// Of these, those of more rows take four runs at a time; those of fewer overlap their launches.
  template <std::size_t RowBytes>
  static constexpr std::size_t merges_by_fours_from = std::size_t{1} << (RowBytes <= 4   ? 22
                                                                         : RowBytes <= 8 ? 21
                                                                                         : 20);
  /// For so many tiles at most, a whole warp looks for each one's parts of four runs, in fewer
  /// rounds; of more tiles, half a warp.
  static constexpr unsigned sampled_more_to = 2500;
  /// Of keys that are ordered by their bits, more rows a multiprocessor go to the radix sort: its
  /// passes wait for each other, so it takes as long for few rows as for these.
  template <std::size_t KeyBytes, std::size_t RowBytes>
  static constexpr std::size_t merged_a_multiprocessor =
      KeyBytes == 1   ? 62
      : KeyBytes == 2 ? 215
      : KeyBytes == 4 ? (RowBytes <= 8 ? 2'000 : 3'450)
      : KeyBytes == 8 ? (RowBytes == 8 ? 5'300 : 3'475)
                      : 6'060;
  /// Items by index, of so many bytes at most, are moved by the last pass of a radix sort; larger
  /// ones by a launch of its own, which has more of them on their way.
  static constexpr std::size_t moved_by_last_pass_to = 32;
};

}  // namespace warpfold::tuning
