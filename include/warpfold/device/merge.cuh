// The merges of a CUDA device: stream-ordered, one launch each, two beyond 2^23 rows.
//
//   merge(device.on(stream), a, b, out)
//   merge_by_key(device.on(stream), a, a_items, b, b_items, keys_out, items_out, descending{})
//
// They never synchronise and can be captured in a graph. Beyond 2^23 rows they take 8 bytes of
// stream-ordered memory for each tile of some thousand rows; else none. Both ranges are sorted in
// the order of the call, as a sort leaves them (NaN is the greatest); equal keys of the first come
// before those of the second, each in their order. A call returns a status and writes nothing if an
// output is too short or overlaps another range, or if the items are not as many as their keys. The
// rest of a longer output stays unchanged. That the ranges are sorted is not checked (is_sorted
// does that): otherwise the result is undefined.
#pragma once

#include <concepts>
#include <utility>

#include "warpfold/device/detail/refused_calls.cuh"
#include "warpfold/device/detail/requirements.hpp"
#include "warpfold/device/merge/kernel.cuh"
#include "warpfold/sorted_ranges.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

/// Merges the sorted keys of a and b into `out`.
template <device_place Where, values A, values B, sortable Out, no_values Less = ascending>
  requires std::same_as<value_of<A>, value_of<Out>> && std::same_as<value_of<B>, value_of<Out>>
status merge(const Where& where, const A& a, const B& b, Out&& out, Less less = {}) {
  if constexpr (detail::can_sort<Less, A, B>() && detail::can_write<Out>()) {
    if (const status s = detail::refuse_merge(a, b, out); !s.ok()) return s;
    return detail::merge_runs(detail::rows_of(a), std::ranges::size(a), detail::rows_of(b),
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
    return detail::merge_runs(detail::rows_of(a, a_items), std::ranges::size(a),
                              detail::rows_of(b, b_items), std::ranges::size(b),
                              detail::rows_of(keys_out, items_out), less, where.stream());
  } else {
    return {};
  }
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
