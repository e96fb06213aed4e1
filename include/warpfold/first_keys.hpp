// What calls for the first k keys have in common on device and host: in which order the k are left,
// and what is refused.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>

#include "warpfold/bitwise_order.hpp"
#include "warpfold/columns.hpp"
#include "warpfold/ranges.hpp"
#include "warpfold/status.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

/// The first k are left in the order of the call: the first of all first, equal keys by their
/// indices.
struct in_key_order {};
/// The same k keys are left in the order in which they stand in the input.
struct in_input_order {};

/// How the first k are left.
template <class T>
concept arrangement = std::same_as<T, in_key_order> || std::same_as<T, in_input_order>;

/// An order whose first keys can be asked for: `ascending`, the smallest, or `descending`, the
/// largest; of integers also std::less and std::greater.
template <class Order, class K>
concept order_of_first =
    !std::is_void_v<decltype(detail::bitwise_order<Order, K>())> && sizeof(K) <= 8;

namespace detail {

inline constexpr char first_keys_overlap[] = "the output of the first keys overlaps what is read";

/// Keys in rows, and the outputs for the first k of each.
inline status refuse_first(std::size_t rows, std::size_t columns, std::size_t k, const column& keys,
                           std::span<const column> outputs) {
  if (!holds_rows(keys.count, rows, columns)) {
    return {1, "the keys are not rows * columns", values_in_rows(rows, columns), keys.count,
            "keys"};
  }
  if (k > columns) return {1, "there are fewer than k keys in a row", k, columns, "keys"};
  for (const column& out : outputs) {
    if (out.count < values_in_rows(rows, k)) {
      return {1, "an output has no room for the first k of each row", values_in_rows(rows, k),
              out.count, out.unit};
    }
    if (out.meets(keys)) return {1, out.overlaps};
  }
  return {};
}

/// As many items as keys, which the outputs lie apart from; outputs lie apart from each other.
inline status refuse_items(std::size_t keys, const column& items, std::span<const column> outputs) {
  if (items.count != keys) {
    return {1, "there are not as many items as keys", keys, items.count, "items"};
  }
  for (const column& out : outputs) {
    if (out.meets(items) || (&out != outputs.data() && out.meets(outputs[0]))) {
      return {1, out.overlaps};
    }
  }
  return {};
}

template <index_type Index>
status refuse_indices(std::size_t columns) {
  if (columns <= most_indexed<Index>) return {};
  return {1, "the indices are too narrow for so many keys", columns, most_indexed<Index>, "keys"};
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
