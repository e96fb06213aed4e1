// Groups of equal keys on all ranks, in the order of their keys over the ranks: each rank groups
// its own rows, exact splitters give each group its rank, one all-to-all moves what the groups come
// to, and each rank joins what it receives. Where the order of a group's values has to be the
// canonical one, the rows themselves travel.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "warpfold/host/group.hpp"
#include "warpfold/ranks/read.hpp"
#include "warpfold/ranks/rows.hpp"
#include "warpfold/ranks/transport.hpp"

namespace warpfold::inline WARPFOLD_MACHINE::ranks_detail {

/// A call's aggregates on a rank with so many rows before its own: what a group comes to is kept.
template <class List>
struct partial_list : List {
  using state = typename List::state;
  std::uint64_t before;
  state* partials;

  template <class Read>
  state of(const Read& read, std::uint64_t index) const {
    return List::of(read_of_rank<Read>{read, before}, before + index);
  }
  void write(std::size_t i, const state& s) const { partials[i] = s; }
};

/// Of floating-point keys that are one group, a sort puts some before others: a rank keeps them
/// apart, so that the values of all ranks meet in the order of one sort.
struct same_key_bits {
  template <class K>
  bool operator()(const K& a, const K& b) const {
    return rank_of(a) == rank_of(b);
  }
};

/// Whether a's group comes before b's.
struct group_before {
  template <class K>
  bool operator()(const K& a, const K& b) const {
    return ascending{}(a, b) && !detail::same_group{}(a, b);
  }
};

/// Writes this rank's partials in the order of their keys, or its rows where these travel. Returns
/// how many.
template <class Where, class K, class List, class... Aggregates>
std::size_t partials_of(const Where& where, std::span<const K> keys, K* out_keys,
                        const partial_list<List>& list, const Aggregates&... aggregates) {
  const std::size_t n = keys.size();
  if constexpr (host_detail::groups_in_tree<Where, Aggregates...>) {
    std::copy(keys.begin(), keys.end(), out_keys);
    for (std::size_t i = 0; i < n; ++i) list.write(i, list.of(detail::read_columns{}, i));
    stable_sort_by_key(where, std::span(out_keys, n), std::span(list.partials, n));
    return n;
  } else {
    return host_detail::groups_of<same_key_bits>(where, keys, std::span(out_keys, n), n, list,
                                                 aggregates...);
  }
}

/// Where this rank's n sorted rows are cut: about as many rows for each rank, and a group on one.
template <transport Ranks, class K>
std::vector<std::uint64_t> cuts_between_groups(const Ranks& ranks, std::span<const K> sorted) {
  const std::uint64_t rows = begins_of(ranks.all_gather(std::uint64_t{sorted.size()})).back();
  const auto targets = even_begins(rows, ranks.size());
  auto cuts = ranks.find_cuts(sorted, std::span(targets).first(ranks.size()), ascending{});
  // The first row of all behind a cut is that of the group that begins there.
  std::vector<std::optional<K>> behind(ranks.size());
  for (std::size_t r = 0; r < cuts.size(); ++r) {
    if (cuts[r] < sorted.size()) behind[r] = sorted[cuts[r]];
  }
  std::optional<K> first;
  for (const auto& key : ranks.all_to_all(std::span<const std::optional<K>>(behind))) {
    if (key && (!first || group_before{}(*key, *first))) first = key;
  }
  const auto firsts = ranks.all_gather(first);
  for (std::size_t r = 0; r < cuts.size(); ++r) {
    const auto end = sorted.end();
    const auto at =
        firsts[r] ? std::lower_bound(sorted.begin(), end, *firsts[r], group_before{}) : end;
    cuts[r] = static_cast<std::uint64_t>(at - sorted.begin());
  }
  return cuts;
}

/// Joins the partials of each group and writes the first `room` groups. Returns how many there are.
template <bool InTree, class Where, class K, class State, class List>
std::size_t join_groups(const Where& where, host_detail::key_value_view<K, State> rows,
                        std::size_t n, const List& list, K* out_keys, std::size_t room) {
  const std::span<const State> states(rows.value, n);
  const auto join = [&](const State& a, const State& b) { return list.join(a, b); };
  constexpr std::size_t chunk =
      host_detail::tree_chunk<State>(host_detail::tuning_of<Where>::reduce_chunk_bytes);
  return host_detail::for_each_run(
      where, keys_of(rows, n), detail::same_group{}, chunk,
      [&](std::size_t i, std::size_t begin, std::size_t end) {
        if (i >= room) return;
        const auto group = states.subspan(begin, end - begin);
        out_keys[i] = rows.key[begin];
        if constexpr (InTree) {
          list.write(i, host_detail::reduce_in_tree<State>(where, group, join, std::identity{}));
        } else {
          list.write(i, std::accumulate(group.begin() + 1, group.end(), group.front(), join));
        }
      });
}

/// Returns how many groups this rank has.
template <transport Ranks, class K, class... Aggregates>
std::size_t group_by(const Ranks& ranks, std::span<const K> keys, std::span<K> out_keys,
                     const Aggregates&... aggregates) {
  constexpr char call[] = "group_by(across(…), keys, out_keys, aggregates)";
  const auto where = ranks.here();
  constexpr bool in_tree = host_detail::groups_in_tree<decltype(ranks.here()), Aggregates...>;
  const auto list = detail::list_of<(Aggregates::counts || ...)>(aggregates...);
  using list_type = std::remove_const_t<decltype(list)>;
  using rows_type = row_buffer<K, typename list_type::state>;
  const auto begins = begins_of(ranks.all_gather(std::uint64_t{keys.size()}));
  std::optional<rows_type> own, arrived, spare;
  std::size_t partials = 0;
  ranks.agreed([&] {
    host_detail::check_aggregates(call, keys.size(), aggregates...);
    own.emplace(keys.size());
    const partial_list<list_type> kept{list, begins[ranks.rank()], own->items.data()};
    partials = partials_of(where, keys, own->keys.data(), kept, aggregates...);
  });
  const auto traffic =
      ranks.traffic_of(cuts_between_groups(ranks, keys_of(own->rows(), partials)), partials);
  const std::size_t n = traffic.arrivals.back();
  ranks.agreed([&] {
    arrived.emplace(n);
    spare.emplace(n);
  });
  ranks.exchange(traffic, own->rows(), arrived->rows());
  std::size_t groups = 0;
  ranks.agreed([&] {
    const bool in_spare =
        merge_runs(where, arrived->rows(), spare->rows(), traffic.arrivals, ascending{});
    groups = join_groups<in_tree>(where, (in_spare ? spare : arrived)->rows(), n, list,
                                  out_keys.data(), std::min({out_keys.size(), aggregates.room...}));
    host_detail::checked_groups(call, groups, out_keys.size(), aggregates...);
  });
  return groups;
}

}  // namespace warpfold::inline WARPFOLD_MACHINE::ranks_detail
