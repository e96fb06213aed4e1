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

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "warpfold/block/scan.cuh"
#include "warpfold/device/detail/scratch.cuh"
#include "warpfold/device/detail/striped_tile.cuh"
#include "warpfold/device/sort/dispatch.cuh"
#include "warpfold/device/sort/merge.cuh"
#include "warpfold/device/sort/temp_storage.cuh"
#include "warpfold/device/sort/tile.cuh"
#include "warpfold/operators.hpp"
#include "warpfold/ranges.hpp"
#include "warpfold/tuning/segments.hpp"
#include "warpfold/warp/reduce.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

inline constexpr unsigned bits_of_word = 32;
inline constexpr unsigned mark_threads = 256, marks_a_thread = 8;

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

/// A block sorts the rows of a tile, and those of a short segment that begins in it.
template <class Tile>
inline constexpr unsigned tile_rows_of_segments = Tile::rows - bits_of_word;

/// The segment that lies on both sides of a tile's border; empty if none does.
struct crossing_segment {
  std::size_t begin, end;

  [[nodiscard]] __device__ __forceinline__ bool is_short() const {
    return begin < end && end - begin <= tuning::segment_counted_rows;
  }
  [[nodiscard]] __device__ __forceinline__ bool is_long() const {
    return begin < end && end - begin > tuning::segment_counted_rows;
  }
  /// Levels of merges until all of a long one is one run.
  template <class Tile>
  [[nodiscard]] __device__ __forceinline__ unsigned levels() const {
    if (!is_long()) return 0;
    constexpr unsigned rows = tile_rows_of_segments<Tile>;
    const std::size_t more_tiles = (end - 1) / rows - begin / rows;
    return static_cast<unsigned>(64 - __clzll(static_cast<long long>(more_tiles)));
  }
};

/// Counts and bounds over all segments. Cleared before each call.
struct segment_summary {
  unsigned long long refused;     // offsets
  unsigned long long begin, end;  // of the first segment and of the last
  unsigned levels;                // of merges that some segment needs
  unsigned crossed_tiles;         // that share a segment with a neighbour
};

struct segment_marks {
  segment_summary* summary;
  std::uint32_t* heads;        // a bit a row: a segment begins there; in whole tiles
  crossing_segment* crossing;  // a tile's first border each, and the last tile's end
  unsigned* crossed_tiles;
};

/// What a sort of segments works in.
template <class K, class V, class Tile>
struct segment_sort_storage {
  segment_marks marks{};
  key_value_view<K, V> spare{};
  std::size_t tiles, cleared, bytes;

  constexpr explicit segment_sort_storage(std::size_t n, void* memory = nullptr)
      : tiles(n == 0 ? 1 : (n - 1) / tile_rows_of_segments<Tile> + 1) {
    memory_layout layout(memory);
    marks.summary = layout.take<segment_summary>(1);
    marks.heads =
        layout.take<std::uint32_t>(tiles * (tile_rows_of_segments<Tile> / bits_of_word) + 1);
    cleared = layout.bytes();
    marks.crossing = layout.take<crossing_segment>(tiles + 1);
    marks.crossed_tiles = layout.take<unsigned>(tiles);
    spare.keys = layout.take<K>(n);
    if constexpr (bytes_of<V> != 0) spare.values = layout.take<V>(n);
    bytes = layout.bytes();
  }
};

/// Sets bits of a word at a time.
class head_writer {
 public:
  __device__ __forceinline__ explicit head_writer(std::uint32_t* words) : words_(words) {}
  __device__ __forceinline__ void set(std::size_t bit) {
    if (bit / bits_of_word != word_) write();
    word_ = bit / bits_of_word;
    bits_ |= 1U << bit % bits_of_word;
  }
  __device__ __forceinline__ void write() {
    if (bits_ != 0) atomicOr(words_ + word_, bits_);
    bits_ = 0;
  }

 private:
  std::uint32_t* words_;
  std::size_t word_ = 0;
  std::uint32_t bits_ = 0;
};

/// Finds the segment across a border between tiles. Two offsets at least.
template <class Offset>
__device__ __forceinline__ crossing_segment segment_across(std::size_t border,
                                                           const Offset* offsets, std::size_t many,
                                                           std::size_t n) {
  const auto at = [=](std::size_t k) { return static_cast<std::size_t>(offsets[k]); };
  std::size_t low = 0, high = many - 1;  // the last offset that is less than the border
  while (low + 1 < high) {
    const std::size_t middle = low + (high - low) / 2;
    (at(middle) < border ? low : high) = middle;
  }
  const std::size_t begin = at(low), end = at(low + 1);
  if (begin < border && border < end && end <= n) return {begin, end};
  return {0, 0};
}

/// A thread counts the offsets that are refused among eight and sets the heads of their segments;
/// it also finds the segment across a border.
template <class Tile, class Offset>
__global__ void __launch_bounds__(mark_threads)
    mark_segments_kernel(const Offset* offsets, value_count count, std::size_t n, std::size_t tiles,
                         segment_marks marks) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t many = count.load(), first = i * marks_a_thread;
  if (first < many) {
    const auto at = [=](std::size_t k) { return static_cast<std::size_t>(offsets[k]); };
    head_writer heads(marks.heads);
    unsigned refused = 0;
    std::size_t begin = at(first);
    if (first == 0) marks.summary->begin = begin;
#pragma unroll
    for (unsigned k = 0; k < marks_a_thread; ++k) {
      if (first + k >= many) break;
      const bool is_last = first + k + 1 == many;
      const std::size_t end = is_last ? n : at(first + k + 1);
      if (begin > n || end < begin) ++refused;
      if (is_last) {
        marks.summary->end = begin;
      } else if (begin < end && begin < n) {
        heads.set(begin);
      }
      begin = end;
    }
    heads.write();
    if (refused != 0) atomicAdd(&marks.summary->refused, refused);
  }
  if (i > tiles) return;
  const crossing_segment crossing =
      i == 0 || i == tiles || many < 2
          ? crossing_segment{0, 0}
          : segment_across(i * tile_rows_of_segments<Tile>, offsets, many, n);
  marks.crossing[i] = crossing;
  const unsigned levels = crossing.template levels<Tile>();
  if (levels > 0) atomicMax(&marks.summary->levels, levels);
}

/// Where the segments of a tile begin and end: for each 32 rows, the bits of the heads among them,
/// the head before, and the head behind or the tile's end.
template <class Tile>
struct tile_heads {
  static constexpr unsigned words = Tile::rows / bits_of_word;
  static_assert(Tile::rows % bits_of_word == 0 && words <= Tile::threads);
  struct word {
    std::uint32_t bits, around;  // the head before, and above it the one behind
  };
  word of[words];

  /// The rows [begin, end) of a segment.
  struct extent {
    unsigned begin, end;
  };
  /// Of the segment that has row i.
  [[nodiscard]] __device__ __forceinline__ extent around(unsigned i) const {
    const word w = of[i / bits_of_word];
    const unsigned first = i / bits_of_word * bits_of_word;
    const std::uint32_t up_to = w.bits & (~0U >> (bits_of_word - 1 - i % bits_of_word));
    const std::uint32_t behind = w.bits & ~1U << i % bits_of_word;
    return {up_to != 0 ? first + last_in(up_to) : w.around % place_limit,
            behind != 0 ? first + first_in(behind) : w.around / place_limit};
  }

  /// Loads the bits of the tile's words. Rows of no segment, and all that are not in [first_row,
  /// last_row), are segments of their own. Returns whether all are short, as far as this tile
  /// shows.
  __device__ __forceinline__ bool load(const segment_marks& marks, std::size_t base,
                                       std::size_t first_row, std::size_t last_row) {
    const unsigned w = threadIdx.x, first = w * bits_of_word;
    std::uint32_t bits = 0;
    if (w < words) {
      const std::size_t row = base + first;
      const std::size_t begin = marks.summary->begin, end = marks.summary->end;
      const std::size_t from = ::max(begin, first_row), to = ::min(end, last_row);
      if (row < last_row) bits = marks.heads[row / bits_of_word];
      if (row < from) bits |= first_bits(from - row);
      if (to < row + bits_of_word) bits |= ~first_bits(to > row ? to - row : 0);
      if (w == 0) bits |= 1;
      of[w].bits = bits;
    }
    const unsigned before = block_scan(bits != 0 ? first + last_in(bits) : 0, maximum{}).exclusive;
    __syncthreads();
    bool is_short = true;
    if (w < words) {
      // A word without a head ends no segment; the one that it is in is long.
      const bool is_last = w + 1 == words;
      const std::uint32_t next = is_last ? 1 : of[w + 1].bits;
      const unsigned behind = first + bits_of_word + (next != 0 ? first_in(next) : bits_of_word);
      of[w].around = behind * place_limit + before;
      is_short =
          behind - (bits != 0 ? first + last_in(bits) : before) <= tuning::segment_counted_rows;
    }
    return __syncthreads_and(is_short ? 1 : 0) != 0;
  }

 private:
  static constexpr std::uint32_t place_limit = 1U << 16;
  static_assert(Tile::rows + 2 * bits_of_word < place_limit &&
                tuning::segment_counted_rows <= bits_of_word);

  static __device__ __forceinline__ std::uint32_t first_bits(std::size_t many) {
    return many >= bits_of_word ? ~0U : (1U << many) - 1;
  }
  static __device__ __forceinline__ unsigned first_in(std::uint32_t bits) {
    return static_cast<unsigned>(__ffs(static_cast<int>(bits)) - 1);
  }
  static __device__ __forceinline__ unsigned last_in(std::uint32_t bits) {
    return bits_of_word - 1 - static_cast<unsigned>(__clz(static_cast<int>(bits)));
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

template <class Encoded, class V>
struct segment_tiles {
  static constexpr std::size_t row_bytes = sizeof(Encoded) + bytes_of<V>;
  using large = tuning::segment_sort_tile<row_bytes>;
  using small = tuning::segment_sort_small_tile<row_bytes>;

  template <class K>
  static constexpr std::size_t bytes(std::size_t n) {
    return std::max(segment_sort_storage<K, V, large>(n).bytes,
                    segment_sort_storage<K, V, small>(n).bytes);
  }
};

/// Bytes of memory for a sort of rows that are moved, the most of any order.
template <class K, class V>
constexpr std::size_t moved_segment_bytes(std::size_t n) {
  using any = segment_order<comparator_order<K, ascending>>;
  std::size_t bytes = segment_tiles<typename any::encoded, V>::template bytes<K>(n);
  if constexpr (arithmetic_key<K>) {
    using bits = segment_order<radix_order<K, ascending>>;
    bytes = std::max(bytes, segment_tiles<typename bits::encoded, V>::template bytes<K>(n));
  }
  return bytes;
}

/// What a sort of segments that finds indices works in: keys, where they are moved, then the sort's
/// own memory.
template <class K, class Index>
struct segment_argsort_storage {
  K* keys{};
  void* inner;
  std::size_t bytes;

  constexpr explicit segment_argsort_storage(std::size_t n, void* memory = nullptr) {
    memory_layout layout(memory);
    std::size_t inner_bytes = 0;
    if constexpr (moves_key<K>) {
      keys = layout.take<K>(n);
      inner_bytes = moved_segment_bytes<K, Index>(n);
    } else {
      inner_bytes = moved_segment_bytes<Index, keys_only>(n);
    }
    inner = layout.take<char>(inner_bytes);
    bytes = layout.bytes();
  }
};

/// What a sort of rows that are not moved works in: indices, the memory of their argsort, and one
/// column, while it is gathered.
template <class K, class V, class Index>
struct indirect_segment_storage {
  Index* indices;
  void *inner, *moved;
  std::size_t bytes;

  constexpr explicit indirect_segment_storage(std::size_t n, void* memory = nullptr) {
    memory_layout layout(memory);
    indices = layout.take<Index>(n);
    inner = layout.take<char>(segment_argsort_storage<K, Index>(n).bytes);
    moved = layout.take<char>(n * std::max(bytes_of<V>, sizeof(K)));
    bytes = layout.bytes();
  }
};

template <class K, class V>
constexpr std::size_t segment_sort_bytes(std::size_t n) {
  if constexpr (moves_key<K> && moves_value<V>) {
    return moved_segment_bytes<K, V>(n);
  } else {
    return n <= most_indexed<std::uint32_t>
               ? indirect_segment_storage<K, V, std::uint32_t>(n).bytes
               : indirect_segment_storage<K, V, std::uint64_t>(n).bytes;
  }
}

/// The offsets of a call's segments, and where it counts those that are refused.
template <class Offset>
struct given_segments {
  const Offset* offsets;
  value_count count;
  std::size_t* refused;
};

/// Sorts the rows of segments into `out`, in place or not.
template <class Tile, class K, class V, class In, class Offset, class Order>
status sort_in_tiles(stream_type stream, const In& in, key_value_view<K, V> out, std::size_t n,
                     const given_segments<Offset>& segments,
                     const segment_sort_storage<K, V, Tile>& storage, const Order& order) {
  const auto tiles = static_cast<unsigned>(storage.tiles);
  status s = zero_async(storage.marks.summary, storage.cleared, stream);
  if (!s.ok()) return s;
  const std::size_t threads =
      std::max((segments.count.n + marks_a_thread - 1) / marks_a_thread, storage.tiles + 1);
  s = try_launch({.grid = static_cast<unsigned>((threads - 1) / mark_threads + 1),
                  .block = mark_threads,
                  .stream = stream},
                 mark_segments_kernel<Tile, Offset>, segments.offsets, segments.count, n,
                 storage.tiles, storage.marks);
  if (!s.ok()) return s;
  launch_config config{
      .grid = tiles,
      .block = Tile::threads,
      .shared_bytes = bytes_of_rows<typename segment_order<Order>::encoded, V>(Tile::rows),
      .stream = stream,
      .programmatic_launch = true};
  s = try_launch(config, sort_segments_kernel<Tile, V, In, Order>, in, out, storage.spare, n,
                 storage.marks, segments.refused, order);
  config.shared_bytes = bytes_of_rows<typename Order::encoded, V>(Tile::rows);
  config.grid = std::min(tiles, current_device().multiprocessors * Tile::blocks);
  const auto levels = static_cast<unsigned>(std::bit_width(tiles - 1));
  for (unsigned level = 0; s.ok() && level < levels; ++level) {
    s = try_launch(config, merge_segments_kernel<Tile, V, Order>, out, storage.spare, level,
                   storage.marks, order);
  }
  return s;
}

/// Rows that are moved, in the memory that there is for them.
template <class In, class K, class V, class Offset, class Order>
status sort_moved_segments(stream_type stream, void* memory, const In& in, key_value_view<K, V> out,
                           std::size_t n, const given_segments<Offset>& segments,
                           const Order& order) {
  using tiles = segment_tiles<typename segment_order<Order>::encoded, V>;
  const auto with = [&]<class Tile>(Tile) {
    return sort_in_tiles(stream, in, out, n, segments, segment_sort_storage<K, V, Tile>(n, memory),
                         order);
  };
  const std::size_t few = std::size_t{current_device().card_multiprocessors} *
                          tuning::segment_sort_small_tiles * tiles::large::rows;
  return n < few ? with(typename tiles::small{}) : with(typename tiles::large{});
}

/// Indices of the keys, in the order of their segments. Keys that are moved are moved along.
template <class K, class Index, class Offset, class Less>
status argsort_segments(stream_type stream, void* memory, const K* keys, Index* indices,
                        std::size_t n, const given_segments<Offset>& segments, const Less& less) {
  const segment_argsort_storage<K, Index> storage(n, memory);
  if constexpr (moves_key<K>) {
    return sort_moved_segments(stream, storage.inner, numbered_keys<K, Index>{keys, 0},
                               key_value_view<K, Index>{storage.keys, indices}, n, segments,
                               order_of_keys<K>(less));
  } else {
    const status s = number_rows(indices, n, stream);
    if (!s.ok()) return s;
    const key_value_view<Index, keys_only> rows{indices, nullptr};
    return sort_moved_segments(stream, storage.inner, rows, rows, n, segments,
                               indirect_order<K, Index, Less>{keys, less});
  }
}

/// Rows that are not moved: their indices are sorted, then each column is gathered.
template <class Index, class K, class V, class Offset, class Less>
status sort_segments_by_index(stream_type stream, void* memory, const sort_buffers<K, V>& rows,
                              std::size_t n, const given_segments<Offset>& segments,
                              const Less& less) {
  const indirect_segment_storage<K, V, Index> storage(n, memory);
  status s =
      argsort_segments(stream, storage.inner, rows.in.keys, storage.indices, n, segments, less);
  const auto move = [&](const auto* from, auto* to) {
    if (!s.ok() || n == 0) return;
    s = move_column(from, to, storage.moved, n, stream,
                    [&](auto* place) { return gather(storage.indices, from, place, n, stream); });
  };
  if constexpr (bytes_of<V> != 0) move(rows.in.values, rows.out.values);
  move(rows.in.keys, rows.out.keys);
  return s;
}

template <class K, class V, class Offset, class Less>
status sort_segments(const work_place& where, const sort_buffers<K, V>& rows, std::size_t n,
                     const given_segments<Offset>& segments, const Less& less) {
  if (const status s = refuse_bits<K>(less); !s.ok()) return s;
  const std::size_t bytes = segment_sort_bytes<K, V>(n);
  const scratch memory(
      where, {bytes, "the temp_storage is smaller than segmented_sort_temp_storage_bytes<K, V>(n)"},
      bytes, false);
  if (!memory.state().ok()) return memory.state();
  if constexpr (moves_key<K> && moves_value<V>) {
    return sort_moved_segments(where.stream, memory.data(), rows.in, rows.out, n, segments,
                               order_of_keys<K>(less));
  } else if (n <= most_indexed<std::uint32_t>) {
    return sort_segments_by_index<std::uint32_t>(where.stream, memory.data(), rows, n, segments,
                                                 less);
  } else {
    return sort_segments_by_index<std::uint64_t>(where.stream, memory.data(), rows, n, segments,
                                                 less);
  }
}

template <class K, class Index, class Offset, class Less>
status argsort_segments(const work_place& where, const K* keys, Index* indices, std::size_t n,
                        const given_segments<Offset>& segments, const Less& less) {
  if (const status s = refuse_bits<K>(less); !s.ok()) return s;
  const std::size_t bytes = segment_argsort_storage<K, Index>(n).bytes;
  const scratch memory(
      where,
      {bytes, "the temp_storage is smaller than segmented_argsort_temp_storage_bytes<K, Index>(n)"},
      bytes, false);
  return memory.state().ok()
             ? argsort_segments(where.stream, memory.data(), keys, indices, n, segments, less)
             : memory.state();
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
