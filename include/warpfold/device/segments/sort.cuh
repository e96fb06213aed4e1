// Sorts of segments. A block sorts a tile of rows, whatever segments they belong to; then the parts
// of a segment that several tiles share are merged in pairs.
//
//   offsets   0 3 5 5              18 20       a segment's first row is its head: a bit is set
//   heads     x  x x                 x x
//   tiles    |0      |1      |2      |3        sorted by segment, then by key
//   level 0  |       |===============|         pairs of a segment's tiles
//   level 1  |       |=======================  pairs of pairs, and so on
//
// A launch sets the heads, a launch sorts tiles, a launch a level merges; levels that no segment
// needs return at once. Rows of a segment in one tile are read and written once, and so are those
// of a short one across a border, which the block of its first tile sorts. The rows of a segment
// with l levels alternate between `out` and the spare rows. The tile sort writes them to the buffer
// from which the last level ends in `out`. Stable; any strict weak order; no count is read back.
//
// In a tile without long segments each row counts the rows of its segment that come before it.
// In others the keys are sorted with the places of their segments above them.
// Source: the merges of parts: Baxter 2013, moderngpu's segmented sort.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "warpfold/device/segments/heads.cuh"
#include "warpfold/device/sort/merge.cuh"
#include "warpfold/device/sort/tile.cuh"
#include "warpfold/warp/reduce.cuh"

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

/// The rows that a thread loads of a tile: one of each `Tile::threads`.
template <class Tile, class Encoded, class V>
struct striped_rows {
  Encoded key[Tile::items];
  V value[Tile::items];

  /// Rows in front of `begin`, which another block may write, are not read.
  template <bool Full, class In, class Order>
  __device__ __forceinline__ void load(const In& in, unsigned begin, unsigned count,
                                       const Order& order) {
    key[0] = {};
    value[0] = {};
    for_each<Full>(count, [&](unsigned k, unsigned i) {
      if (k == 0 && i < begin) return;
      key[k] = order.encode(in.keys[i]);
      value[k] = in.value(i);
    });
  }
  /// Calls f(k, row) for each; of a `Full` tile only the last ones may be missing.
  template <bool Full, class F>
  static __device__ __forceinline__ void for_each(unsigned count, F f) {
#pragma unroll
    for (unsigned k = 0; k < Tile::items; ++k) {
      const unsigned i = threadIdx.x + k * Tile::threads;
      if ((Full && k + 1 < Tile::items) || i < count) f(k, i);
    }
  }
};

/// Each row's place among the rows of its segment is the number of those that come before it.
template <class Tile, class V, class Out, class Order>
__device__ __forceinline__ void sort_short_segments(
    const striped_rows<Tile, typename Order::encoded, V>& rows, const Out& out, unsigned count,
    const tile_heads<Tile>& heads, const Order& order) {
  constexpr unsigned items = Tile::items, threads = Tile::threads, at_once = 5;
  using encoded = typename Order::encoded;
  using striped = striped_rows<Tile, encoded, V>;
  const auto shared = rows_in<encoded, V>(dynamic_shared<char>(), Tile::rows);
  unsigned place[items];
  striped::template for_each<false>(count,
                                    [&](unsigned k, unsigned i) { shared.keys[i] = rows.key[k]; });
  __syncthreads();
#pragma unroll
  for (unsigned first = 0; first < items; first += at_once) {
    unsigned begin[at_once], length[at_once]{}, most = 0;
#pragma unroll
    for (unsigned k = 0; k < at_once && first + k < items; ++k) {
      const unsigned i = threadIdx.x + (first + k) * threads;
      const auto segment = heads.around(i);
      place[first + k] = begin[k] = segment.begin;
      length[k] = i >= out.begin && i < count ? segment.end - segment.begin : 0;
      most = ::max(most, length[k]);
    }
    most = shuffle(warp_reduce(most, maximum{}), 0);
#pragma unroll 1
    for (unsigned j = 0; j < most; ++j) {
#pragma unroll
      for (unsigned k = 0; k < at_once && first + k < items; ++k) {
        const unsigned i = threadIdx.x + (first + k) * threads;
        const bool is_there = j < length[k];
        const unsigned other = is_there ? begin[k] + j : 0;
        if constexpr (Order::is_radix) {  // without a branch
          place[first + k] +=
              order.comes_before(shared.keys[other], rows.key[first + k], other < i) && is_there
                  ? 1
                  : 0;
        } else if (is_there &&
                   order.comes_before(shared.keys[other], rows.key[first + k], other < i)) {
          ++place[first + k];
        }
      }
    }
  }
  __syncthreads();
  striped::template for_each<false>(
      count, [&](unsigned k, unsigned) { shared.put(place[k], rows.key[k], rows.value[k]); });
  __syncthreads();
  striped::template for_each<false>(count, [&](unsigned, unsigned i) {
    out.put(i, order.decode(shared.keys[i]), shared.value(i));
  });
}

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
  if (heads.load(marks, base, base + to.begin, base + count)) {
    return sort_short_segments(rows, to, count, heads, order);
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
    const unsigned tile = marks.crossed_tiles[i];
    const std::size_t base = std::size_t{tile} * tile_rows_of_segments<Tile>;
    const crossing_segment left = marks.crossing[tile], right = marks.crossing[tile + 1];
    if (left.is_long()) merge_crossing<Tile, V>(left, base, level, out, spare, order);
    if (right.is_long() && right.begin >= base) {
      merge_crossing<Tile, V>(right, base, level, out, spare, order);
    }
  }
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
