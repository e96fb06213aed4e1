// Sorts across ranks: each rank sorts its part, exact splitters give each row its rank, one
// all-to-all moves each row once, and the received runs are merged. Stable.
//
//   sort(across(comm, host), keys)              every rank keeps as many rows as it had
//   balanced_sort(across(comm, host), vector)   every rank gets as many as any other, or one more
//
// The ranks' parts, one after the other, are then the sorted rows. In addition to its part a rank
// needs memory for the rows that it receives; while it sorts its own part, for a copy of that. On a
// device the rows pass through the host's memory, since MPI takes them from there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "warpfold/host/sort.hpp"
#include "warpfold/mpi/staging.hpp"
#include "warpfold/mpi/transport.hpp"
#include "warpfold/ranks/sort.hpp"

#if WARPFOLD_HAS_DEVICE
#include "warpfold/device/sort.cuh"
#endif

namespace warpfold::inline WARPFOLD_MACHINE {
namespace mpi_detail {

/// Of parts that the ranks keep.
template <class Where>
std::vector<std::uint64_t> kept_begins(const across_ranks<Where>& place, std::size_t n) {
  return ranks_detail::begins_of(transport(place).all_gather(std::uint64_t{n}));
}
/// Of parts as long as each other, but for one row.
template <class Where>
std::vector<std::uint64_t> balanced_begins(const across_ranks<Where>& place, std::size_t n) {
  return ranks_detail::even_begins(kept_begins(place, n).back(),
                                   static_cast<std::uint64_t>(place.size()));
}

inline void require_items(std::size_t keys, std::size_t items, int rank) {
  if (keys == items) return;
  throw usage_error("warpfold::sort_by_key(across(…), keys, items): ", keys, " keys and ", items,
                    " items on rank ", rank, "; pass as many items as keys");
}

/// The rows of a range of keys, and of items, if there is one.
template <class Keys>
auto rows_of(Keys& keys) {
  return host_detail::key_value_view<value_of<Keys>, void>{std::ranges::data(keys)};
}
template <class Keys, class Items>
auto rows_of(Keys& keys, Items& items) {
  return host_detail::key_value_view<value_of<Keys>, value_of<Items>>{std::ranges::data(keys),
                                                                      std::ranges::data(items)};
}
template <host_place Where, class Less, class Keys>
void sort_here(const Where& where, const Less& less, Keys& keys) {
  stable_sort(where, keys, less);
}
template <host_place Where, class Less, class Keys, class Items>
void sort_here(const Where& where, const Less& less, Keys& keys, Items& items) {
  stable_sort_by_key(where, keys, items, less);
}

/// Columns are ranges of keys, and of items.
template <host_place Where, class Less, class Keys, class... Items>
void sort_in_place(const across_ranks<Where>& place, const Less& less, Keys& keys,
                   Items&... items) {
  const auto rows = rows_of(keys, items...);
  ranks_detail::sort_rows(
      transport(place), std::ranges::size(keys), kept_begins(place, std::ranges::size(keys)), less,
      [&] {
        (require_items(std::ranges::size(keys), std::ranges::size(items), place.rank()), ...);
        sort_here(place.here(), less, keys, items...);
        return rows;
      },
      [&](std::size_t) { return rows; });
}

#if WARPFOLD_HAS_DEVICE
/// The rows pass through the host's memory.
template <device_place Where, class Less, class Keys, class... Items>
void sort_in_place(const across_ranks<Where>& place, const Less& less, Keys& keys,
                   Items&... items) {
  const std::size_t n = std::ranges::size(keys);
  const Where& where = place.here();
  std::vector<value_of<Keys>> host_keys;
  std::tuple<std::vector<value_of<Items>>...> host_items;
  std::apply(
      [&](auto&... staged) {
        ranks_detail::sort_rows(
            transport(place), n, kept_begins(place, n), less,
            [&] {
              host_keys.resize(n);
              (staged.resize(n), ...);
              if constexpr (sizeof...(Items) == 0) {
                stable_sort(where, keys, less).throw_if_failed("a sort of ", n, " keys");
              } else {
                stable_sort_by_key(where, keys, items..., less)
                    .throw_if_failed("a sort of ", n, " keys");
              }
              copy_rows<value_of<Keys>>(where, host_keys.data(), std::ranges::data(keys), n);
              (copy_rows<value_of<Items>>(where, staged.data(), std::ranges::data(items), n), ...);
              return rows_of(host_keys, staged...);
            },
            [&](std::size_t) { return rows_of(host_keys, staged...); });
        copy_rows<value_of<Keys>>(where, std::ranges::data(keys), host_keys.data(), n);
        (copy_rows<value_of<Items>>(where, std::ranges::data(items), staged.data(), n), ...);
      },
      host_items);
}
#endif

/// Into vectors that get as many rows as any other rank's, or one more.
template <host_place Where, class Less, class Keys, class... Items>
void sort_balanced(const across_ranks<Where>& place, const Less& less, Keys& keys,
                   Items&... items) {
  ranks_detail::sort_rows(
      transport(place), keys.size(), balanced_begins(place, keys.size()), less,
      [&] {
        (require_items(keys.size(), items.size(), place.rank()), ...);
        sort_here(place.here(), less, keys, items...);
        return rows_of(keys, items...);
      },
      [&](std::size_t rows) {
        keys.resize(rows);
        (items.resize(rows), ...);
        return rows_of(keys, items...);
      });
}

}  // namespace mpi_detail

/// Sorts the keys of all ranks; each keeps as many as it had. Equal keys keep their order, those of
/// lower ranks first. On a device `less` must be callable on the host, too.
template <class Where, sortable Keys, class Less = ascending>
void stable_sort(const across_ranks<Where>& place, Keys&& keys, Less less = {}) {
  mpi_detail::require_same_call<value_of<Keys>, Less>(place, "sort");
  mpi_detail::sort_in_place(place, less, keys);
}
/// The same; equal keys may change places.
template <class Where, sortable Keys, class Less = ascending>
void sort(const across_ranks<Where>& place, Keys&& keys, Less less = {}) {
  stable_sort(place, keys, std::move(less));
}

/// Sorts the keys of all ranks and moves items[i] along with keys[i], likewise.
template <class Where, sortable Keys, sortable Items, class Less = ascending>
void stable_sort_by_key(const across_ranks<Where>& place, Keys&& keys, Items&& items,
                        Less less = {}) {
  mpi_detail::require_same_call<value_of<Keys>, value_of<Items>, Less>(place, "sort_by_key");
  mpi_detail::sort_in_place(place, less, keys, items);
}
/// The same; items of equal keys may change places.
template <class Where, sortable Keys, sortable Items, class Less = ascending>
void sort_by_key(const across_ranks<Where>& place, Keys&& keys, Items&& items, Less less = {}) {
  stable_sort_by_key(place, keys, items, std::move(less));
}

/// Sorts the keys of all ranks, and leaves on each as many as on any other, the first ranks with
/// one more. Stable.
template <class Where, class Key, class Less = ascending>
void balanced_sort(const across_ranks<Where>& place, std::vector<Key>& keys, Less less = {}) {
  mpi_detail::require_same_call<Key, Less>(place, "balanced_sort");
  mpi_detail::sort_balanced(place, less, keys);
}
/// Likewise, and moves items[i] along with keys[i].
template <class Where, class Key, class Item, class Less = ascending>
void balanced_sort_by_key(const across_ranks<Where>& place, std::vector<Key>& keys,
                          std::vector<Item>& items, Less less = {}) {
  mpi_detail::require_same_call<Key, Item, Less>(place, "balanced_sort_by_key");
  mpi_detail::sort_balanced(place, less, keys, items);
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
