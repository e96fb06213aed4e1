// The first k keys on a CUDA device: stream-ordered.
//
//   top_k(device.on(stream).with(memory), keys, k, out)                  the k largest, in order
//   top_k(device.on(stream), keys, k, out, ascending{})                  the smallest
//   argtop_k(device.on(stream), keys, k, indices, descending{}, in_input_order{})
//   top_k_rows(device.on(stream), matrix, rows, columns, k, out)         of each row
//
// They never synchronise; with temp_storage (top_k_temp_storage_bytes) they allocate nothing, and
// they can be captured in a graph either way. Keys are integers of 1 to 8 bytes, f16, bf16, f32 or
// f64, in the order of a sort (NaN is the greatest); of equal keys the one with the lower index
// comes first, so the result is that of a stable sort. Up to k = 2048 keys are read once; for more,
// each row is sorted. Keys stay as they are. A refused call returns a status and writes nothing. 0
// keys are allowed.
#pragma once

#include <cstddef>
#include <type_traits>

#include "warpfold/device/detail/refused_calls.cuh"
#include "warpfold/device/detail/requirements.hpp"
#include "warpfold/device/top_k/dispatch.cuh"
#include "warpfold/first_keys.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

/// Bytes of temp_storage for the first k of `n` keys of K, with or without items, or their indices;
/// of `rows` rows of n keys each, where that is given.
template <class K>
constexpr std::size_t top_k_temp_storage_bytes(std::size_t n, std::size_t k, std::size_t rows = 1) {
  return detail::top_k_bytes<K>(rows, n, k);
}

namespace detail {

template <class Keys, class... Columns>
constexpr bool can_take_first() {
  constexpr bool memory = !owns_host_memory<Keys> && (!owns_host_memory<Columns> && ...);
  static_assert(memory,
                "keys, items and outputs must be device memory, and this is the host's (a "
                "std::vector, for one): pass a span of device memory");
  return memory;
}

template <class Order, class Arrangement, device_place Where, class K, class Out>
status first_of(const Where& where, std::span<const K> keys, std::size_t rows, std::size_t columns,
                std::size_t k, const Out& out) {
  using order = decltype(bitwise_order<Order, K>());
  return top_k<std::is_same_v<Arrangement, in_input_order>, order>(for_sorts(where), keys.data(),
                                                                   rows, columns, k, out);
}

}  // namespace detail

/// Writes the first k keys of each of `rows` rows of `columns` keys, one row after another, to the
/// beginning of `out`: k for each row.
template <device_place Where, values Keys, sortable Out, class Order = descending,
          arrangement Arrangement = in_key_order>
  requires std::same_as<value_of<Keys>, value_of<Out>> && order_of_first<Order, value_of<Keys>>
status top_k_rows(const Where& where, const Keys& keys, std::size_t rows, std::size_t columns,
                  std::size_t k, Out&& out, Order /*order*/ = {}, Arrangement /*how*/ = {}) {
  if constexpr (detail::can_take_first<Keys, Out>()) {
    const detail::column outputs[] = {{out, "keys", detail::first_keys_overlap}};
    const status s = detail::refuse_first(rows, columns, k, {keys, "keys"}, outputs);
    if (!s.ok()) return s;
    const detail::first_keys<value_of<Keys>> to{std::ranges::data(out)};
    return detail::first_of<Order, Arrangement>(where, view(keys), rows, columns, k, to);
  } else {
    return {};
  }
}
/// The first k keys of all.
template <device_place Where, values Keys, sortable Out, class Order = descending,
          arrangement Arrangement = in_key_order>
  requires std::same_as<value_of<Keys>, value_of<Out>> && order_of_first<Order, value_of<Keys>>
status top_k(const Where& where, const Keys& keys, std::size_t k, Out&& out, Order order = {},
             Arrangement how = {}) {
  return top_k_rows(where, keys, 1, std::ranges::size(keys), k, out, order, how);
}

/// Writes the first k keys of each row to `keys_out`, and to `items_out` the items that have their
/// indices among `items`, of which there are as many as keys.
template <device_place Where, values Keys, values Items, sortable KeysOut, sortable ItemsOut,
          class Order = descending, arrangement Arrangement = in_key_order>
  requires std::same_as<value_of<Keys>, value_of<KeysOut>> &&
           std::same_as<value_of<Items>, value_of<ItemsOut>> &&
           order_of_first<Order, value_of<Keys>>
status top_k_by_key_rows(const Where& where, const Keys& keys, const Items& items, std::size_t rows,
                         std::size_t columns, std::size_t k, KeysOut&& keys_out,
                         ItemsOut&& items_out, Order /*order*/ = {}, Arrangement /*how*/ = {}) {
  if constexpr (detail::can_take_first<Keys, Items, KeysOut, ItemsOut>()) {
    const detail::column outputs[] = {{keys_out, "keys", detail::first_keys_overlap},
                                      {items_out, "items", detail::first_keys_overlap}};
    const detail::column given(items, "items");
    status s = detail::refuse_first(rows, columns, k, {keys, "keys"}, outputs);
    if (s.ok()) s = detail::refuse_items(std::ranges::size(keys), given, outputs);
    if (!s.ok()) return s;
    using word = detail::item_word<value_of<Items>>;
    const detail::first_pairs<value_of<Keys>, word> to{
        std::ranges::data(keys_out), reinterpret_cast<const word*>(std::ranges::data(items)),
        reinterpret_cast<word*>(std::ranges::data(items_out))};
    return detail::first_of<Order, Arrangement>(where, view(keys), rows, columns, k, to);
  } else {
    return {};
  }
}
/// The first k keys of all, and the items that go with them.
template <device_place Where, values Keys, values Items, sortable KeysOut, sortable ItemsOut,
          class Order = descending, arrangement Arrangement = in_key_order>
  requires std::same_as<value_of<Keys>, value_of<KeysOut>> &&
           std::same_as<value_of<Items>, value_of<ItemsOut>> &&
           order_of_first<Order, value_of<Keys>>
status top_k_by_key(const Where& where, const Keys& keys, const Items& items, std::size_t k,
                    KeysOut&& keys_out, ItemsOut&& items_out, Order order = {},
                    Arrangement how = {}) {
  return top_k_by_key_rows(where, keys, items, 1, std::ranges::size(keys), k, keys_out, items_out,
                           order, how);
}

/// Writes the indices of the first k keys of each row to `indices`, counted from the row's
/// beginning. They are integers of 4 or 8 bytes that can count the keys of a row.
template <device_place Where, values Keys, sortable Indices, class Order = descending,
          arrangement Arrangement = in_key_order>
  requires index_type<value_of<Indices>> && order_of_first<Order, value_of<Keys>>
status argtop_k_rows(const Where& where, const Keys& keys, std::size_t rows, std::size_t columns,
                     std::size_t k, Indices&& indices, Order /*order*/ = {},
                     Arrangement /*how*/ = {}) {
  if constexpr (detail::can_take_first<Keys, Indices>()) {
    using index = value_of<Indices>;
    const detail::column outputs[] = {{indices, "indices", detail::first_keys_overlap}};
    status s = detail::refuse_first(rows, columns, k, {keys, "keys"}, outputs);
    if (s.ok()) s = detail::refuse_indices<index>(columns);
    if (!s.ok()) return s;
    using word = std::make_unsigned_t<index>;
    const detail::first_indices<word> to{reinterpret_cast<word*>(std::ranges::data(indices))};
    return detail::first_of<Order, Arrangement>(where, view(keys), rows, columns, k, to);
  } else {
    return {};
  }
}
/// The indices of the first k keys of all.
template <device_place Where, values Keys, sortable Indices, class Order = descending,
          arrangement Arrangement = in_key_order>
  requires index_type<value_of<Indices>> && order_of_first<Order, value_of<Keys>>
status argtop_k(const Where& where, const Keys& keys, std::size_t k, Indices&& indices,
                Order order = {}, Arrangement how = {}) {
  return argtop_k_rows(where, keys, 1, std::ranges::size(keys), k, indices, order, how);
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
