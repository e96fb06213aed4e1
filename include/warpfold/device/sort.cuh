// The sorts of a CUDA device: stream-ordered, in place.
//
//   sort(device.on(stream).with(memory), keys, descending{})
//   stable_sort_by_key(device.on(stream).with(memory), keys, items, less)
//
// They never synchronise; with temp_storage (sort_temp_storage_bytes) they allocate nothing, and
// they can be captured in a graph either way. Keys and items are device memory. Arithmetic keys in
// the order `ascending` or `descending` (integers also by std::less and std::greater) are sorted by
// their bits, many of them by a radix sort; all others by merging, in n log n calls of the
// order, which may have state and must be callable on the device. They leave data in their
// temp_storage, so a workspace, which stays cleared, is refused.
#pragma once

#include <concepts>
#include <span>
#include <utility>

#include "warpfold/device/detail/requirements.hpp"
#include "warpfold/device/sort/dispatch.cuh"
#include "warpfold/ranges.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

/// Bytes of temp_storage for a sort of n keys of K, alone.
template <class K>
constexpr std::size_t sort_temp_storage_bytes(std::size_t n) {
  return detail::sort_bytes<K, detail::keys_only>(n);
}
/// The same with an item of V each.
template <class K, class V>
constexpr std::size_t sort_temp_storage_bytes(std::size_t n) {
  return detail::sort_bytes<K, detail::item_word<V>>(n);
}

/// Sorts the keys. Equal keys keep their order.
template <device_place Where, sortable Keys, class Less = ascending>
status stable_sort(const Where& where, Keys&& keys, Less less = {}) {
  if constexpr (detail::can_sort<Less, Keys>()) {
    using rows = detail::key_value_view<value_of<Keys>, detail::keys_only>;
    return detail::sort(detail::for_sorts(where), rows{std::ranges::data(keys), nullptr},
                        std::ranges::size(keys), less);
  } else {
    return {};
  }
}

/// Sorts the keys. Equal keys may change places.
template <device_place Where, sortable Keys, class Less = ascending>
status sort(const Where& where, Keys&& keys, Less less = {}) {
  return stable_sort(where, keys, std::move(less));
}

/// Sorts the keys and moves items[i] along with keys[i]. Equal keys keep their order. There must be
/// as many items as keys.
template <device_place Where, sortable Keys, sortable Items, class Less = ascending>
status stable_sort_by_key(const Where& where, Keys&& keys, Items&& items, Less less = {}) {
  if constexpr (detail::can_sort<Less, Keys, Items>()) {
    using word = detail::item_word<value_of<Items>>;
    if (std::ranges::size(items) != std::ranges::size(keys)) {
      return {1, "a sort by key takes as many items as keys", std::ranges::size(keys),
              std::ranges::size(items), "items"};
    }
    const detail::key_value_view<value_of<Keys>, word> rows{
        std::ranges::data(keys), reinterpret_cast<word*>(std::ranges::data(items))};
    return detail::sort(detail::for_sorts(where), rows, std::ranges::size(keys), less);
  } else {
    return {};
  }
}

/// Sorts the keys and moves items[i] along with keys[i]. Items of equal keys may change places.
template <device_place Where, sortable Keys, sortable Items, class Less = ascending>
status sort_by_key(const Where& where, Keys&& keys, Items&& items, Less less = {}) {
  return stable_sort_by_key(where, keys, items, std::move(less));
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
