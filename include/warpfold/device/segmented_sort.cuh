// Sorts of segments on a CUDA device, whatever their lengths: one giant segment among many short
// ones, or only empty ones.
//
//   segmented_sort(device.on(stream).with(temp_storage), keys, offsets, descending{})
//   segmented_stable_sort_by_key(device.on(stream), keys, items, offsets, keys_out, items_out)
//   segmented_argsort(device.on(stream), keys, offsets, indices)
//
// Segment i is keys[offsets[i]] to keys[offsets[i + 1] - 1]: `offsets` has one more than there are
// segments, integers of any type that never decrease. In their place calls take segments_of_length
// and segments_of_lengths (warpfold/segment_forms.hpp). Rows in no segment stay where they are. All
// ranges are device memory; `offsets` may be `device_sized`. A call returns at once and never
// synchronises; with temp_storage (segmented_sort_temp_storage_bytes) it allocates nothing, and it
// can be captured in a graph either way. Equal keys keep their order. Orders: as of sort.
//
// Offsets that decrease or exceed the number of keys are found on the device: then every row stays
// where it is, and `*refused`, if given, is the number of such offsets, otherwise 0. Lengths are
// refused if their offsets are.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "warpfold/columns.hpp"
#include "warpfold/device/detail/requirements.hpp"
#include "warpfold/device/segments/offsets.cuh"
#include "warpfold/device/segments/sort_dispatch.cuh"
#include "warpfold/device/sized.cuh"
#include "warpfold/order.hpp"
#include "warpfold/ranges.hpp"
#include "warpfold/segment_forms.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

/// Bytes of temp_storage for a sort of the segments of n keys of K, or fewer, alone.
template <class K>
constexpr std::size_t segmented_sort_temp_storage_bytes(std::size_t n) {
  return detail::segment_sort_bytes<K, detail::keys_only>(n);
}
/// The same with an item of V each.
template <class K, class V>
constexpr std::size_t segmented_sort_temp_storage_bytes(std::size_t n) {
  return detail::segment_sort_bytes<K, detail::item_word<V>>(n);
}
/// Bytes of temp_storage for an argsort of the segments of n keys of K with indices of I.
template <class K, class I = std::uint32_t>
constexpr std::size_t segmented_argsort_temp_storage_bytes(std::size_t n) {
  return detail::segment_argsort_storage<K, detail::item_word<I>>(n).bytes;
}

/// The same for segments_of_length or segments_of_lengths, so many or fewer.
template <class K>
constexpr std::size_t segmented_sort_temp_storage_bytes(std::size_t n, std::size_t segments) {
  return detail::offset_storage(segments).bytes + segmented_sort_temp_storage_bytes<K>(n);
}
/// The same with an item of V each.
template <class K, class V>
constexpr std::size_t segmented_sort_temp_storage_bytes(std::size_t n, std::size_t segments) {
  return detail::offset_storage(segments).bytes + segmented_sort_temp_storage_bytes<K, V>(n);
}
/// The same for an argsort.
template <class K, class I = std::uint32_t>
constexpr std::size_t segmented_argsort_temp_storage_bytes(std::size_t n, std::size_t segments) {
  return detail::offset_storage(segments).bytes + segmented_argsort_temp_storage_bytes<K, I>(n);
}

/// Segments that a sort takes: offsets, or another form in which each follows the one before.
template <class Segments>
concept sortable_segments = sized_values<Segments> || segments_in_a_row<Segments>;

namespace detail {

template <device_place Where, class K, class V, class Segments, class Less>
status sort_in_segments(const Where& where, const sort_buffers<K, V>& rows, std::size_t n,
                        const Segments& segments, std::size_t* refused, const Less& less) {
  const memory_size memory{
      segment_sort_bytes<K, V>(n),
      "the temp_storage is smaller than segmented_sort_temp_storage_bytes<K, V>(n, segments)"};
  const auto sort = [&](const work_place& place, const auto& given) {
    return sort_segments(place, rows, n, given, less);
  };
  return segmented_sort_call<Where, decltype(sort)>{where, n, refused, memory, sort}.on(segments);
}

}  // namespace detail

/// Sorts the keys of each segment.
template <device_place Where, sortable Keys, sortable_segments Segments, no_values Less = ascending>
status segmented_sort(const Where& where, Keys&& keys, const Segments& segments, Less less = {},
                      std::size_t* refused = nullptr) {
  if constexpr (detail::can_sort<Less, Keys>()) {
    return detail::sort_in_segments(where, detail::in_place(detail::rows_of(keys)),
                                    std::ranges::size(keys), segments, refused, less);
  } else {
    return {};
  }
}
/// Writes the keys, those of each segment sorted, to `out`; they themselves stay as they are. `out`
/// has as many values as there are keys, and lies apart from them.
template <device_place Where, values Keys, sortable_segments Segments, sortable Out,
          no_values Less = ascending>
  requires std::same_as<value_of<Keys>, value_of<Out>>
status segmented_sort(const Where& where, const Keys& keys, const Segments& segments, Out&& out,
                      Less less = {}, std::size_t* refused = nullptr) {
  if constexpr (detail::can_sort<Less, Keys, Out>()) {
    const status s =
        detail::refuse_columns(detail::column(keys, "keys"),
                               detail::column(out, "keys", "a sort's output overlaps its keys"));
    if (!s.ok()) return s;
    const detail::sort_buffers rows{detail::rows_of(keys), detail::rows_of(out)};
    return detail::sort_in_segments(where, rows, std::ranges::size(keys), segments, refused, less);
  } else {
    return {};
  }
}

/// Sorts the keys of each segment and moves items[i] along with keys[i]. There must be as many
/// items as keys.
template <device_place Where, sortable Keys, sortable Items, sortable_segments Segments,
          no_values Less = ascending>
status segmented_stable_sort_by_key(const Where& where, Keys&& keys, Items&& items,
                                    const Segments& segments, Less less = {},
                                    std::size_t* refused = nullptr) {
  if constexpr (detail::can_sort<Less, Keys, Items>()) {
    const status s = detail::refuse_columns(
        detail::column(keys, "keys"),
        detail::column(items, "items", "the items of a sort overlap its keys"));
    if (!s.ok()) return s;
    return detail::sort_in_segments(where, detail::in_place(detail::rows_of(keys, items)),
                                    std::ranges::size(keys), segments, refused, less);
  } else {
    return {};
  }
}
/// Writes the keys, those of each segment sorted, to `keys_out`, and the items along with them to
/// `items_out`; keys and items stay as they are. Outputs have as many values as there are keys, and
/// lie apart from each other and from what is read.
template <device_place Where, values Keys, values Items, sortable_segments Segments,
          sortable KeysOut, sortable ItemsOut, no_values Less = ascending>
  requires std::same_as<value_of<Keys>, value_of<KeysOut>> &&
           std::same_as<value_of<Items>, value_of<ItemsOut>>
status segmented_stable_sort_by_key(const Where& where, const Keys& keys, const Items& items,
                                    const Segments& segments, KeysOut&& keys_out,
                                    ItemsOut&& items_out, Less less = {},
                                    std::size_t* refused = nullptr) {
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
    return detail::sort_in_segments(where, rows, std::ranges::size(keys), segments, refused, less);
  } else {
    return {};
  }
}

/// Writes where the keys would go: indices[offsets[s]] is the index in `keys` of the key that comes
/// first in segment s, and so on; of a key in no segment its own. Indices are integers of 4 or 8
/// bytes that can count the keys; there are as many, and they lie apart from the keys.
template <device_place Where, values Keys, sortable_segments Segments, sortable Indices,
          no_values Less = ascending>
  requires index_type<value_of<Indices>>
status segmented_argsort(const Where& where, const Keys& keys, const Segments& segments,
                         Indices&& indices, Less less = {}, std::size_t* refused = nullptr) {
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
    using I = value_of<Indices>;
    const detail::memory_size memory{
        segmented_argsort_temp_storage_bytes<value_of<Keys>, I>(n),
        "the temp_storage is smaller than segmented_argsort_temp_storage_bytes<K, I>(n, segments)"};
    const auto sort = [&](const detail::work_place& place, const auto& given) {
      return detail::argsort_segments(place, rows.keys, rows.values, n, given, less);
    };
    return detail::segmented_sort_call<Where, decltype(sort)>{where, n, refused, memory, sort}.on(
        segments);
  } else {
    return {};
  }
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
