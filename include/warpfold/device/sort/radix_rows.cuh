// How the passes of a radix sort hold rows: what is ranked by its digits, what follows it, and how
// both are loaded and stored.
//
//   separate | keys and values are in memory of their own; a key is ranked, its value follows
//   packed   | a key and a value of 4 bytes each are one word of 8 from the first pass to the last,
//            | so that the rows of a digit are one run in memory, not two
//
// Items too large to be moved in every pass are moved by the last: what the passes move are the
// numbers that rows have in `in`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "warpfold/device/sort/items.cuh"
#include "warpfold/device/sort/key_values.cuh"
#include "warpfold/device/sort/radix_plan.cuh"
#include "warpfold/tuning/sort.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// Loads a thread's rows of its group's run; all bits are set in those that are not there.
template <unsigned Lanes, unsigned Items, class T, class Load>
__device__ __forceinline__ void load_run(T (&to)[Items], unsigned first, unsigned count,
                                         Load load) {
  if (first + (Items - 1) * Lanes < count) {
#pragma unroll
    for (unsigned k = 0; k < Items; ++k) to[k] = load(first + k * Lanes);
  } else {
#pragma unroll
    for (unsigned k = 0; k < Items; ++k) {
      const unsigned i = first + k * Lanes;
      to[k] = i < count ? load(i) : static_cast<T>(~T{0});
    }
  }
}

/// The buffers of a sort, by their names in its plan.
template <class K, class V>
struct radix_buffers {
  key_value_view<K, V> in, out, spare;

  /// Column by column, for a choice between views would lie in local memory.
  __device__ __forceinline__ key_value_view<K, V> get(radix_buffer which) const {
    const auto choose = [&](auto* of_in, auto* of_out, auto* of_spare) {
      return which == radix_buffer::in ? of_in : which == radix_buffer::out ? of_out : of_spare;
    };
    return {choose(in.keys, out.keys, spare.keys), choose(in.values, out.values, spare.values)};
  }
};

template <std::size_t Bytes>
inline constexpr unsigned rows_of_sector = Bytes < 4 ? 8 : 32 / Bytes;

template <class Order, class V, class Along>
struct separate_rows {
  using key = typename Order::key;
  using ranked = typename Order::encoded;
  using follows = V;

  radix_buffers<key, V> buffers;
  Order order;
  Along along;

  __host__ __device__ separate_rows(const sort_buffers<key, V>& rows, std::size_t /*n*/,
                                    radix_control& /*control*/, const Order& by, const Along& what)
      : buffers{rows.in, rows.out, rows.spare}, order(by), along(what) {}

  static __device__ __forceinline__ ranked bits(ranked row) { return row; }
  /// The value of the i-th row from `begin` on.
  __device__ __forceinline__ auto following(const radix_step& step, std::size_t begin) const {
    const V* const values = buffers.get(step.from).from(begin).values;
    const bool is_first = step.is_first;
    return [=](unsigned i) {
      if constexpr (Along::by_number) {
        if (is_first) return static_cast<V>(begin + i);
      }
      return values[i];
    };
  }
  template <unsigned Lanes, unsigned Items>
  __device__ __forceinline__ void load(ranked (&to)[Items], const radix_step& step,
                                       std::size_t begin, unsigned first, unsigned count) const {
    const key* const keys = buffers.get(step.from).keys + begin;
    load_run<Lanes>(to, first, count, [&](unsigned i) { return order.encode(keys[i]); });
  }
  /// Calls `store_tile` with the rows that fill a sector and what stores a warp's rows at their
  /// indices: those of its first `some` lanes.
  template <class StoreTile>
  __device__ __forceinline__ void store(const radix_step& step, StoreTile store_tile) const {
    constexpr bool by_key = bytes_of<V> == 0 || sizeof(ranked) < bytes_of<V>;
    constexpr std::size_t least = by_key ? sizeof(ranked) : bytes_of<V>;
    const auto to = buffers.get(step.to);
    if constexpr (Along::to_own_place) {
      if (step.is_last) {
        store_tile(std::integral_constant<unsigned, rows_of_sector<sizeof(ranked)>>{},
                   [&](std::size_t i, ranked row, const V& number, unsigned some) {
                     if (step.keeps_numbers) {
                       if (lane_has_row(some)) to.put(i, order.decode(row), number);
                     } else if (Along::with_keys && lane_has_row(some)) {
                       to.keys[i] = order.decode(row);
                     }
                     along.copy(i, number, some);
                   });
        return;
      }
    }
    store_tile(std::integral_constant<unsigned, rows_of_sector<least>>{},
               [&](std::size_t i, ranked row, const V& v, unsigned some) {
                 if (lane_has_row(some)) to.put(i, order.decode(row), v);
               });
  }
};

/// The words lie in the memory of the keys, then in that of the values. Where rows are odd in
/// number, the last is in neither: it is in the control.
template <class Order, class Along>
struct packed_rows {
  using key = typename Order::key;
  using value = std::uint32_t;
  using ranked = std::uint64_t;
  using follows = keys_only;
  static_assert(sizeof(key) == sizeof(value));

  radix_buffers<key, value> buffers;
  Order order;
  std::size_t half, odd;  // what the keys' memory holds; the index of the last, or none
  std::uint64_t* last;    // of `out`, and of `spare`
  bool packs;             // words may lie there
  Along along;

  __host__ __device__ packed_rows(const sort_buffers<key, value>& rows, std::size_t n,
                                  radix_control& control, const Order& by, const Along& what)
      : buffers{rows.in, rows.out, rows.spare},
        order(by),
        half(n / 2),
        odd(n % 2 == 0 ? ~std::size_t{0} : n - 1),
        last(control.last),
        packs((address(rows.out) | address(rows.spare)) % sizeof(ranked) == 0),
        along(what) {}

  static __device__ __forceinline__ value bits(ranked row) { return static_cast<value>(row >> 32); }
  static __device__ __forceinline__ auto following(const radix_step&, std::size_t) {
    return [](unsigned) { return keys_only{}; };
  }
  template <unsigned Lanes, unsigned Items>
  __device__ __forceinline__ void load(ranked (&to)[Items], const radix_step& step,
                                       std::size_t begin, unsigned first, unsigned count) const {
    const auto from = buffers.get(step.from);
    if (step.apart || !packs) {
      const key* const keys = from.keys + begin;
      if constexpr (Along::by_number) {
        if (step.is_first) {
          load_run<Lanes>(to, first, count, [&](unsigned i) {
            return ranked{order.encode(keys[i])} << 32 | static_cast<value>(begin + i);
          });
          return;
        }
      }
      const value* const values = from.values + begin;
      load_run<Lanes>(to, first, count,
                      [&](unsigned i) { return ranked{order.encode(keys[i])} << 32 | values[i]; });
      return;
    }
    const std::size_t end = begin + count;
    if (end <= half || (begin >= half && end <= 2 * half)) {
      const ranked* const words = (begin < half ? low(from) : high(from)) + begin;
      load_run<Lanes>(to, first, count, [&](unsigned i) { return words[i]; });
    } else {
      load_run<Lanes>(to, first, count, [&](unsigned i) { return *word(step.from, begin + i); });
    }
  }
  template <class StoreTile>
  __device__ __forceinline__ void store(const radix_step& step, StoreTile store_tile) const {
    const auto to = buffers.get(step.to);
    if (step.is_last || !packs) {
      store_tile(std::integral_constant<unsigned, rows_of_sector<sizeof(key)>>{},
                 [&](std::size_t i, ranked row, keys_only, unsigned some) {
                   const auto v = static_cast<value>(row);
                   if constexpr (Along::to_own_place) {
                     if (step.is_last) {
                       if (step.keeps_numbers) {
                         if (lane_has_row(some)) to.put(i, order.decode(bits(row)), v);
                       } else if (Along::with_keys && lane_has_row(some)) {
                         to.keys[i] = order.decode(bits(row));
                       }
                       along.copy(i, v, some);
                       return;
                     }
                   }
                   if (lane_has_row(some)) to.put(i, order.decode(bits(row)), v);
                 });
    } else {
      ranked *const words = low(to), *const last_word = last_of(step.to);
      const std::ptrdiff_t gap = high(to) - words;
      store_tile(std::integral_constant<unsigned, rows_of_sector<sizeof(ranked)>>{},
                 [&](std::size_t i, ranked row, keys_only, unsigned some) {
                   ranked* at = words + i + (i < half ? 0 : gap);
                   if (i == odd) at = last_word;
                   if (lane_has_row(some)) *at = row;
                 });
    }
  }

 private:
  using pairs = key_value_view<key, value>;

  static __host__ __device__ std::uintptr_t address(const pairs& rows) {
    return reinterpret_cast<std::uintptr_t>(rows.keys) |
           reinterpret_cast<std::uintptr_t>(rows.values);
  }
  static __device__ __forceinline__ ranked* low(const pairs& rows) {
    return reinterpret_cast<ranked*>(rows.keys);
  }
  __device__ __forceinline__ ranked* high(const pairs& rows) const {
    return reinterpret_cast<ranked*>(rows.values) - half;
  }
  __device__ __forceinline__ ranked* word(radix_buffer which, std::size_t i) const {
    const auto rows = buffers.get(which);
    ranked* const at = (i < half ? low(rows) : high(rows)) + i;
    return i == odd ? last_of(which) : at;
  }
  __device__ __forceinline__ ranked* last_of(radix_buffer which) const {
    return last + (which == radix_buffer::spare ? 1 : 0);
  }
};

/// What the passes of a sort by this shape hold.
template <class Shape, class Order, class V, class Along>
using radix_rows =
    std::conditional_t<Shape::packs, packed_rows<Order, Along>, separate_rows<Order, V, Along>>;

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
