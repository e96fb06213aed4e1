// A thread's sort of a few rows in registers, by exchanges of neighbours, which leave equals in the
// order they were in. Many keys without values go through the odd-even merge network instead, which
// has fewer than half as many exchanges (33 keys: 223, not 528) and may swap equals. Where equals
// that are not the same to the bit come out beside each other, the exchanges of neighbours sort the
// keys again. Any strict weak order. Source: Batcher 1968.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "warpfold/device/sort/key_values.cuh"
#include "warpfold/warp/shuffle.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// The network's exchanges, one after another. Of 2^k + 1 keys, the last moves to its place among
/// the others, which have been sorted: that takes fewer than the network of as many.
template <unsigned Items>
struct merge_network {
  static constexpr unsigned merged =
      (Items & (Items - 1)) != 0 && ((Items - 1) & (Items - 2)) == 0 ? Items - 1 : Items;

  template <class Exchange>
  static constexpr void for_each(Exchange exchange) {
    for (unsigned size = 1; size < merged; size *= 2) {
      for (unsigned stride = size; stride > 0; stride /= 2) {
        for (unsigned i = stride % size; i + stride < merged; ++i) {
          const bool is_first = (i - stride % size) / stride % 2 == 0;
          if (is_first && i / (2 * size) == (i + stride) / (2 * size)) exchange(i, i + stride);
        }
      }
    }
    for (unsigned i = Items - 1; merged != Items && i > 0; --i) exchange(i - 1, i);
  }
  static constexpr unsigned count() {
    unsigned exchanges = 0;
    for_each([&](unsigned, unsigned) { ++exchanges; });
    return exchanges;
  }
};

struct key_pair {
  unsigned first, second;
};
template <unsigned Items>
inline constexpr unsigned exchange_count = merge_network<Items>::count();
template <unsigned Items>
struct exchange_list {
  key_pair of[exchange_count<Items>];
};
template <unsigned Items>
inline constexpr auto exchanges_of = [] {
  exchange_list<Items> all{};
  unsigned at = 0;
  merge_network<Items>::for_each([&](unsigned i, unsigned j) { all.of[at++] = {i, j}; });
  return all;
}();

/// Puts the lesser of two keys first.
template <class Encoded, class Order>
__device__ __forceinline__ void exchange(Encoded& first, Encoded& second, const Order& order) {
  const Encoded x = first, y = second;
  const bool swaps = order.before(y, x);
  first = swaps ? y : x;
  second = swaps ? x : y;
}

template <unsigned Items, class Encoded, class Order, std::size_t... Numbers>
__device__ __forceinline__ void sort_by_network(Encoded (&key)[Items], const Order& order,
                                                std::index_sequence<Numbers...>) {
  (exchange(key[std::integral_constant<unsigned, exchanges_of<Items>.of[Numbers].first>::value],
            key[std::integral_constant<unsigned, exchanges_of<Items>.of[Numbers].second>::value],
            order),
   ...);
}

template <class T>
__device__ __forceinline__ bool are_same_bits(const T& a, const T& b) {
  const in_words<T> x(a), y(b);
  bool same = true;
#pragma unroll
  for (unsigned k = 0; k < words_of<T>; ++k) same = same && x.word[k] == y.word[k];
  return same;
}

/// Whether the order of sorted keys may not be that in which equals were.
template <unsigned Items, class Encoded, class Order>
__device__ __forceinline__ bool may_have_swapped(const Encoded (&key)[Items], const Order& order) {
  bool may = false;
  if constexpr (!Order::is_radix) {  // there equals are the same
#pragma unroll
    for (unsigned k = 0; k + 1 < Items; ++k) {
      may |= !are_same_bits(key[k], key[k + 1]) && !order.before(key[k], key[k + 1]);
    }
  }
  return may;
}

template <unsigned Items, class Encoded, class V, class Order>
__device__ __forceinline__ void sort_by_neighbours(Encoded (&key)[Items], V (&value)[Items],
                                                   const Order& order) {
#pragma unroll
  for (unsigned round = 0; round < Items; ++round) {
#pragma unroll
    for (unsigned k = round % 2; k + 1 < Items; k += 2) {
      const bool swaps = order.before(key[k + 1], key[k]);
      const Encoded x = key[k], y = key[k + 1];
      key[k] = swaps ? y : x;
      key[k + 1] = swaps ? x : y;
      const V with_x = value[k], with_y = value[k + 1];
      value[k] = swaps ? with_y : with_x;
      value[k + 1] = swaps ? with_x : with_y;
    }
  }
}

/// Sorts a thread's rows; `rows` has them in shared memory as they were.
template <unsigned Items, class Encoded, class V, class Order>
__device__ __forceinline__ void sort_in_thread(const key_value_view<Encoded, V>& rows,
                                               Encoded (&key)[Items], V (&value)[Items],
                                               const Order& order) {
  if constexpr (std::is_same_v<V, keys_only> && Items > 12) {
    sort_by_network(key, order, std::make_index_sequence<exchange_count<Items>>{});
    if (!may_have_swapped(key, order)) return;
#pragma unroll
    for (unsigned k = 0; k < Items; ++k) key[k] = rows.keys[k];
  }
  sort_by_neighbours(key, value, order);
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
