// Sorts the short segments of a tile. A window is 8 or 32 rows: a lane has 8 of them in registers,
// and one or four lanes sort the window by a network that exchanges rows of the same segment only.
// A short segment lies in two windows at most: a row then finds its place among its segment's rows
// in the other window by a binary search. Rows that have values or an order of their own, in
// segments of up to 8 rows, are not sorted in windows: each counts the rows of its segment that
// come before it.
//
//   segments   |a a a|b b b b b b|c c|      the first window has 5 rows of b, the second one has 1
//   windows    |=============|===========|
//
// Each exchange of the network puts the lesser row in front, so rows of different segments are in
// order, and leaving those exchanges out changes nothing.
// Source: Batcher 1968 (both networks).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "warpfold/device/segments/heads.cuh"
#include "warpfold/device/sort/key_values.cuh"
#include "warpfold/device/sort/thread.cuh"
#include "warpfold/warp/reduce.cuh"
#include "warpfold/warp/shuffle.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// The rows that a thread loads of a tile: one of each `Tile::threads`.
template <class Tile, class Encoded, class V>
struct striped_rows {
  Encoded key[Tile::items];
  V value[Tile::items];

  /// Rows in front of `begin`, which another block may write, are not read.
  template <bool Full, class In, class Order>
  __device__ __forceinline__ void load(const In& in, unsigned begin, unsigned count,
                                       const Order& order) {
    key[0] = Encoded{};
    value[0] = V{};
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

/// A key, and its row in the tile, by which equal keys keep their order and values follow.
template <class Order, bool Numbered>
struct window_row {
  using encoded = typename Order::encoded;
  encoded key;
  unsigned number;

  static __device__ __forceinline__ window_row of(const encoded& key, unsigned row) {
    return {key, row};
  }
  [[nodiscard]] __device__ __forceinline__ unsigned row() const { return number; }
  [[nodiscard]] __device__ __forceinline__ encoded encoded_key() const { return key; }
  [[nodiscard]] __device__ __forceinline__ bool before(const window_row& b, const Order& o) const {
    return o.comes_before(key, b.key, number < b.number);
  }
};
/// Both in a word.
template <class Order, bool Numbered>
  requires(Numbered && Order::is_radix && sizeof(typename Order::encoded) <= 4)
struct window_row<Order, Numbered> {
  using encoded = typename Order::encoded;
  std::uint64_t word;

  static __device__ __forceinline__ window_row of(encoded key, unsigned row) {
    return {std::uint64_t{key} << 16 | row};
  }
  [[nodiscard]] __device__ __forceinline__ unsigned row() const {
    return static_cast<std::uint16_t>(word);
  }
  [[nodiscard]] __device__ __forceinline__ encoded encoded_key() const {
    return static_cast<encoded>(word >> 16);
  }
  [[nodiscard]] __device__ __forceinline__ bool before(const window_row& b, const Order&) const {
    return word < b.word;
  }
};
/// Equal keys of the same bits, without values, need no row.
template <class Order>
struct window_row<Order, false> {
  using encoded = typename Order::encoded;
  encoded key;

  static __device__ __forceinline__ window_row of(const encoded& key, unsigned) { return {key}; }
  [[nodiscard]] __device__ __forceinline__ unsigned row() const { return 0; }
  [[nodiscard]] __device__ __forceinline__ encoded encoded_key() const { return key; }
  [[nodiscard]] __device__ __forceinline__ bool before(const window_row& b, const Order& o) const {
    return o.before(key, b.key);
  }
};

/// The rows of a tile in shared memory: in windows; their values as they were; and for each sorted
/// row, its place in the windows. Rows are padded, so that the lanes of a warp, eight rows apart,
/// read different banks.
template <class Tile, class V, class Order>
struct window_rows {
  using encoded = typename Order::encoded;
  static constexpr bool numbered = !Order::is_radix || bytes_of<V> != 0;
  using element = window_row<Order, numbered>;
  using number = std::conditional_t<numbered, std::uint16_t, keys_only>;
  static constexpr unsigned padded = Tile::rows + Tile::rows / bits_of_word;
  static constexpr std::size_t row_bytes = bytes_of_rows<encoded, number>(padded);
  static constexpr std::size_t value_bytes = (Tile::rows * bytes_of<V> + 15) / 16 * 16;
  static constexpr std::size_t bytes = row_bytes + value_bytes + padded * sizeof(std::uint16_t);

  key_value_view<encoded, number> rows;
  V* values;
  std::uint16_t* sorted;

  __device__ __forceinline__ explicit window_rows(char* memory)
      : rows(rows_in<encoded, number>(memory, padded)),
        values(reinterpret_cast<V*>(memory + row_bytes)),
        sorted(reinterpret_cast<std::uint16_t*>(memory + row_bytes + value_bytes)) {}

  static __device__ __forceinline__ unsigned at(unsigned i) { return i + i / bits_of_word; }
  /// Of a thread's row k of a striped tile.
  static __device__ __forceinline__ unsigned at_striped(unsigned k) {
    return at(threadIdx.x) + k * (Tile::threads + Tile::threads / bits_of_word);
  }
  [[nodiscard]] __device__ __forceinline__ element load(unsigned place) const {
    if constexpr (numbered) {
      return element::of(rows.keys[place], rows.values[place]);
    } else {
      return element::of(rows.keys[place], 0);
    }
  }
  __device__ __forceinline__ void store(unsigned place, const encoded& key, unsigned row) const {
    rows.keys[place] = key;
    if constexpr (numbered) rows.values[place] = static_cast<std::uint16_t>(row);
  }
};

/// The bits of the rows after i, up to j.
__device__ constexpr std::uint32_t rows_after(unsigned i, unsigned j) {
  return (std::uint32_t{2} << j) - (std::uint32_t{2} << i);
}

/// Sorts a window, of which each of `Lanes` lanes has eight rows.
template <unsigned Lanes, class Element, class Order>
class window_network {
 public:
  /// `heads` has the bits of the 32 rows that four lanes have.
  __device__ __forceinline__ window_network(Element (&row)[rows_of_lane], std::uint32_t heads,
                                            const Order& order)
      : row_(row),
        heads_(heads),
        first_(threadIdx.x % lanes_of_word * rows_of_lane),
        order_(order) {}

  __device__ __forceinline__ void sort() {
    sort_lane(std::make_index_sequence<exchange_count<rows_of_lane>>{});
    if constexpr (Lanes == lanes_of_word) {
#pragma unroll
      for (unsigned r = 0; r < rows_of_lane; ++r) same_[r] = rows_of_segment(first_ + r);
      exchange_across<2 * rows_of_lane - 1>();
      merge_lane();
      exchange_across<4 * rows_of_lane - 1>();
      exchange_across<rows_of_lane>();
      merge_lane();
    }
  }

 private:
  template <unsigned I, unsigned J>
  __device__ __forceinline__ void exchange_in_lane() {
    const bool is_same = (heads_ >> first_ & rows_after(I, J)) == 0;
    const Element x = row_[I], y = row_[J];
    const bool swaps = is_same && y.before(x, order_);
    row_[I] = swaps ? y : x;
    row_[J] = swaps ? x : y;
  }
  template <std::size_t... Numbers>
  __device__ __forceinline__ void sort_lane(std::index_sequence<Numbers...>) {
    (exchange_in_lane<exchanges_of<rows_of_lane>.of[Numbers].first,
                      exchanges_of<rows_of_lane>.of[Numbers].second>(),
     ...);
  }
  /// The half-cleaners of a bitonic merge, within the lane.
  __device__ __forceinline__ void merge_lane() {
    exchange_in_lane<0, 4>(), exchange_in_lane<1, 5>(), exchange_in_lane<2, 6>(),
        exchange_in_lane<3, 7>();
    exchange_in_lane<0, 2>(), exchange_in_lane<1, 3>(), exchange_in_lane<4, 6>(),
        exchange_in_lane<5, 7>();
    exchange_in_lane<0, 1>(), exchange_in_lane<2, 3>(), exchange_in_lane<4, 5>(),
        exchange_in_lane<6, 7>();
  }

  /// The bits of the rows of row i's segment in the window.
  [[nodiscard]] __device__ __forceinline__ std::uint32_t rows_of_segment(unsigned i) const {
    const std::uint32_t up_to = heads_ & (~0U >> (bits_of_word - 1 - i));
    const std::uint32_t behind = heads_ & ~1U << i;
    const std::uint32_t from =
        up_to != 0 ? ~0U << (bits_of_word - 1 - __clz(static_cast<int>(up_to))) : ~0U;
    return ((behind & (0U - behind)) - 1) & from;
  }
  /// Exchanges row i and row i ^ Mask, which another lane has.
  template <unsigned Mask>
  __device__ __forceinline__ void exchange_across() {
    constexpr unsigned lanes = Mask / rows_of_lane, within = Mask % rows_of_lane;
    const bool is_behind = (threadIdx.x & (lanes + 1) / 2) != 0;
    const std::uint32_t other_first = std::uint32_t{1} << (first_ ^ lanes * rows_of_lane);
    const auto take = [&](unsigned r, const Element& other) {
      const bool is_same = (same_[r] & other_first << (r ^ within)) != 0;
      if (is_same && other.before(row_[r], order_) != is_behind) row_[r] = other;
    };
#pragma unroll
    for (unsigned r = 0; r < rows_of_lane; ++r) {
      const unsigned s = r ^ within;
      if (r > s) continue;
      const Element for_r = shuffle_xor(row_[s], lanes), for_s = shuffle_xor(row_[r], lanes);
      take(r, for_r);
      if (s != r) take(s, for_s);
    }
  }

  Element (&row_)[rows_of_lane];
  std::uint32_t heads_;
  unsigned first_;
  Order order_;
  std::uint32_t same_[Lanes == 1 ? 1 : rows_of_lane];
};

/// Sorts all windows of a tile, in shared memory.
template <unsigned Lanes, class Tile, class V, class Order>
__device__ __forceinline__ void sort_windows(const window_rows<Tile, V, Order>& shared,
                                             unsigned count, const tile_heads<Tile>& heads,
                                             const Order& order) {
  using element = typename window_rows<Tile, V, Order>::element;
#pragma unroll 1
  for (unsigned base = 0; base < Tile::rows; base += Tile::threads * rows_of_lane) {
    const unsigned first = base + threadIdx.x * rows_of_lane;  // all lanes shuffle
    const unsigned place = shared.at(first);
    element row[rows_of_lane]{};
#pragma unroll
    for (unsigned r = 0; r < rows_of_lane; ++r) {
      if (first + r < count) row[r] = shared.load(place + r);
    }
    const std::uint32_t bits = first < count ? heads.of[first / bits_of_word].bits : ~0U;
    window_network<Lanes, element, Order>(row, bits, order).sort();
#pragma unroll
    for (unsigned r = 0; r < rows_of_lane; ++r) {
      if (first + r < count) shared.store(place + r, row[r].encoded_key(), row[r].row());
    }
  }
}

/// Puts the rows of sorted windows in their places: those of a segment in two windows are merged.
template <unsigned Lanes, class Tile, class V, class Order>
__device__ __forceinline__ void merge_windows(const window_rows<Tile, V, Order>& shared,
                                              unsigned count, const tile_heads<Tile>& heads,
                                              const Order& order) {
  constexpr unsigned window = Lanes * rows_of_lane;
#pragma unroll 1
  for (unsigned first = threadIdx.x * rows_of_lane; first < count;
       first += Tile::threads * rows_of_lane) {
    const unsigned begin = first / window * window, end = begin + window;
    const std::uint32_t bits = heads.of[first / bits_of_word].bits >> begin % bits_of_word;
    // The segments across both ends, of rows in front of `head` and from `last_head` on.
    const unsigned before = heads.around(begin).begin, behind = heads.around(end - 1).end;
    const unsigned head = begin + static_cast<unsigned>(__ffs(static_cast<int>(bits)) - 1);
    const unsigned last_head = heads.around(end - 1).begin;
    const unsigned in_front = begin - before, ahead = ::max(behind, end) - end;
#pragma unroll 4
    for (unsigned r = 0; r < rows_of_lane; ++r) {
      const unsigned i = first + r, from = shared.at(first) + r;
      if (i >= count) break;
      const typename Order::encoded key = shared.rows.keys[from];
      const bool is_behind = i < head;
      const unsigned other = is_behind ? before : end;
      const unsigned most = is_behind ? in_front : i >= last_head ? ahead : 0;
      unsigned found = 0;
#pragma unroll
      for (unsigned step = window / 2; step > 0; step /= 2) {
        if (found + step > most) continue;
        const auto& theirs = shared.rows.keys[shared.at(other + found + step - 1)];
        if (order.comes_before(theirs, key, is_behind)) found += step;
      }
      const unsigned to = shared.at(is_behind ? before + (i - begin) + found : i + found);
      shared.sorted[to] = static_cast<std::uint16_t>(from);
    }
  }
}

/// Sorts a tile of short segments: each row counts the rows of its segment that come before it.
template <class Tile, class V, class Out, class Order>
__device__ __forceinline__ void count_short_segments(
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

/// Sorts a tile of segments of up to `Lanes` lanes' rows.
template <unsigned Lanes, class Tile, class V, class Out, class Order>
__device__ __forceinline__ void sort_short_segments(
    const striped_rows<Tile, typename Order::encoded, V>& rows, const Out& out, unsigned count,
    const tile_heads<Tile>& heads, const Order& order) {
  using windows = window_rows<Tile, V, Order>;
  if constexpr (Lanes == 1 && windows::numbered) {  // cheaper than to sort numbers along
    count_short_segments(rows, out, count, heads, order);
  } else {
    const windows shared(dynamic_shared<char>());
    rows.template for_each<false>(count, [&](unsigned k, unsigned i) {
      shared.store(shared.at_striped(k), rows.key[k], i);
      if constexpr (bytes_of<V> != 0) shared.values[i] = rows.value[k];
    });
    __syncthreads();
    sort_windows<Lanes>(shared, count, heads, order);
    __syncthreads();
    merge_windows<Lanes>(shared, count, heads, order);
    __syncthreads();
    rows.template for_each<false>(count, [&](unsigned k, unsigned i) {
      const unsigned from = shared.sorted[shared.at_striped(k)];
      V value{};
      if constexpr (bytes_of<V> != 0) value = shared.values[shared.rows.values[from]];
      out.put(i, order.decode(shared.rows.keys[from]), value);
    });
  }
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
