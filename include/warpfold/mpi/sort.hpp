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
#include "warpfold/mpi/combine.hpp"
#include "warpfold/mpi/exchange.hpp"
#include "warpfold/mpi/merge_runs.hpp"
#include "warpfold/mpi/splitters.hpp"

#if WARPFOLD_HAS_DEVICE
#include "warpfold/device/sort.cuh"
#endif

namespace warpfold::inline WARPFOLD_MACHINE {
namespace mpi_detail {

inline std::vector<std::uint64_t> gather(MPI_Comm comm, int ranks, std::uint64_t mine) {
  std::vector<std::uint64_t> all(static_cast<std::size_t>(ranks));
  check(MPI_Allgather(&mine, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, comm), "MPI_Allgather");
  return all;
}

/// Where each rank's part begins when the ranks have as many rows as `counts` says, and the end.
inline std::vector<std::uint64_t> begins_of(const std::vector<std::uint64_t>& counts) {
  std::vector<std::uint64_t> begins{0};
  for (const std::uint64_t count : counts) begins.push_back(begins.back() + count);
  return begins;
}
/// The same where all have as many, the first ones one more.
inline std::vector<std::uint64_t> even_begins(std::uint64_t rows, std::uint64_t ranks) {
  std::vector<std::uint64_t> begins;
  for (std::uint64_t r = 0; r <= ranks; ++r) {
    begins.push_back(rows / ranks * r + std::min(r, rows % ranks));
  }
  return begins;
}

/// What this rank sends to each and gets from each, in rows.
struct row_traffic {
  std::vector<std::uint64_t> cuts;    // outgoing: [cuts[r], cuts[r + 1]) goes to rank r
  std::vector<std::size_t> arrivals;  // incoming: [arrivals[r], arrivals[r + 1]) comes from rank r
};

template <class Key, class Where, class Less>
row_traffic plan(const across_ranks<Where>& place, std::span<const Key> sorted,
                 const std::vector<std::uint64_t>& begins, const Less& less) {
  const auto ranks = static_cast<std::size_t>(place.size());
  row_traffic traffic;
  traffic.cuts = find_cuts(place, sorted, std::span(begins).first(ranks), less);
  traffic.cuts.push_back(sorted.size());
  std::vector<std::uint64_t> out(ranks), in(ranks);
  for (std::size_t r = 0; r < ranks; ++r) out[r] = traffic.cuts[r + 1] - traffic.cuts[r];
  check(MPI_Alltoall(out.data(), 1, MPI_UINT64_T, in.data(), 1, MPI_UINT64_T, place.comm()),
        "MPI_Alltoall");
  traffic.arrivals.push_back(0);
  for (const std::uint64_t rows : in) traffic.arrivals.push_back(traffic.arrivals.back() + rows);
  return traffic;
}

/// The parts of a column that `bounds` cuts, a list for each rank.
template <class T, class Bounds>
void append_parts(std::vector<std::vector<memory_part>>& all, const T* column,
                  const Bounds& bounds) {
  all.resize(bounds.size() - 1);
  for (std::size_t r = 0; r + 1 < bounds.size(); ++r) {
    all[r].push_back({column + bounds[r], (bounds[r + 1] - bounds[r]) * sizeof(T)});
  }
}

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

/// Where what came is merged: on the host in any case.
template <host_place Where>
Where merging_place(const Where& where) {
  return where;
}
#if WARPFOLD_HAS_DEVICE
template <device_place Where>
host_execution merging_place(const Where&) {
  return host;
}
#endif

template <class Where, class Key, class Item>
void exchange_rows(const across_ranks<Where>& place, const row_traffic& traffic,
                   host_detail::key_value_view<Key, Item> from,
                   host_detail::key_value_view<Key, Item> to) {
  std::vector<std::vector<memory_part>> outgoing, incoming;
  append_parts(outgoing, from.key, traffic.cuts);
  append_parts(incoming, to.key, traffic.arrivals);
  if constexpr (!std::is_void_v<Item>) {
    append_parts(outgoing, from.value, traffic.cuts);
    append_parts(incoming, to.value, traffic.arrivals);
  }
  exchange(place, outgoing, incoming);
}

/// f() on all ranks: where one throws, all do.
template <class Where, class F>
void agreed(const across_ranks<Where>& place, const F& f) {
  (void)reduce_ranks<char>(
      place,
      [&]() -> std::optional<char> {
        f();
        return {};
      },
      [](char a, char) { return a; });
}

/// `sort_part()` sorts this rank's n rows and returns them; `room_for(m)` is where m rows shall be
/// at the end, and may be the same memory. Rank r gets rows [begins[r], begins[r + 1]) of all.
template <class Where, class Less, class SortPart, class RoomFor>
void sort_ranks(const across_ranks<Where>& place, std::size_t n,
                const std::vector<std::uint64_t>& begins, const Less& less,
                const SortPart& sort_part, const RoomFor& room_for) {
  const auto rank = static_cast<std::size_t>(place.rank());
  decltype(sort_part()) sorted{};
  std::optional<buffer_of<decltype(sort_part())>> arrived;
  agreed(place, [&] {
    sorted = sort_part();
    arrived.emplace(begins[rank + 1] - begins[rank]);
  });
  const row_traffic traffic = plan(place, keys_of(sorted, n), begins, less);
  exchange_rows(place, traffic, sorted, arrived->rows());
  agreed(place, [&] {
    const std::size_t rows = traffic.arrivals.back();
    const auto room = room_for(rows);
    if (!merge_runs(merging_place(place.here()), arrived->rows(), room, traffic.arrivals, less)) {
      arrived->rows().copy(rows, room);
    }
  });
}

/// Of parts that the ranks keep.
template <class Where>
std::vector<std::uint64_t> kept_begins(const across_ranks<Where>& place, std::size_t n) {
  return begins_of(gather(place.comm(), place.size(), n));
}
/// Of parts as long as each other, but for one row.
template <class Where>
std::vector<std::uint64_t> balanced_begins(const across_ranks<Where>& place, std::size_t n) {
  return even_begins(kept_begins(place, n).back(), static_cast<std::uint64_t>(place.size()));
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
  sort_ranks(
      place, std::ranges::size(keys), kept_begins(place, std::ranges::size(keys)), less,
      [&] {
        (require_items(std::ranges::size(keys), std::ranges::size(items), place.rank()), ...);
        sort_here(place.here(), less, keys, items...);
        return rows;
      },
      [&](std::size_t) { return rows; });
}

#if WARPFOLD_HAS_DEVICE
template <class T, class Where>
void copy_rows(const Where& where, void* to, const void* from, std::size_t n) {
  if (n == 0) return;
  detail::copy_async(to, from, n * sizeof(T), where.stream())
      .throw_if_failed("a copy of ", n, " rows");
  detail::wait_for(where.stream()).throw_if_failed("a copy of ", n, " rows");
}

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
        sort_ranks(
            place, n, kept_begins(place, n), less,
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
  sort_ranks(
      place, keys.size(), balanced_begins(place, keys.size()), less,
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
