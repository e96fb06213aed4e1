// Rows in a rank's host memory, and many sorted runs of them, one behind the other, merged to one.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "warpfold/host/detail/key_values.hpp"
#include "warpfold/host/detail/merge_runs.hpp"

namespace warpfold::inline WARPFOLD_MACHINE::ranks_detail {

/// Host memory for n rows; Item is void where there is no column of items.
template <class Key, class Item>
struct row_buffer {
  explicit row_buffer(std::size_t n) : keys(n), items(n) {}
  host_detail::uninitialized_buffer<Key> keys;
  host_detail::uninitialized_buffer<Item> items;
  [[nodiscard]] host_detail::key_value_view<Key, Item> rows() const {
    return {keys.data(), items.data()};
  }
};
template <class Key>
struct row_buffer<Key, void> {
  explicit row_buffer(std::size_t n) : keys(n) {}
  host_detail::uninitialized_buffer<Key> keys;
  [[nodiscard]] host_detail::key_value_view<Key, void> rows() const { return {keys.data()}; }
};

template <class Rows>
struct buffer_for;
template <class Key, class Item>
struct buffer_for<host_detail::key_value_view<Key, Item>> {
  using type = row_buffer<Key, Item>;
};
template <class Rows>
using buffer_of = typename buffer_for<Rows>::type;

template <class Key, class Item>
std::span<const Key> keys_of(const host_detail::key_value_view<Key, Item>& rows, std::size_t n) {
  return {rows.key, n};
}

/// Merges the runs [bounds[i], bounds[i + 1]) of `from`; of equal keys, those of the first run come
/// first. Returns whether the rows are in `spare` at the end. `bounds` is used up.
template <class Where, class Rows, class Less>
bool merge_runs(const Where& where, Rows from, Rows spare, std::vector<std::size_t> bounds,
                const Less& less) {
  bool in_spare = false;
  host_detail::leave_out_empty_runs(bounds);
  while (bounds.size() > 2) {
    host_detail::merge_pairs(where, from, spare, bounds, less);
    std::swap(from, spare);
    in_spare = !in_spare;
  }
  return in_spare;
}

}  // namespace warpfold::inline WARPFOLD_MACHINE::ranks_detail
