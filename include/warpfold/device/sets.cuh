// The set operations of a CUDA device on two sorted ranges: set_union, set_intersection,
// set_difference, set_symmetric_difference, and the same _by_key, in one pass over memory. Each
// call has two forms:
//
//   set_union(device.on(stream).with(memory), a, b, out, selected)   returns at once; a status
//   n = set_union(device.on(stream), a, b, out)                      waits for the number; throws
//
//   n = set_union_by_key(on, a, a_items, b, b_items, keys_out, items_out)
//   n = set_intersection_by_key(on, a, a_items, b, keys_out, items_out)
//
// As in the standard library: of equal keys, m in a and n in b, the union has all of a and then the
// last of b, max(m, n) in all; the intersection the first min(m, n) of a; the difference the last
// of a, those beyond n; the symmetric difference the last |m - n| of the range that has more. Both
// ranges are sorted in the order of the call, as a sort leaves them (NaN is the greatest);
// otherwise the result is undefined. Keys are trivially copyable, of at most 32 bytes.
//
// By key, each key that is kept has the item of its own range, as Thrust's has its value. An
// intersection and a difference keep keys of a alone, and take no items of b. Items are trivially
// copyable, of any size; those of keys that are not kept are not read.
//
// The first form leaves the number of keys in `*selected`, device memory. It never synchronises and
// can be captured in a graph. With a workspace (set_workspace_bytes) it allocates nothing up to
// 2^23 keys in all, and beyond that 8 bytes of stream-ordered memory for each tile of some thousand
// keys. Outputs must not overlap another range, and there are as many items as keys: the call
// returns a status otherwise and writes nothing. If an output is too short, as many rows are
// written as fit, and `*selected` is the number of all; the second form throws usage_error then.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <type_traits>

#include "warpfold/device/detail/refused_calls.cuh"
#include "warpfold/device/detail/requirements.hpp"
#include "warpfold/device/select.cuh"
#include "warpfold/device/sets/kernel.cuh"
#include "warpfold/set_operations.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

/// Bytes of workspace for a set operation on up to n keys of K in all.
template <class K>
constexpr std::size_t set_workspace_bytes(std::size_t n) {
  return detail::set_operation_bytes<K>(n);
}

namespace detail {

template <class A, class B, class Out>
concept same_keys =
    std::same_as<value_of<A>, value_of<Out>> && std::same_as<value_of<B>, value_of<Out>>;

template <class Operation, device_place Where, values A, values B, values Out, class Less>
status operate_on_sets(const Where& where, const A& a, const B& b, Out&& out, std::size_t* selected,
                       Less less) {
  if constexpr (can_sort<Less, A, B>() && can_write<Out>()) {
    using key = value_of<A>;
    static_assert(moves_key<key>, "keys of a set operation have at most 32 bytes");
    if (const status s = refuse_set_operation(a, b, out); !s.ok()) return s;
    return set_operate<Operation>(
        for_cleared(where),
        set_problem<key, keys_only>{rows_of(a), std::ranges::size(a), rows_of(b),
                                    std::ranges::size(b), rows_of(out), std::ranges::size(out),
                                    selected},
        less);
  } else {
    return {};
  }
}
template <class Operation, device_place Where, values A, values B, values Out, class Less>
std::size_t count_of_sets(const Where& where, const char* name, const A& a, const B& b, Out&& out,
                          Less less) {
  return counted(where, name, std::ranges::size(a) + std::ranges::size(b), std::ranges::size(out),
                 [&](std::size_t* selected) {
                   return operate_on_sets<Operation>(where, a, b, out, selected, less);
                 });
}

template <class A, class AItems, class B, class BItems, class Out, class ItemsOut>
concept same_rows = same_keys<A, B, Out> && same_keys<AItems, BItems, ItemsOut>;

template <class KeysOut, class ItemsOut>
std::size_t room_of_rows(const KeysOut& keys_out, const ItemsOut& items_out) {
  return std::min<std::size_t>(std::ranges::size(keys_out), std::ranges::size(items_out));
}

/// `b_items`: where keys of b may be kept.
template <class Operation, device_place Where, class Less, values A, values AItems, values B,
          values KeysOut, values ItemsOut, values... BItems>
status operate_on_rows(const Where& where, std::size_t* selected, Less less, const A& a,
                       const AItems& a_items, const B& b, KeysOut&& keys_out, ItemsOut&& items_out,
                       const BItems&... b_items) {
  if constexpr (can_sort<Less, A, AItems>() && can_sort<Less, B, BItems...>() &&
                can_write<KeysOut>() && can_write<ItemsOut>()) {
    using key = value_of<A>;
    static_assert(moves_key<key>, "keys of a set operation have at most 32 bytes");
    const status s = refuse_set_operation_by_key(a, a_items, b, keys_out, items_out, b_items...);
    if (!s.ok()) return s;
    const auto rows = rows_of(a, a_items), out = rows_of(keys_out, items_out);
    auto rows_of_b = rows;
    if constexpr (sizeof...(BItems) == 0) {
      rows_of_b = {rows_of(b).keys, nullptr};
    } else {
      rows_of_b = rows_of(b, b_items...);
    }
    using item = typename decltype(rows_of(a, a_items))::value_type;
    return set_operate<Operation>(
        for_cleared(where),
        set_problem<key, item>{rows, std::ranges::size(a), rows_of_b, std::ranges::size(b), out,
                               room_of_rows(keys_out, items_out), selected},
        less);
  } else {
    return {};
  }
}
template <class Operation, device_place Where, class Less, values A, values AItems, values B,
          values KeysOut, values ItemsOut, values... BItems>
std::size_t count_of_rows(const Where& where, const char* name, Less less, const A& a,
                          const AItems& a_items, const B& b, KeysOut&& keys_out,
                          ItemsOut&& items_out, const BItems&... b_items) {
  return counted(where, name, std::ranges::size(a) + std::ranges::size(b),
                 room_of_rows(keys_out, items_out), [&](std::size_t* selected) {
                   return operate_on_rows<Operation>(where, selected, less, a, a_items, b, keys_out,
                                                     items_out, b_items...);
                 });
}

}  // namespace detail

/// Keys that are in a or in b.
template <device_place Where, values A, values B, values Out, class Less = ascending>
  requires detail::same_keys<A, B, Out>
status set_union(const Where& where, const A& a, const B& b, Out&& out, std::size_t* selected,
                 Less less = {}) {
  return detail::operate_on_sets<detail::set_union_of>(where, a, b, out, selected, less);
}
/// The same; returns their number.
template <device_place Where, values A, values B, values Out, class Less = ascending>
  requires(detail::same_keys<A, B, Out> && !std::is_pointer_v<Less>)
std::size_t set_union(const Where& where, const A& a, const B& b, Out&& out, Less less = {}) {
  return detail::count_of_sets<detail::set_union_of>(where, "set_union", a, b, out, less);
}

/// Keys of a that are in b, too.
template <device_place Where, values A, values B, values Out, class Less = ascending>
  requires detail::same_keys<A, B, Out>
status set_intersection(const Where& where, const A& a, const B& b, Out&& out,
                        std::size_t* selected, Less less = {}) {
  return detail::operate_on_sets<detail::set_intersection_of>(where, a, b, out, selected, less);
}
/// The same; returns their number.
template <device_place Where, values A, values B, values Out, class Less = ascending>
  requires(detail::same_keys<A, B, Out> && !std::is_pointer_v<Less>)
std::size_t set_intersection(const Where& where, const A& a, const B& b, Out&& out,
                             Less less = {}) {
  return detail::count_of_sets<detail::set_intersection_of>(where, "set_intersection", a, b, out,
                                                            less);
}

/// Keys of a that are not in b.
template <device_place Where, values A, values B, values Out, class Less = ascending>
  requires detail::same_keys<A, B, Out>
status set_difference(const Where& where, const A& a, const B& b, Out&& out, std::size_t* selected,
                      Less less = {}) {
  return detail::operate_on_sets<detail::set_difference_of>(where, a, b, out, selected, less);
}
/// The same; returns their number.
template <device_place Where, values A, values B, values Out, class Less = ascending>
  requires(detail::same_keys<A, B, Out> && !std::is_pointer_v<Less>)
std::size_t set_difference(const Where& where, const A& a, const B& b, Out&& out, Less less = {}) {
  return detail::count_of_sets<detail::set_difference_of>(where, "set_difference", a, b, out, less);
}

/// Keys that are in one of a and b.
template <device_place Where, values A, values B, values Out, class Less = ascending>
  requires detail::same_keys<A, B, Out>
status set_symmetric_difference(const Where& where, const A& a, const B& b, Out&& out,
                                std::size_t* selected, Less less = {}) {
  return detail::operate_on_sets<detail::set_symmetric_difference_of>(where, a, b, out, selected,
                                                                      less);
}
/// The same; returns their number.
template <device_place Where, values A, values B, values Out, class Less = ascending>
  requires(detail::same_keys<A, B, Out> && !std::is_pointer_v<Less>)
std::size_t set_symmetric_difference(const Where& where, const A& a, const B& b, Out&& out,
                                     Less less = {}) {
  return detail::count_of_sets<detail::set_symmetric_difference_of>(
      where, "set_symmetric_difference", a, b, out, less);
}

/// Rows of a or of b.
template <device_place Where, values A, values AItems, values B, values BItems, values KeysOut,
          values ItemsOut, no_values Less = ascending>
  requires detail::same_rows<A, AItems, B, BItems, KeysOut, ItemsOut>
status set_union_by_key(const Where& where, const A& a, const AItems& a_items, const B& b,
                        const BItems& b_items, KeysOut&& keys_out, ItemsOut&& items_out,
                        std::size_t* selected, Less less = {}) {
  return detail::operate_on_rows<detail::set_union_of>(where, selected, less, a, a_items, b,
                                                       keys_out, items_out, b_items);
}
/// The same; returns their number.
template <device_place Where, values A, values AItems, values B, values BItems, values KeysOut,
          values ItemsOut, no_values Less = ascending>
  requires(detail::same_rows<A, AItems, B, BItems, KeysOut, ItemsOut> && !std::is_pointer_v<Less>)
std::size_t set_union_by_key(const Where& where, const A& a, const AItems& a_items, const B& b,
                             const BItems& b_items, KeysOut&& keys_out, ItemsOut&& items_out,
                             Less less = {}) {
  return detail::count_of_rows<detail::set_union_of>(where, "set_union_by_key", less, a, a_items, b,
                                                     keys_out, items_out, b_items);
}

/// Rows of a whose keys are in b, too.
template <device_place Where, values A, values AItems, values B, values KeysOut, values ItemsOut,
          no_values Less = ascending>
  requires detail::same_rows<A, AItems, B, AItems, KeysOut, ItemsOut>
status set_intersection_by_key(const Where& where, const A& a, const AItems& a_items, const B& b,
                               KeysOut&& keys_out, ItemsOut&& items_out, std::size_t* selected,
                               Less less = {}) {
  return detail::operate_on_rows<detail::set_intersection_of>(where, selected, less, a, a_items, b,
                                                              keys_out, items_out);
}
/// The same; returns their number.
template <device_place Where, values A, values AItems, values B, values KeysOut, values ItemsOut,
          no_values Less = ascending>
  requires(detail::same_rows<A, AItems, B, AItems, KeysOut, ItemsOut> && !std::is_pointer_v<Less>)
std::size_t set_intersection_by_key(const Where& where, const A& a, const AItems& a_items,
                                    const B& b, KeysOut&& keys_out, ItemsOut&& items_out,
                                    Less less = {}) {
  return detail::count_of_rows<detail::set_intersection_of>(where, "set_intersection_by_key", less,
                                                            a, a_items, b, keys_out, items_out);
}

/// Rows of a whose keys are not in b.
template <device_place Where, values A, values AItems, values B, values KeysOut, values ItemsOut,
          no_values Less = ascending>
  requires detail::same_rows<A, AItems, B, AItems, KeysOut, ItemsOut>
status set_difference_by_key(const Where& where, const A& a, const AItems& a_items, const B& b,
                             KeysOut&& keys_out, ItemsOut&& items_out, std::size_t* selected,
                             Less less = {}) {
  return detail::operate_on_rows<detail::set_difference_of>(where, selected, less, a, a_items, b,
                                                            keys_out, items_out);
}
/// The same; returns their number.
template <device_place Where, values A, values AItems, values B, values KeysOut, values ItemsOut,
          no_values Less = ascending>
  requires(detail::same_rows<A, AItems, B, AItems, KeysOut, ItemsOut> && !std::is_pointer_v<Less>)
std::size_t set_difference_by_key(const Where& where, const A& a, const AItems& a_items, const B& b,
                                  KeysOut&& keys_out, ItemsOut&& items_out, Less less = {}) {
  return detail::count_of_rows<detail::set_difference_of>(where, "set_difference_by_key", less, a,
                                                          a_items, b, keys_out, items_out);
}

/// Rows whose keys are in one of a and b.
template <device_place Where, values A, values AItems, values B, values BItems, values KeysOut,
          values ItemsOut, no_values Less = ascending>
  requires detail::same_rows<A, AItems, B, BItems, KeysOut, ItemsOut>
status set_symmetric_difference_by_key(const Where& where, const A& a, const AItems& a_items,
                                       const B& b, const BItems& b_items, KeysOut&& keys_out,
                                       ItemsOut&& items_out, std::size_t* selected,
                                       Less less = {}) {
  return detail::operate_on_rows<detail::set_symmetric_difference_of>(
      where, selected, less, a, a_items, b, keys_out, items_out, b_items);
}
/// The same; returns their number.
template <device_place Where, values A, values AItems, values B, values BItems, values KeysOut,
          values ItemsOut, no_values Less = ascending>
  requires(detail::same_rows<A, AItems, B, BItems, KeysOut, ItemsOut> && !std::is_pointer_v<Less>)
std::size_t set_symmetric_difference_by_key(const Where& where, const A& a, const AItems& a_items,
                                            const B& b, const BItems& b_items, KeysOut&& keys_out,
                                            ItemsOut&& items_out, Less less = {}) {
  return detail::count_of_rows<detail::set_symmetric_difference_of>(
      where, "set_symmetric_difference_by_key", less, a, a_items, b, keys_out, items_out, b_items);
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
