// Merges of sorted ranges on the host's threads: merge, merge_by_key of two ranges; merge_runs,
// merge_runs_by_key of many runs in one range.
//
// All ranges and runs are sorted in the order of the call, as a sort leaves them (NaN is the
// greatest); equal keys of the first come before those of the second, each in their order. Threads
// share the result equally: the merge path gives the start of each share. The result is the same
// for any number of threads, and that of warpfold::device. Keys and items are moved as bytes. Calls
// that the device refuses throw usage_error here and write nothing. The rest of a longer output
// stays unchanged. That the ranges are sorted is not checked (is_sorted does that).
//
// Run i is values[offsets[i]] to values[offsets[i + 1] - 1]: `offsets` has one more than there are
// runs, integers that never decrease. Runs merge in pairs, in log2(runs) rounds; of more than two,
// a second copy of keys and items is allocated for the call (std::bad_alloc).
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "warpfold/host/detail/merge_runs.hpp"
#include "warpfold/host/detail/segments.hpp"
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

/// Merges the runs of `in`. make_spare(n) gives room for n rows, where there are more than two
/// runs.
template <class Where, class Offset, class Rows, class Less, class MakeSpare>
void merge_all_runs(const Where& where, std::span<const Offset> offsets, Rows in, Rows out,
                    const Less& less, const MakeSpare& make_spare) {
  std::vector<std::size_t> bounds(offsets.size());
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    bounds[i] = static_cast<std::size_t>(offsets[i]) - static_cast<std::size_t>(offsets[0]);
  }
  leave_out_empty_runs(bounds);
  if (bounds.size() < 2) return;
  Rows from = in + static_cast<std::size_t>(offsets[0]);
  const auto merge_to = [&](Rows to) {
    merge_pairs(where, from, to, bounds, less);
    from = to;
  };
  if (bounds.size() > 3) {
    const auto spare = make_spare(bounds.back());
    bool to_spare = std::bit_width(bounds.size() - 2) % 2 == 0;  // the last round ends in `out`
    for (; bounds.size() > 3; to_spare = !to_spare) merge_to(to_spare ? spare.rows() : out);
    merge_to(out);
  } else {
    merge_to(out);
  }
}

/// A second copy of rows.
template <class K, class V>
struct spare_rows {
  uninitialized_buffer<K> keys;
  uninitialized_buffer<V> items;

  explicit spare_rows(std::size_t n) : keys(n), items(n) {}
  [[nodiscard]] key_value_view<K, V> rows() const { return {keys.data(), items.data()}; }
};
template <class K>
struct spare_rows<K, void> {
  uninitialized_buffer<K> keys;

  explicit spare_rows(std::size_t n) : keys(n) {}
  [[nodiscard]] key_value_view<K, void> rows() const { return {keys.data()}; }
};

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

/// Merges the runs of sorted keys that `offsets` has in `keys` to the beginning of `out`; of equal
/// keys, those of an earlier run come first. Throws usage_error if an offset is less than the one
/// before or exceeds the number of keys, or `out` is shorter than `keys` or overlaps it.
template <host_place Where, values Keys, values Offsets, sortable Out, no_values Less = ascending>
  requires std::same_as<value_of<Keys>, value_of<Out>> && std::integral<value_of<Offsets>> &&
           std::predicate<const Less&, const value_of<Keys>&, const value_of<Keys>&>
void merge_runs(Where where, const Keys& keys, const Offsets& offsets, Out&& out, Less less = {}) {
  constexpr const char* call = "warpfold::merge_runs(host, keys, offsets, out)";
  host_detail::check_sort<value_of<Keys>>(call, less);
  host_detail::check_offsets("merge_runs(host, keys, offsets, out)", view(offsets),
                             std::ranges::size(keys));
  host_detail::throw_refused(call, detail::refuse_merge_runs(keys, offsets, out));
  host_detail::merge_all_runs(
      where, view(offsets), host_detail::merge_rows_of(keys), host_detail::merge_rows_of(out), less,
      [](std::size_t n) { return host_detail::spare_rows<value_of<Keys>, void>(n); });
}

/// The same to `keys_out`, and the items along with the keys to `items_out`. Throws usage_error
/// also if there are not as many items as keys.
template <host_place Where, values Keys, values Items, values Offsets, sortable KeysOut,
          sortable ItemsOut, no_values Less = ascending>
  requires std::same_as<value_of<Keys>, value_of<KeysOut>> &&
           std::same_as<value_of<Items>, value_of<ItemsOut>> && std::integral<value_of<Offsets>> &&
           std::predicate<const Less&, const value_of<Keys>&, const value_of<Keys>&>
void merge_runs_by_key(Where where, const Keys& keys, const Items& items, const Offsets& offsets,
                       KeysOut&& keys_out, ItemsOut&& items_out, Less less = {}) {
  constexpr const char* call =
      "warpfold::merge_runs_by_key(host, keys, items, offsets, keys_out, items_out)";
  host_detail::check_sort<value_of<Keys>>(call, less);
  host_detail::check_offsets("merge_runs_by_key(host, keys, items, offsets, keys_out, items_out)",
                             view(offsets), std::ranges::size(keys));
  host_detail::throw_refused(call,
                             detail::refuse_merge_runs(keys, items, offsets, keys_out, items_out));
  host_detail::merge_all_runs(
      where, view(offsets), host_detail::merge_rows_of(keys, items),
      host_detail::merge_rows_of(keys_out, items_out), less,
      [](std::size_t n) { return host_detail::spare_rows<value_of<Keys>, value_of<Items>>(n); });
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
