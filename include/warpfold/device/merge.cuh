// The merges of a CUDA device: stream-ordered.
//
//   merge(device.on(stream), a, b, out)
//   merge_by_key(device.on(stream), a, a_items, b, b_items, keys_out, items_out, descending{})
//   merge_runs(device.on(stream).with(memory), keys, offsets, out)
//   merge_runs_by_key(device.on(stream), keys, items, offsets, keys_out, items_out)
//
// They never synchronise and can be captured in a graph. All ranges and runs are sorted in the
// order of the call, as a sort leaves them (NaN is the greatest); equal keys of the first come
// before those of the second, each in their order. A call returns a status and writes nothing if an
// output is too short or overlaps another range, or if the items are not as many as their keys. The
// rest of a longer output stays unchanged. That the ranges are sorted is not checked (is_sorted
// does that): otherwise the result is undefined.
//
// Merges of two are one launch, two beyond 2^23 rows; then they take 8 bytes of stream-ordered
// memory for each tile of some thousand rows, else none. Merges of runs take two launches a pass,
// and two more where runs are counted; a pass leaves an eighth as many runs, or a quarter of up to
// 4 and of 9 to 16. With temp_storage (merge_runs_temp_storage_bytes) they allocate nothing.
//
// Run i is keys[offsets[i]] to keys[offsets[i + 1] - 1]: `offsets` has one more than there are
// runs, integers of any type that never decrease, in device memory. Offsets that decrease or exceed
// the number of keys are found on the device: nothing is written then, and `*refused`, if given, is
// the number of runs with such an offset, otherwise 0.
#pragma once

#include <concepts>
#include <utility>

#include "warpfold/device/detail/refused_calls.cuh"
#include "warpfold/device/detail/requirements.hpp"
#include "warpfold/device/merge/kernel.cuh"
#include "warpfold/device/merge/passes.cuh"
#include "warpfold/sorted_ranges.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

/// Bytes of temp_storage for a merge of `runs` runs of up to n keys of K in all, alone.
template <class K>
constexpr std::size_t merge_runs_temp_storage_bytes(std::size_t n, std::size_t runs) {
  return detail::merge_runs_bytes<K, detail::keys_only>(n, runs);
}
/// The same with an item of V each.
template <class K, class V>
constexpr std::size_t merge_runs_temp_storage_bytes(std::size_t n, std::size_t runs) {
  return detail::merge_runs_bytes<K, detail::item_word<V>>(n, runs);
}

/// Merges the sorted keys of a and b into `out`.
template <device_place Where, values A, values B, sortable Out, no_values Less = ascending>
  requires std::same_as<value_of<A>, value_of<Out>> && std::same_as<value_of<B>, value_of<Out>>
status merge(const Where& where, const A& a, const B& b, Out&& out, Less less = {}) {
  if constexpr (detail::can_sort<Less, A, B>() && detail::can_write<Out>()) {
    if (const status s = detail::refuse_merge(a, b, out); !s.ok()) return s;
    return detail::merge_two_runs(detail::rows_of(a), std::ranges::size(a), detail::rows_of(b),
                                  std::ranges::size(b), detail::rows_of(out), less, where.stream());
  } else {
    return {};
  }
}

/// Merges the sorted keys of a and b into `keys_out`, and the items along with them into
/// `items_out`.
template <device_place Where, values A, values AItems, values B, values BItems, sortable KeysOut,
          sortable ItemsOut, no_values Less = ascending>
  requires std::same_as<value_of<A>, value_of<KeysOut>> &&
           std::same_as<value_of<B>, value_of<KeysOut>> &&
           std::same_as<value_of<AItems>, value_of<ItemsOut>> &&
           std::same_as<value_of<BItems>, value_of<ItemsOut>>
status merge_by_key(const Where& where, const A& a, const AItems& a_items, const B& b,
                    const BItems& b_items, KeysOut&& keys_out, ItemsOut&& items_out,
                    Less less = {}) {
  if constexpr (detail::can_sort<Less, A, AItems>() && detail::can_sort<Less, B, BItems>() &&
                detail::can_write<KeysOut>() && detail::can_write<ItemsOut>()) {
    const status s = detail::refuse_merge(a, a_items, b, b_items, keys_out, items_out);
    if (!s.ok()) return s;
    return detail::merge_two_runs(detail::rows_of(a, a_items), std::ranges::size(a),
                                  detail::rows_of(b, b_items), std::ranges::size(b),
                                  detail::rows_of(keys_out, items_out), less, where.stream());
  } else {
    return {};
  }
}

namespace detail {

template <values Offsets>
run_offsets<value_of<Offsets>> runs_of(const Offsets& offsets, std::size_t n) {
  const auto all = device_view(offsets);
  return {all.data(), all.empty() ? 0 : all.size() - 1, n};
}

}  // namespace detail

/// Merges the runs of sorted keys that `offsets` has in `keys` to the beginning of `out`, which has
/// room for all keys; of equal keys, those of an earlier run come first.
template <device_place Where, values Keys, values Offsets, sortable Out, no_values Less = ascending>
  requires std::same_as<value_of<Keys>, value_of<Out>> && std::integral<value_of<Offsets>>
status merge_runs(const Where& where, const Keys& keys, const Offsets& offsets, Out&& out,
                  Less less = {}, std::size_t* refused = nullptr) {
  if constexpr (detail::can_sort<Less, Keys>() && detail::can_write<Out>()) {
    const status s = detail::refuse_merge_runs(keys, offsets, out);
    if (!s.ok()) return s;
    return detail::merge_runs(detail::for_sorts(where), detail::rows_of(keys), detail::rows_of(out),
                              detail::runs_of(offsets, std::ranges::size(keys)), less, refused);
  } else {
    return {};
  }
}

/// The same to `keys_out`, and the items along with the keys to `items_out`.
template <device_place Where, values Keys, values Items, values Offsets, sortable KeysOut,
          sortable ItemsOut, no_values Less = ascending>
  requires std::same_as<value_of<Keys>, value_of<KeysOut>> &&
           std::same_as<value_of<Items>, value_of<ItemsOut>> && std::integral<value_of<Offsets>>
status merge_runs_by_key(const Where& where, const Keys& keys, const Items& items,
                         const Offsets& offsets, KeysOut&& keys_out, ItemsOut&& items_out,
                         Less less = {}, std::size_t* refused = nullptr) {
  if constexpr (detail::can_sort<Less, Keys, Items>() && detail::can_write<KeysOut>() &&
                detail::can_write<ItemsOut>()) {
    const status s = detail::refuse_merge_runs(keys, items, offsets, keys_out, items_out);
    if (!s.ok()) return s;
    return detail::merge_runs(detail::for_sorts(where), detail::rows_of(keys, items),
                              detail::rows_of(keys_out, items_out),
                              detail::runs_of(offsets, std::ranges::size(keys)), less, refused);
  } else {
    return {};
  }
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
