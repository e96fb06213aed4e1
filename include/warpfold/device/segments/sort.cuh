// Sorts of segments. A block sorts a tile of rows, whatever segments they belong to; then the parts
// of a segment that several tiles share are merged in pairs.
//
//   offsets   0 3 5 5              18 20       a segment's first row is its head: a bit is set
//   heads     x  x x                 x x
//   tiles    |0      |1      |2      |3        sorted by segment, then by key
//   level 0  |       |===============|         pairs of a segment's tiles
//   level 1  |       |=======================  pairs of pairs, and so on
//
// A launch sets the heads, a launch sorts tiles, and a launch merges all levels; of many tiles, one
// a level. Rows of a segment in one tile are read and written once, and so are those of a short one
// across a border, which the block of its first tile sorts. The rows of a segment with l levels
// alternate between `out` and the spare rows. The tile sort writes them to the buffer from which
// the last level ends in `out`. Stable; any strict weak order; no count is read back.
//
// A tile without long segments is sorted in windows (windows.cuh). In others the keys are sorted
// with the places of their segments above them. Source: the merges of parts: Baxter 2013,
// moderngpu's segmented sort.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "warpfold/device/segments/windows.cuh"
#include "warpfold/device/sort/merge.cuh"
#include "warpfold/device/sort/tile.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// Keys of a tile: in the order of the places at which their segments begin, then in their own.
template <class Order>
struct segment_order {
  using key = typename Order::key;
  using inner = typename Order::encoded;
  static constexpr bool is_radix = Order::is_radix;
  static constexpr bool in_word = is_radix && sizeof(inner) <= 4;
  static constexpr unsigned key_bits = sizeof(inner) <= 2 ? 16 : 32;
  using begin_type = std::conditional_t<alignof(inner) % 8 == 0, std::uint64_t, std::uint32_t>;
  struct placed_key {
    inner key;
    begin_type begin;
  };
  using word = std::conditional_t<sizeof(inner) <= 2, std::uint32_t, std::uint64_t>;
  using encoded = std::conditional_t<in_word, word, placed_key>;
  Order order;

  __device__ __forceinline__ encoded encode(const inner& key, unsigned begin) const {
    if constexpr (in_word) {
      return static_cast<word>(word{begin} << key_bits | key);
    } else {
      return {key, begin};
    }
  }
  __device__ __forceinline__ typename Order::key decode(const encoded& k) const {
    if constexpr (in_word) {
      return order.decode(static_cast<inner>(k));
    } else {
      return order.decode(k.key);
    }
  }
  __device__ __forceinline__ bool before(const encoded& a, const encoded& b) const {
    if constexpr (in_word) {
      return a < b;
    } else {
      return a.begin != b.begin ? a.begin < b.begin : order.before(a.key, b.key);
    }
  }
};

/// Writes a tile's own rows to the buffers that the first merges of their segments read.
template <class Rows>
struct rows_by_segment {
  Rows out, spare;
  unsigned begin, end;             // of the tile's own rows
  unsigned left_end, right_begin;  // of the long segments that cross the tile's borders
  bool left_in_spare, right_in_spare;

  template <class K, class V>
  __device__ __forceinline__ void put(unsigned i, const K& key, const V& value) const {
    if (i < begin || i >= end) return;
    if (!left_in_spare && !right_in_spare) return out.put(i, key, value);  // of all threads
    const bool in_spare = i < left_end ? left_in_spare : i >= right_begin && right_in_spare;
    (in_spare ? spare : out).put(i, key, value);
  }
};

/// Keys whose values are their places.
template <class K, class Index>
struct numbered_keys {
  const K* keys;
  std::size_t first;

  [[nodiscard]] __host__ __device__ numbered_keys from(std::size_t i) const {
    return {keys + i, first + i};
  }
  __device__ __forceinline__ Index value(std::size_t i) const {
    return static_cast<Index>(first + i);
  }
};

/// Sorts a tile's rows by what encode(key, row) makes of their keys. Where `FillUp` is false, that
/// puts those behind the last row behind it.
template <bool FillUp, class Tile, class Encoded, class V, class Out, class Order, class Encode>
__device__ __forceinline__ void sort_rows(const striped_rows<Tile, Encoded, V>& rows,
                                          const Out& out, unsigned count, const Order& order,
                                          Encode encode) {
  constexpr unsigned items = Tile::items, threads = Tile::threads;
  using encoded = typename Order::encoded;
  const auto shared = rows_in<encoded, V>(dynamic_shared<char>(), Tile::rows);
  rows.template for_each<false>(FillUp ? count : Tile::rows, [&](unsigned k, unsigned i) {
    shared.put(i, encode(i < count ? rows.key[k] : Encoded{}, i), i < count ? rows.value[k] : V{});
  });
  __syncthreads();
  if constexpr (FillUp) fill_up_tile<items>(count, shared, order);
  encoded key[items];
  V value[items];
  sort_tile<Tile>(shared, count, key, value, order);
  store_tile<threads>(shared, key, value, count, out, order);
}

template <class Tile, class V, class In, class Order>
__global__ void __launch_bounds__(Tile::threads, blocks_with_registers(Tile::threads, Tile::blocks))
    sort_segments_kernel(In in, key_value_view<typename Order::key, V> out,
                         key_value_view<typename Order::key, V> spare, std::size_t n,
                         segment_marks marks, std::size_t* refused, Order order) {
  constexpr unsigned threads = Tile::threads;
  auto& heads = shared_storage<tile_heads<Tile>>();
  constexpr unsigned tile_rows = tile_rows_of_segments<Tile>;
  const std::size_t base = std::size_t{blockIdx.x} * tile_rows;
  const auto in_tile = n - base < tile_rows ? static_cast<unsigned>(n - base) : tile_rows;
  wait_for_primary();
  trigger_dependents();
  const unsigned long long wrong = marks.summary->refused;
  if (refused != nullptr && blockIdx.x == 0 && threadIdx.x == 0) *refused = wrong;
  if (wrong != 0) {  // the rows stay as they are
    for (unsigned i = threadIdx.x; i < in_tile; i += threads) {
      out.put(base + i, in.keys[base + i], in.value(base + i));
    }
    return;
  }
  const crossing_segment left = marks.crossing[blockIdx.x], right = marks.crossing[blockIdx.x + 1];
  if (threadIdx.x == 0 && (left.is_long() || right.is_long())) {
    marks.crossed_tiles[atomicAdd(&marks.summary->crossed_tiles, 1U)] = blockIdx.x;
  }
  const auto place_of = [=](std::size_t row) {
    return row - base < in_tile ? static_cast<unsigned>(row - base) : in_tile;
  };
  const unsigned count = right.is_short() ? static_cast<unsigned>(right.end - base) : in_tile;
  const rows_by_segment<key_value_view<typename Order::key, V>> to{
      out.from(base),
      spare.from(base),
      left.is_short() ? place_of(left.end) : 0,
      count,
      left.is_long() ? place_of(left.end) : 0,
      right.is_long() && right.begin >= base ? place_of(right.begin) : Tile::rows,
      left.template levels<Tile>() % 2 == 1,
      right.template levels<Tile>() % 2 == 1};
  using encoded = typename Order::encoded;
  striped_rows<Tile, encoded, V> rows;
  if (count + threads > Tile::rows) {
    rows.template load<true>(in.from(base), to.begin, count, order);
  } else {
    rows.template load<false>(in.from(base), to.begin, count, order);
  }
  switch (heads.load(marks, base, base + to.begin, base + count)) {
    case segment_lengths::of_lane: return sort_short_segments<1>(rows, to, count, heads, order);
    case segment_lengths::of_word:
      return sort_short_segments<lanes_of_word>(rows, to, count, heads, order);
    case segment_lengths::any: break;
  }
  if (to.left_end == count) {  // all of one segment
    return sort_rows<true>(rows, to, count, order, [](const encoded& k, unsigned) { return k; });
  }
  const segment_order<Order> by_segment{order};
  sort_rows<false>(rows, to, count, by_segment, [&](const encoded& k, unsigned i) {
    return by_segment.encode(k, heads.around(i).begin);
  });
}

/// Merges what a level has for the crossing segment in the tile at `base`.
template <class Tile, class V, class Order>
__device__ __forceinline__ void merge_crossing(const crossing_segment& segment, std::size_t base,
                                               unsigned level,
                                               key_value_view<typename Order::key, V> out,
                                               key_value_view<typename Order::key, V> spare,
                                               const Order& order) {
  const unsigned levels = segment.template levels<Tile>();
  if (level >= levels) return;
  const bool from_spare = (levels - level) % 2 == 1;
  const auto in = from_spare ? spare : out, to = from_spare ? out : spare;
  constexpr unsigned rows = tile_rows_of_segments<Tile>;
  const std::size_t origin = segment.begin / rows * rows, run = std::size_t{rows} << level;
  const std::size_t pair = origin + (base - origin) / (2 * run) * (2 * run), middle = pair + run;
  const std::size_t begin = ::max(pair, segment.begin), end = ::min(pair + 2 * run, segment.end);
  const std::size_t b_begin = ::min(::max(middle, begin), end);
  const std::size_t first = ::max(base, begin), last = ::min(base + rows, end);
  merge_tile<Tile>(in.from(begin), b_begin - begin, in.from(b_begin), end - b_begin, first - begin,
                   static_cast<unsigned>(last - first), to.from(first), order, false,
                   [](unsigned) { return std::size_t{0}; });
  __syncthreads();
}

/// The merges of a tile on a level.
template <class Tile, class V, class Order>
__device__ __forceinline__ void merge_borders(unsigned tile, unsigned level,
                                              key_value_view<typename Order::key, V> out,
                                              key_value_view<typename Order::key, V> spare,
                                              const segment_marks& marks, const Order& order) {
  const std::size_t base = std::size_t{tile} * tile_rows_of_segments<Tile>;
  const crossing_segment left = marks.crossing[tile], right = marks.crossing[tile + 1];
  if (left.is_long()) merge_crossing<Tile, V>(left, base, level, out, spare, order);
  if (right.is_long() && right.begin >= base) {
    merge_crossing<Tile, V>(right, base, level, out, spare, order);
  }
}

/// Merges the parts of segments in pairs of 2^level tiles.
template <class Tile, class V, class Order>
__global__ void __launch_bounds__(Tile::threads, blocks_with_registers(Tile::threads, Tile::blocks))
    merge_segments_kernel(key_value_view<typename Order::key, V> out,
                          key_value_view<typename Order::key, V> spare, unsigned level,
                          segment_marks marks, Order order) {
  wait_for_primary();
  trigger_dependents();
  if (level >= marks.summary->levels || marks.summary->refused != 0) return;
  const unsigned many = marks.summary->crossed_tiles;
  for (unsigned i = blockIdx.x; i < many; i += gridDim.x) {
    merge_borders<Tile, V>(marks.crossed_tiles[i], level, out, spare, marks, order);
  }
}

struct merge_turn {
  unsigned number;
};

/// All levels in one launch. Blocks take the merges in turn, those of a level behind those of the
/// one before, and wait until that one is done: only for merges that running blocks have taken.
template <class Tile, class V, class Order>
__global__ void __launch_bounds__(Tile::threads, blocks_with_registers(Tile::threads, Tile::blocks))
    merge_all_segments_kernel(key_value_view<typename Order::key, V> out,
                              key_value_view<typename Order::key, V> spare, segment_marks marks,
                              Order order) {
  auto& shared = shared_storage<merge_turn>();
  wait_for_primary();
  if (marks.summary->refused != 0 || marks.summary->levels == 0) return;
  const unsigned many = marks.summary->crossed_tiles, merges = many * marks.summary->levels;
  while (true) {
    if (threadIdx.x == 0) {
      const unsigned mine = atomicAdd(&marks.summary->merges_taken, 1U);
      const unsigned earlier = mine / many * many;
      while (mine < merges && load_acquire(&marks.summary->merges_done) < earlier) {
      }
      shared.number = mine;
    }
    __syncthreads();
    const unsigned number = shared.number;
    if (number >= merges) return;
    merge_borders<Tile, V>(marks.crossed_tiles[number % many], number / many, out, spare, marks,
                           order);
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicAdd(&marks.summary->merges_done, 1U);
    }
  }
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
