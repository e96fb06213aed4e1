// Merges of two sorted ranges on the host's threads: merge, merge_by_key.
//
// Both ranges are sorted in the order of the call, as a sort leaves them (NaN is the greatest);
// equal keys of the first come before those of the second, each in their order. Threads share the
// result equally: the merge path gives the start of each share. The result is the same for any
// number of threads, and that of warpfold::device. Keys and items are moved as bytes. Calls that
// the device refuses throw usage_error here and write nothing. The rest of a longer output stays
// unchanged. That the ranges are sorted is not checked (is_sorted does that).
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <type_traits>

#include "warpfold/host/sort.hpp"
#include "warpfold/sorted_ranges.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace host_detail {

/// Merges n rows of a and m rows of b.
template <class Rows, class Less>
void merge_rows(Rows a, std::size_t n, Rows b, std::size_t m, Rows to, const Less& less) {
  std::size_t i = 0, j = 0;
  while (i < n && j < m) {
    const std::size_t second = as_number(less(b.key[j], a.key[i]));
    const Rows from{second != 0 ? b + j : a + i};
    from.move(0, to, i + j);
    j += second;
    i += 1 - second;
  }
  if (i < n) (a + i).copy(n - i, to + (i + j));
  if (j < m) (b + j).copy(m - j, to + (n + j));
}

/// The same by all threads.
template <class Where, class Rows, class Less>
void merge_shares(const Where& where, Rows a, std::size_t n, Rows b, std::size_t m, Rows to,
                  const Less& less) {
  constexpr std::size_t share = tuning_of<Where>::merge_share;
  if (n + m <= share) return merge_rows(a, n, b, m, to, less);
  run_on(where, [&] {
    for_each_index((n + m - 1) / share + 1, [&](std::size_t part) {
      const std::size_t begin = part * share, end = std::min(n + m, begin + share);
      const std::size_t i = merge_path(a, n, b, m, begin, less);
      const std::size_t i_end = merge_path(a, n, b, m, end, less);
      merge_rows(a + i, i_end - i, b + (begin - i), (end - i_end) - (begin - i), to + begin, less);
    });
  });
}

/// The keys of a range that is only read.
template <values Keys>
auto merge_rows_of(const Keys& keys) {
  using key = value_of<Keys>;
  return key_value_view<key, void>{const_cast<key*>(std::ranges::data(keys))};
}
/// The same and their items.
template <values Keys, values Items>
auto merge_rows_of(const Keys& keys, const Items& items) {
  using key = value_of<Keys>;
  using item = value_of<Items>;
  return key_value_view<key, item>{const_cast<key*>(std::ranges::data(keys)),
                                   const_cast<item*>(std::ranges::data(items))};
}

}  // namespace host_detail

/// Merges the sorted keys of a and b into `out`. Throws usage_error if `out` is too short or
/// overlaps one of them.
template <host_place Where, values A, values B, sortable Out, no_values Less = ascending>
  requires std::same_as<value_of<A>, value_of<Out>> && std::same_as<value_of<B>, value_of<Out>> &&
           std::predicate<const Less&, const value_of<A>&, const value_of<A>&>
void merge(Where where, const A& a, const B& b, Out&& out, Less less = {}) {
  constexpr const char* call = "warpfold::merge(host, a, b, out)";
  host_detail::check_sort<value_of<A>>(call, less);
  host_detail::throw_refused(call, detail::refuse_merge(a, b, out));
  host_detail::merge_shares(where, host_detail::merge_rows_of(a), std::ranges::size(a),
                            host_detail::merge_rows_of(b), std::ranges::size(b),
                            host_detail::merge_rows_of(out), less);
}

/// Merges the sorted keys of a and b into `keys_out`, and the items along with them into
/// `items_out`. Throws usage_error if there are not as many items as keys, or an output is too
/// short or overlaps another range.
template <host_place Where, values A, values AItems, values B, values BItems, sortable KeysOut,
          sortable ItemsOut, no_values Less = ascending>
  requires std::same_as<value_of<A>, value_of<KeysOut>> &&
           std::same_as<value_of<B>, value_of<KeysOut>> &&
           std::same_as<value_of<AItems>, value_of<ItemsOut>> &&
           std::same_as<value_of<BItems>, value_of<ItemsOut>> &&
           std::predicate<const Less&, const value_of<A>&, const value_of<A>&>
void merge_by_key(Where where, const A& a, const AItems& a_items, const B& b, const BItems& b_items,
                  KeysOut&& keys_out, ItemsOut&& items_out, Less less = {}) {
  constexpr const char* call =
      "warpfold::merge_by_key(host, a, a_items, b, b_items, keys_out, items_out)";
  host_detail::check_sort<value_of<A>>(call, less);
  host_detail::throw_refused(call,
                             detail::refuse_merge(a, a_items, b, b_items, keys_out, items_out));
  host_detail::merge_shares(where, host_detail::merge_rows_of(a, a_items), std::ranges::size(a),
                            host_detail::merge_rows_of(b, b_items), std::ranges::size(b),
                            host_detail::merge_rows_of(keys_out, items_out), less);
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
