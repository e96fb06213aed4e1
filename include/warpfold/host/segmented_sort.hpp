// Sorts of segments on the host's threads: segmented_sort, segmented_stable_sort_by_key and
// segmented_argsort.
//
// Segment i is keys[offsets[i]] to keys[offsets[i + 1] - 1]: `offsets` has one more than there are
// segments, integers that never decrease. In their place calls take segments_of_length and
// segments_of_lengths (warpfold/segment_forms.hpp). Rows in no segment stay where they are. Threads
// take short segments side by side, and long ones together. Equal keys keep their order. Orders,
// memory and exceptions of an order: as of sort. usage_error: offsets that decrease or exceed the
// number of keys, lengths with such offsets, ranges that do not go together. Nothing is written
// then.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <numeric>
#include <span>

#include "warpfold/columns.hpp"
#include "warpfold/error.hpp"
#include "warpfold/host/detail/segments.hpp"
#include "warpfold/host/sort.hpp"
#include "warpfold/order.hpp"
#include "warpfold/ranges.hpp"
#include "warpfold/segment_forms.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
/// Segments that a sort takes: offsets, or another form in which each follows the one before.
template <class Segments>
concept host_sortable_segments = host_detail::are_integers<Segments> || segments_in_a_row<Segments>;

namespace host_detail {

/// Sorts the rows of each segment; `spare` has room for all.
template <class Engine, class Where, class Rows, class Source, class Less>
void sort_segments(const Where& where, const Rows& rows, const Rows& spare,
                   const merged_segments<Source>& all, const Less& less) {
  for_each_segment(where, all, tuning_of<Where>::merge_share, [&](std::size_t s) {
    const std::size_t begin = all.at(s);
    sort_key_values<Engine>(where, rows + begin, spare + begin, all.at(s + 1) - begin, less);
  });
}
/// In place.
template <class Engine, class Where, class Keys, class Source, class Less>
void sort_keys_of_segments(const Where& where, Keys& keys, const merged_segments<Source>& all,
                           const Less& less) {
  using rows = key_value_view<value_of<Keys>, void>;
  const uninitialized_buffer<value_of<Keys>> spare(
      sorts_by_vqsort<Engine, rows, Less> ? 0 : std::ranges::size(keys));
  sort_segments<Engine>(where, rows{std::ranges::data(keys)}, rows{spare.data()}, all, less);
}
template <class Where, class Keys, class Items, class Source, class Less>
void sort_rows_of_segments(const Where& where, Keys& keys, Items& items,
                           const merged_segments<Source>& all, const Less& less) {
  using rows = key_value_view<value_of<Keys>, value_of<Items>>;
  const uninitialized_buffer<value_of<Keys>> spare_keys(std::ranges::size(keys));
  const uninitialized_buffer<value_of<Items>> spare_items(std::ranges::size(keys));
  sort_segments<by_radix>(where, rows{std::ranges::data(keys), std::ranges::data(items)},
                          rows{spare_keys.data(), spare_items.data()}, all, less);
}

}  // namespace host_detail

#if defined(WARPFOLD_HIGHWAY)
inline namespace with_highway {
#else
inline namespace without_highway {
#endif

/// Sorts the keys of each segment.
template <host_place Where, sortable Keys, host_sortable_segments Segments,
          no_values Less = ascending>
  requires std::predicate<const Less&, const value_of<Keys>&, const value_of<Keys>&>
void segmented_sort(Where where, Keys&& keys, const Segments& segments, Less less = {}) {
  host_detail::check_sort<value_of<Keys>>("warpfold::segmented_sort(host, keys, segments)", less);
  const auto all = host_detail::merge_segments("segmented_sort(host, keys, segments)", segments,
                                               std::ranges::size(keys));
  host_detail::sort_keys_of_segments<host_detail::key_engine>(where, keys, all, less);
}

/// Writes the keys, those of each segment sorted, to `out`; they themselves stay as they are. `out`
/// has as many values as there are keys, and lies apart from them.
template <host_place Where, values Keys, host_sortable_segments Segments, sortable Out,
          no_values Less = ascending>
  requires std::same_as<value_of<Keys>, value_of<Out>>
void segmented_sort(Where where, const Keys& keys, const Segments& segments, Out&& out,
                    Less less = {}) {
  host_detail::check_sort<value_of<Keys>>(
      "warpfold::segmented_sort(host, keys, segments, out)", less, detail::column(keys, "keys"),
      detail::column(out, "keys", "a sort's output overlaps its keys"));
  const auto all = host_detail::merge_segments("segmented_sort(host, keys, segments, out)",
                                               segments, std::ranges::size(keys));
  std::copy_n(std::ranges::data(keys), std::ranges::size(keys), std::ranges::data(out));
  host_detail::sort_keys_of_segments<host_detail::key_engine>(where, out, all, less);
}

}  // namespace with_highway, or without_highway

/// Sorts the keys of each segment and moves items[i] along with keys[i]. There must be as many
/// items as keys.
template <host_place Where, sortable Keys, sortable Items, host_sortable_segments Segments,
          no_values Less = ascending>
  requires std::predicate<const Less&, const value_of<Keys>&, const value_of<Keys>&>
void segmented_stable_sort_by_key(Where where, Keys&& keys, Items&& items, const Segments& segments,
                                  Less less = {}) {
  host_detail::check_sort<value_of<Keys>>(
      "warpfold::segmented_stable_sort_by_key(host, keys, items, segments)", less,
      detail::column(keys, "keys"),
      detail::column(items, "items", "the items of a sort overlap its keys"));
  const auto all =
      host_detail::merge_segments("segmented_stable_sort_by_key(host, keys, items, segments)",
                                  segments, std::ranges::size(keys));
  host_detail::sort_rows_of_segments(where, keys, items, all, less);
}

/// Writes the keys, those of each segment sorted, to `keys_out`, and the items along with them to
/// `items_out`; keys and items stay as they are. Outputs have as many values as there are keys, and
/// lie apart from each other and from what is read.
template <host_place Where, values Keys, values Items, host_sortable_segments Segments,
          sortable KeysOut, sortable ItemsOut, no_values Less = ascending>
  requires std::same_as<value_of<Keys>, value_of<KeysOut>> &&
           std::same_as<value_of<Items>, value_of<ItemsOut>>
void segmented_stable_sort_by_key(Where where, const Keys& keys, const Items& items,
                                  const Segments& segments, KeysOut&& keys_out,
                                  ItemsOut&& items_out, Less less = {}) {
  host_detail::check_sort<value_of<Keys>>(
      "warpfold::segmented_stable_sort_by_key(host, keys, items, segments, keys_out, items_out)",
      less, detail::column(keys, "keys"), detail::column(items, "items"),
      detail::column(keys_out, "keys", "a sort's output of keys overlaps another of its ranges"),
      detail::column(items_out, "items",
                     "a sort's output of items overlaps another of its ranges"));
  const std::size_t n = std::ranges::size(keys);
  const auto all = host_detail::merge_segments(
      "segmented_stable_sort_by_key(host, keys, items, segments, keys_out, items_out)", segments,
      n);
  std::copy_n(std::ranges::data(keys), n, std::ranges::data(keys_out));
  std::copy_n(std::ranges::data(items), n, std::ranges::data(items_out));
  host_detail::sort_rows_of_segments(where, keys_out, items_out, all, less);
}

/// Writes where the keys would go: indices[offsets[s]] is the index in `keys` of the key that comes
/// first in segment s, and so on; of a key in no segment its own. Indices, integers of 4 or 8
/// bytes, can count the keys, are as many and lie apart from them.
template <host_place Where, values Keys, host_sortable_segments Segments, sortable Indices,
          no_values Less = ascending>
  requires index_type<value_of<Indices>>
void segmented_argsort(Where where, const Keys& keys, const Segments& segments, Indices&& indices,
                       Less less = {}) {
  constexpr const char* call = "warpfold::segmented_argsort(host, keys, segments, indices)";
  const std::size_t n = std::ranges::size(keys);
  host_detail::check_argsort(call, less, keys, indices);
  const auto all =
      host_detail::merge_segments("segmented_argsort(host, keys, segments, indices)", segments, n);
  const host_detail::uninitialized_buffer<value_of<Keys>> copy(n);
  const std::span sorted(copy.data(), n);
  std::copy_n(std::ranges::data(keys), n, sorted.data());
  std::iota(std::ranges::begin(indices), std::ranges::end(indices), value_of<Indices>{});
  host_detail::sort_rows_of_segments(where, sorted, indices, all, less);
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
