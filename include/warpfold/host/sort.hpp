// Sorts on the host's threads: sort, sort_by_key and their stable forms, in place, out of place and
// between two buffers; argsort.
//
// Arithmetic keys in the order `ascending` or `descending` (integers also by std::less and
// std::greater) are sorted by their bits, in time linear in their number; all others by merging, in
// n log n calls of the order. The result is the same for any number of threads. A second copy of
// keys and items is allocated for the call (std::bad_alloc), but of keys that Highway sorts and of
// exchangeable ones. If the order throws, the exception leaves the call and the range holds valid
// values, though not each as often as before. Keys and items are moved as bytes, so both must be
// trivially copyable.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <type_traits>

#include "warpfold/bitwise_order.hpp"
#include "warpfold/columns.hpp"
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

/// The order of the keys' bits, or void; keys of 16 bytes are merged.
template <class Rows, class Less, class K = std::remove_reference_t<decltype(*Rows::key)>>
using bitwise_order_of =
    std::conditional_t<detail::is_wide_key<K>, void, decltype(detail::bitwise_order<Less, K>())>;

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

/// What the device's calls return, thrown.
inline void throw_refused(const char* call, const status& s) {
  if (s.ok()) return;
  if (*s.unit() == 0) throw usage_error(call, ": ", s.reason());
  throw usage_error(call, ": ", s.reason(), ": ", s.needed(), " ", s.unit(), " needed, ", s.given(),
                    " given");
}
/// Refuses bits that keys do not have, and columns that do not go together, before anything is
/// written.
template <class K, class Less, class... Columns>
void check_sort(const char* call, const Less& less, const Columns&... columns) {
  throw_refused(call, detail::refuse_bits<K>(less));
  if constexpr (sizeof...(Columns) > 0) throw_refused(call, detail::refuse_columns(columns...));
}

/// The same for an argsort, and indices that can't count the keys.
template <class Less, class Keys, class Indices>
void check_argsort(const char* call, const Less& less, const Keys& keys, const Indices& indices) {
  check_sort<value_of<Keys>>(
      call, less, detail::column(keys, "keys"),
      detail::column(indices, "indices", "the indices of an argsort overlap its keys"));
  constexpr std::size_t most = most_indexed<value_of<Indices>>;
  if (const std::size_t n = std::ranges::size(keys); n > most) {
    throw usage_error(call, ": these indices count ", most, " keys, not ", n,
                      "; pass indices of 8 bytes");
  }
}

}  // namespace host_detail

// Parts of a program built with and without Highway can be linked together: the calls that depend
// on it have another name in each.
#if defined(WARPFOLD_HIGHWAY)
inline namespace with_highway {
#else
inline namespace without_highway {
#endif

/// Sorts the keys. Equal keys keep their order. Throws usage_error if the order is one of bits that
/// they do not have.
template <host_place Where, sortable Keys, no_values Less = ascending>
  requires std::predicate<const Less&, const value_of<Keys>&, const value_of<Keys>&>
void stable_sort(Where where, Keys&& keys, Less less = {}) {
  host_detail::check_sort<value_of<Keys>>("warpfold::sort(host, keys)", less);
  using rows = host_detail::key_value_view<value_of<Keys>, void>;
  const std::size_t n = std::ranges::size(keys);
  const host_detail::uninitialized_buffer<value_of<Keys>> spare(
      host_detail::sorts_by_vqsort<host_detail::key_engine, rows, Less> ? 0 : n);
  host_detail::sort_key_values<host_detail::key_engine>(where, rows{std::ranges::data(keys)},
                                                        rows{spare.data()}, n, less);
}

/// Sorts the keys. Equal keys may change places.
template <host_place Where, sortable Keys, no_values Less = ascending>
void sort(Where where, Keys&& keys, Less less = {}) {
  stable_sort(where, keys, std::move(less));
}

/// Writes the keys, sorted, to `out`; they themselves stay as they are. Equal keys keep their
/// order. Throws usage_error unless `out` has as many values as there are keys, and lies apart from
/// them.
template <host_place Where, values Keys, sortable Out, class Less = ascending>
  requires std::same_as<value_of<Keys>, value_of<Out>> &&
           std::predicate<const Less&, const value_of<Keys>&, const value_of<Keys>&>
void stable_sort(Where where, const Keys& keys, Out&& out, Less less = {}) {
  host_detail::check_sort<value_of<Keys>>(
      "warpfold::sort(host, keys, out)", less, detail::column(keys, "keys"),
      detail::column(out, "keys", "a sort's output overlaps its keys"));
  std::copy_n(std::ranges::data(keys), std::ranges::size(keys), std::ranges::data(out));
  stable_sort(where, out, std::move(less));
}
/// The same; equal keys may change places.
template <host_place Where, values Keys, sortable Out, class Less = ascending>
  requires std::same_as<value_of<Keys>, value_of<Out>>
void sort(Where where, const Keys& keys, Out&& out, Less less = {}) {
  stable_sort(where, keys, out, std::move(less));
}

}  // namespace with_highway, or without_highway

/// Sorts the keys between two buffers, without a second copy. Equal keys keep their order. Throws
/// usage_error unless both have as many values, and lie apart.
template <host_place Where, class K, class Less = ascending>
  requires std::predicate<const Less&, const K&, const K&>
void stable_sort(Where where, exchangeable<K>& keys, Less less = {}) {
  host_detail::check_sort<K>(
      "warpfold::sort(host, exchangeable keys)", less, detail::column(keys.current, "keys"),
      detail::column(keys.other, "keys", "the two buffers of exchangeable keys overlap"));
  using rows = host_detail::key_value_view<K, void>;
  host_detail::sort_key_values<host_detail::by_radix>(
      where, rows{keys.current.data()}, rows{keys.other.data()}, keys.current.size(), less);
}
/// The same; equal keys may change places.
template <host_place Where, class K, class Less = ascending>
void sort(Where where, exchangeable<K>& keys, Less less = {}) {
  stable_sort(where, keys, std::move(less));
}

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
  host_detail::check_sort<value_of<Keys>>(
      "warpfold::sort_by_key(host, keys, items)", less, detail::column(keys, "keys"),
      detail::column(items, "items", "the items of a sort overlap its keys"));
  const host_detail::uninitialized_buffer<value_of<Keys>> spare_keys(n);
  const host_detail::uninitialized_buffer<value_of<Items>> spare_items(n);
  host_detail::sort_key_values<host_detail::by_radix>(
      where, rows{std::ranges::data(keys), std::ranges::data(items)},
      rows{spare_keys.data(), spare_items.data()}, n, less);
}

/// Sorts the keys and moves items[i] along with keys[i]. Items of equal keys may change places.
/// Throws usage_error if there are not as many items as keys, or if the two overlap.
template <host_place Where, sortable Keys, sortable Items, class Less = ascending>
void sort_by_key(Where where, Keys&& keys, Items&& items, Less less = {}) {
  stable_sort_by_key(where, keys, items, std::move(less));
}

/// Writes the keys, sorted, to `keys_out`, and the items along with them to `items_out`; keys and
/// items stay as they are. Equal keys keep their order. Throws usage_error unless outputs have as
/// many values as there are keys, and lie apart from each other and from what is read.
template <host_place Where, values Keys, values Items, sortable KeysOut, sortable ItemsOut,
          class Less = ascending>
  requires std::same_as<value_of<Keys>, value_of<KeysOut>> &&
           std::same_as<value_of<Items>, value_of<ItemsOut>>
void stable_sort_by_key(Where where, const Keys& keys, const Items& items, KeysOut&& keys_out,
                        ItemsOut&& items_out, Less less = {}) {
  host_detail::check_sort<value_of<Keys>>(
      "warpfold::sort_by_key(host, keys, items, keys_out, items_out)", less,
      detail::column(keys, "keys"), detail::column(items, "items"),
      detail::column(keys_out, "keys", "a sort's output of keys overlaps another of its ranges"),
      detail::column(items_out, "items",
                     "a sort's output of items overlaps another of its ranges"));
  const std::size_t n = std::ranges::size(keys);
  std::copy_n(std::ranges::data(keys), n, std::ranges::data(keys_out));
  std::copy_n(std::ranges::data(items), n, std::ranges::data(items_out));
  stable_sort_by_key(where, keys_out, items_out, std::move(less));
}
/// The same; items of equal keys may change places.
template <host_place Where, values Keys, values Items, sortable KeysOut, sortable ItemsOut,
          class Less = ascending>
  requires std::same_as<value_of<Keys>, value_of<KeysOut>> &&
           std::same_as<value_of<Items>, value_of<ItemsOut>>
void sort_by_key(Where where, const Keys& keys, const Items& items, KeysOut&& keys_out,
                 ItemsOut&& items_out, Less less = {}) {
  stable_sort_by_key(where, keys, items, keys_out, items_out, std::move(less));
}

/// Sorts the keys, and the items along with them, between two buffers each, without a second copy.
/// Equal keys keep their order. Throws usage_error unless all four have as many values, and lie
/// apart.
template <host_place Where, class K, class V, class Less = ascending>
  requires std::predicate<const Less&, const K&, const K&>
void stable_sort_by_key(Where where, exchangeable<K>& keys, exchangeable<V>& items,
                        Less less = {}) {
  host_detail::check_sort<K>(
      "warpfold::sort_by_key(host, exchangeable keys, exchangeable items)", less,
      detail::column(keys.current, "keys", "exchangeable keys overlap another range of their sort"),
      detail::column(keys.other, "keys", "exchangeable keys overlap another range of their sort"),
      detail::column(items.current, "items", "the two buffers of exchangeable items overlap"),
      detail::column(items.other, "items"));
  using rows = host_detail::key_value_view<K, V>;
  host_detail::sort_key_values<host_detail::by_radix>(
      where, rows{keys.current.data(), items.current.data()},
      rows{keys.other.data(), items.other.data()}, keys.current.size(), less);
}
/// The same; items of equal keys may change places.
template <host_place Where, class K, class V, class Less = ascending>
void sort_by_key(Where where, exchangeable<K>& keys, exchangeable<V>& items, Less less = {}) {
  stable_sort_by_key(where, keys, items, std::move(less));
}

/// Writes where the keys would go: indices[0] is the index of the key that comes first, and so on.
/// Equal keys keep their order. Throws usage_error unless the indices, integers of 4 or 8 bytes,
/// can count the keys, are as many and lie apart from them.
template <host_place Where, values Keys, sortable Indices, class Less = ascending>
  requires index_type<value_of<Indices>>
void argsort(Where where, const Keys& keys, Indices&& indices, Less less = {}) {
  const std::size_t n = std::ranges::size(keys);
  host_detail::check_argsort("warpfold::argsort(host, keys, indices)", less, keys, indices);
  const host_detail::uninitialized_buffer<value_of<Keys>> copy(n);
  const std::span sorted(copy.data(), n);
  std::copy_n(std::ranges::data(keys), n, sorted.data());
  std::iota(std::ranges::begin(indices), std::ranges::end(indices), value_of<Indices>{});
  stable_sort_by_key(where, sorted, indices, std::move(less));
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
