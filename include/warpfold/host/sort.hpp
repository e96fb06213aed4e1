// Sorts on the host's threads: sort, sort_by_key and their stable forms.
//
// Arithmetic keys in the order `ascending` or `descending` (integers also by std::less and
// std::greater) are sorted by their bits, in time linear in their number; all others by merging, in
// n log n calls of the order. The result is the same whatever the number of threads. A second copy
// of keys and items is allocated for the call (std::bad_alloc), but of keys that Highway sorts. If
// the order throws, the exception comes out of the call and the range holds valid values, though
// not each as often as before. Keys and items are moved as bytes, so both must be trivially
// copyable.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "warpfold/bitwise_order.hpp"
#include "warpfold/error.hpp"
#include "warpfold/host/detail/key_values.hpp"
#include "warpfold/host/detail/merge_sort.hpp"
#include "warpfold/host/detail/parallel.hpp"
#include "warpfold/host/detail/radix_sort.hpp"
#include "warpfold/host/detail/vqsort.hpp"
#include "warpfold/order.hpp"
#include "warpfold/ranges.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace host_detail {

/// The order of the keys' bits, or void.
template <class Rows, class Less>
using bitwise_order_of =
    decltype(detail::bitwise_order<Less, std::remove_reference_t<decltype(*Rows::key)>>());

template <class Engine, class Rows, class Less>
inline constexpr bool sorts_by_vqsort = std::is_same_v<Engine, by_vqsort> && vqsort_takes<Rows> &&
                                        !std::is_void_v<bitwise_order_of<Rows, Less>>;

/// By vqsort `spare` stays untouched.
template <class Engine, class Where, class Rows, class Less>
void sort_key_values(const Where& where, Rows rows, Rows spare, std::size_t n, const Less& less) {
  using tuning = tuning_of<Where>;
  using order = bitwise_order_of<Rows, Less>;
  const auto work = [&] {
    if constexpr (sorts_by_vqsort<Engine, Rows, Less>) {
      vqsort_by_all<tuning, order>(rows.key, n, thread_count());
    } else if constexpr (std::is_void_v<order>) {
      merge_sort(rows, spare, n, false, less, tuning::merge_share);
    } else {
      radix_sorter<tuning, order, Rows>::sort(rows, spare, n, false, 8 * sizeof(*rows.key));
    }
  };
  if (n <= tuning::merge_share) return n > 0 ? work() : void();
  run_on(where, work);
}

}  // namespace host_detail

// Parts of a program built with and without Highway can be linked together: the calls that depend
// on it have another name in each.
#if defined(WARPFOLD_HIGHWAY)
inline namespace with_highway {
#else
inline namespace without_highway {
#endif

/// Sorts the keys. Equal keys keep their order.
template <host_place Where, sortable Keys, class Less = ascending>
  requires std::predicate<const Less&, const value_of<Keys>&, const value_of<Keys>&>
void stable_sort(Where where, Keys&& keys, Less less = {}) {
  using rows = host_detail::key_value_view<value_of<Keys>, void>;
  const std::size_t n = std::ranges::size(keys);
  const host_detail::uninitialized_buffer<value_of<Keys>> spare(
      host_detail::sorts_by_vqsort<host_detail::key_engine, rows, Less> ? 0 : n);
  host_detail::sort_key_values<host_detail::key_engine>(where, rows{std::ranges::data(keys)},
                                                        rows{spare.data()}, n, less);
}

/// Sorts the keys. Equal keys may change places.
template <host_place Where, sortable Keys, class Less = ascending>
void sort(Where where, Keys&& keys, Less less = {}) {
  stable_sort(where, keys, std::move(less));
}

}  // namespace with_highway, or without_highway

/// Sorts the keys and moves items[i] along with keys[i]. Equal keys keep their order. Throws
/// usage_error if there are not as many items as keys.
template <host_place Where, sortable Keys, sortable Items, class Less = ascending>
  requires std::predicate<const Less&, const value_of<Keys>&, const value_of<Keys>&>
void stable_sort_by_key(Where where, Keys&& keys, Items&& items, Less less = {}) {
  using rows = host_detail::key_value_view<value_of<Keys>, value_of<Items>>;
  const std::size_t n = std::ranges::size(keys);
  if (std::ranges::size(items) != n) {
    throw usage_error("warpfold::sort_by_key(host, keys, items): ", n, " keys and ",
                      std::ranges::size(items), " items; pass as many items as keys");
  }
  const host_detail::uninitialized_buffer<value_of<Keys>> spare_keys(n);
  const host_detail::uninitialized_buffer<value_of<Items>> spare_items(n);
  host_detail::sort_key_values<host_detail::by_radix>(
      where, rows{std::ranges::data(keys), std::ranges::data(items)},
      rows{spare_keys.data(), spare_items.data()}, n, less);
}

/// Sorts the keys and moves items[i] along with keys[i]. Items of equal keys may change places.
/// Throws usage_error if there are not as many items as keys.
template <host_place Where, sortable Keys, sortable Items, class Less = ascending>
void sort_by_key(Where where, Keys&& keys, Items&& items, Less less = {}) {
  stable_sort_by_key(where, keys, items, std::move(less));
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
