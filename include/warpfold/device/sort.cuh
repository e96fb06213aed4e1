// The sorts of a CUDA device: stream-ordered.
//
//   sort(device.on(stream).with(memory), keys, descending{})              in place
//   sort(device.on(stream).with(memory), keys, sorted)                    the keys stay as they are
//   stable_sort_by_key(device.on(stream).with(memory), keys, items, less)
//   argsort(device.on(stream).with(memory), keys, indices, by_bits(0, 12))
//
// They never synchronise; with temp_storage (sort_temp_storage_bytes) they allocate nothing, and
// they can be captured in a graph either way. Keys and items are device memory. Arithmetic keys in
// the order `ascending` or `descending` (integers also by std::less and std::greater), or
// `by_bits`, are sorted by their bits, many of them by a radix sort, and so are structs of 1, 2, 4,
// 8 or 16 bytes `by_members`; all others by merging, in n log n calls of the order, which may have
// state and must be callable on the device. They leave data in their temp_storage, so a workspace,
// which stays cleared, is refused. A refused call returns a status and writes nothing.
#pragma once

#include <concepts>
#include <span>
#include <utility>

#include "warpfold/columns.hpp"
#include "warpfold/device/detail/refused_calls.cuh"
#include "warpfold/device/detail/requirements.hpp"
#include "warpfold/device/sort/dispatch.cuh"
#include "warpfold/ranges.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

/// Bytes of temp_storage for a sort of n keys of K, or fewer, alone, in place or not.
template <class K>
constexpr std::size_t sort_temp_storage_bytes(std::size_t n) {
  return detail::sort_bytes<K, detail::keys_only>(n);
}
/// The same with an item of V each.
template <class K, class V>
constexpr std::size_t sort_temp_storage_bytes(std::size_t n) {
  return detail::sort_bytes<K, detail::item_word<V>>(n);
}
/// Bytes of temp_storage for a sort of n keys of K that are exchangeable, alone: no second copy.
template <class K>
constexpr std::size_t exchanging_sort_temp_storage_bytes(std::size_t n) {
  return detail::sort_bytes<K, detail::keys_only>(n, false);
}
/// The same with an item of V each.
template <class K, class V>
constexpr std::size_t exchanging_sort_temp_storage_bytes(std::size_t n) {
  return detail::sort_bytes<K, detail::item_word<V>>(n, false);
}
/// Bytes of temp_storage for an argsort of n keys of K with indices of I.
template <class K, class I = std::uint32_t>
constexpr std::size_t argsort_temp_storage_bytes(std::size_t n) {
  return detail::argsort_storage<K, detail::item_word<I>>(n).bytes;
}

/// Sorts the keys. Equal keys keep their order.
template <device_place Where, sortable Keys, no_values Less = ascending>
status stable_sort(const Where& where, Keys&& keys, Less less = {}) {
  if constexpr (detail::can_sort<Less, Keys>()) {
    return detail::sort(detail::for_sorts(where), detail::rows_of(keys), std::ranges::size(keys),
                        less);
  } else {
    return {};
  }
}
/// Sorts the keys. Equal keys may change places.
template <device_place Where, sortable Keys, no_values Less = ascending>
status sort(const Where& where, Keys&& keys, Less less = {}) {
  return stable_sort(where, keys, std::move(less));
}

/// Writes the keys, sorted, to `out`; they themselves stay as they are. Equal keys keep their
/// order. `out` has as many values as there are keys, and lies apart from them.
template <device_place Where, values Keys, sortable Out, no_values Less = ascending>
  requires std::same_as<value_of<Keys>, value_of<Out>>
status stable_sort(const Where& where, const Keys& keys, Out&& out, Less less = {}) {
  if constexpr (detail::can_sort<Less, Keys, Out>()) {
    const status s =
        detail::refuse_columns(detail::column(keys, "keys"),
                               detail::column(out, "keys", "a sort's output overlaps its keys"));
    if (!s.ok()) return s;
    const detail::sort_buffers rows{detail::rows_of(keys), detail::rows_of(out)};
    return detail::sort(detail::for_sorts(where), rows, std::ranges::size(keys), less);
  } else {
    return {};
  }
}
/// The same; equal keys may change places.
template <device_place Where, values Keys, sortable Out, no_values Less = ascending>
  requires std::same_as<value_of<Keys>, value_of<Out>>
status sort(const Where& where, const Keys& keys, Out&& out, Less less = {}) {
  return stable_sort(where, keys, out, std::move(less));
}

/// Sorts the keys between two buffers, without a second copy. Equal keys keep their order.
template <device_place Where, class K, class Less = ascending>
status stable_sort(const Where& where, exchangeable<K>& keys, Less less = {}) {
  if constexpr (detail::can_sort<Less, std::span<K>>()) {
    status s = detail::refuse_columns(
        detail::column(keys.current, "keys"),
        detail::column(keys.other, "keys", "the two buffers of exchangeable keys overlap"));
    if (!s.ok()) return s;
    bool exchange = false;
    const auto in = detail::rows_of(keys.current);
    const detail::sort_buffers rows{in, in, detail::rows_of(keys.other), &exchange};
    s = detail::sort(detail::for_sorts(where), rows, keys.current.size(), less);
    if (exchange) std::swap(keys.current, keys.other);
    return s;
  } else {
    return {};
  }
}
/// The same; equal keys may change places.
template <device_place Where, class K, class Less = ascending>
status sort(const Where& where, exchangeable<K>& keys, Less less = {}) {
  return stable_sort(where, keys, std::move(less));
}

/// Sorts the keys and moves items[i] along with keys[i]. Equal keys keep their order. There must be
/// as many items as keys.
template <device_place Where, sortable Keys, sortable Items, class Less = ascending>
status stable_sort_by_key(const Where& where, Keys&& keys, Items&& items, Less less = {}) {
  if constexpr (detail::can_sort<Less, Keys, Items>()) {
    const status s = detail::refuse_columns(
        detail::column(keys, "keys"),
        detail::column(items, "items", "the items of a sort overlap its keys"));
    if (!s.ok()) return s;
    return detail::sort(detail::for_sorts(where), detail::rows_of(keys, items),
                        std::ranges::size(keys), less);
  } else {
    return {};
  }
}
/// Sorts the keys and moves items[i] along with keys[i]. Items of equal keys may change places.
template <device_place Where, sortable Keys, sortable Items, class Less = ascending>
status sort_by_key(const Where& where, Keys&& keys, Items&& items, Less less = {}) {
  return stable_sort_by_key(where, keys, items, std::move(less));
}

/// Writes the keys, sorted, to `keys_out`, and the items along with them to `items_out`; keys and
/// items stay as they are. Equal keys keep their order. Outputs have as many values as there are
/// keys, and lie apart from each other and from what is read.
template <device_place Where, values Keys, values Items, sortable KeysOut, sortable ItemsOut,
          class Less = ascending>
  requires std::same_as<value_of<Keys>, value_of<KeysOut>> &&
           std::same_as<value_of<Items>, value_of<ItemsOut>>
status stable_sort_by_key(const Where& where, const Keys& keys, const Items& items,
                          KeysOut&& keys_out, ItemsOut&& items_out, Less less = {}) {
  if constexpr (detail::can_sort<Less, Keys, Items>() &&
                detail::can_sort<Less, KeysOut, ItemsOut>()) {
    const status s = detail::refuse_columns(
        detail::column(keys, "keys"), detail::column(items, "items"),
        detail::column(keys_out, "keys", "a sort's output of keys overlaps another of its ranges"),
        detail::column(items_out, "items",
                       "a sort's output of items overlaps another of its ranges"));
    if (!s.ok()) return s;
    const detail::sort_buffers rows{detail::rows_of(keys, items),
                                    detail::rows_of(keys_out, items_out)};
    return detail::sort(detail::for_sorts(where), rows, std::ranges::size(keys), less);
  } else {
    return {};
  }
}
/// The same; items of equal keys may change places.
template <device_place Where, values Keys, values Items, sortable KeysOut, sortable ItemsOut,
          class Less = ascending>
  requires std::same_as<value_of<Keys>, value_of<KeysOut>> &&
           std::same_as<value_of<Items>, value_of<ItemsOut>>
status sort_by_key(const Where& where, const Keys& keys, const Items& items, KeysOut&& keys_out,
                   ItemsOut&& items_out, Less less = {}) {
  return stable_sort_by_key(where, keys, items, keys_out, items_out, std::move(less));
}

/// Sorts the keys, and the items along with them, between two buffers each, without a second copy;
/// both are exchanged, or neither. Equal keys keep their order.
template <device_place Where, class K, class V, class Less = ascending>
status stable_sort_by_key(const Where& where, exchangeable<K>& keys, exchangeable<V>& items,
                          Less less = {}) {
  if constexpr (detail::can_sort<Less, std::span<K>>()) {
    status s = detail::refuse_columns(
        detail::column(keys.current, "keys",
                       "exchangeable keys overlap another range of their sort"),
        detail::column(keys.other, "keys", "exchangeable keys overlap another range of their sort"),
        detail::column(items.current, "items", "the two buffers of exchangeable items overlap"),
        detail::column(items.other, "items"));
    if (!s.ok()) return s;
    bool exchange = false;
    const auto in = detail::rows_of(keys.current, items.current);
    const auto spare = detail::rows_of(keys.other, items.other);
    s = detail::sort(detail::for_sorts(where), detail::sort_buffers{in, in, spare, &exchange},
                     keys.current.size(), less);
    if (exchange) {
      std::swap(keys.current, keys.other);
      std::swap(items.current, items.other);
    }
    return s;
  } else {
    return {};
  }
}
/// The same; items of equal keys may change places.
template <device_place Where, class K, class V, class Less = ascending>
status sort_by_key(const Where& where, exchangeable<K>& keys, exchangeable<V>& items,
                   Less less = {}) {
  return stable_sort_by_key(where, keys, items, std::move(less));
}

/// Writes where the keys would go: indices[0] is the index of the key that comes first, and so on.
/// Equal keys keep their order. Indices are integers of 4 or 8 bytes that can count the keys; there
/// are as many, and they lie apart from the keys.
template <device_place Where, values Keys, sortable Indices, class Less = ascending>
  requires index_type<value_of<Indices>>
status argsort(const Where& where, const Keys& keys, Indices&& indices, Less less = {}) {
  if constexpr (detail::can_sort<Less, Keys, Indices>()) {
    const std::size_t n = std::ranges::size(keys);
    const status s = detail::refuse_columns(
        detail::column(keys, "keys"),
        detail::column(indices, "indices", "the indices of an argsort overlap its keys"));
    if (!s.ok()) return s;
    if (n > most_indexed<value_of<Indices>>) {
      return {1, "the indices of an argsort are too narrow for so many keys", n,
              most_indexed<value_of<Indices>>, "keys"};
    }
    const auto rows = detail::rows_of(keys, indices);
    return detail::argsort(detail::for_sorts(where), rows.keys, rows.values, n, less);
  } else {
    return {};
  }
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
