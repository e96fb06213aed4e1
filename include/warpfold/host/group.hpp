// Keys in any order on the host's threads: group_by, with several aggregates in one call, and
// scatter_reduce.
//
//   std::size_t n = group_by(host, keys, out_keys, sum_of(values, sums), count_of(counts));
//
// Groups are written in the order of their keys; of floating-point keys -0 and +0 are one group,
// and so are all NaN. Integers of which the largest is less than 65,536 above the smallest are not
// sorted: each part of the rows has a table with an entry a key. Others are sorted along with the
// values, or with the numbers of the rows where aggregates read several columns. Values of equal
// keys are combined in their order, with a grouping that depends only on the keys: the same bits
// for any number of threads and in every call. usage_error: an aggregate without one value for each
// key; an output that is too short, with the length needed; nothing is written past its end. At
// determinism::gpu_to_gpu all keys are sorted if the order of the values matters, and the values of
// each have the canonical order (docs/canonical.md).
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "warpfold/aggregates.hpp"
#include "warpfold/error.hpp"
#include "warpfold/histogram/bins.hpp"
#include "warpfold/host/detail/compact.hpp"
#include "warpfold/host/detail/parallel.hpp"
#include "warpfold/host/detail/reduce_chunk.hpp"
#include "warpfold/host/detail/runs.hpp"
#include "warpfold/host/reduce.hpp"
#include "warpfold/host/sort.hpp"
#include "warpfold/order.hpp"
#include "warpfold/ranges.hpp"
#include "warpfold/same_bits.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace host_detail {

/// Keys of so many neighbouring integers are not sorted.
inline constexpr std::size_t most_slots = std::size_t{1} << 16;

/// What a key's values come to, if there are any.
template <class State>
struct table_entry {
  State state;
  bool there = false;

  template <class List>
  void join(const List& list, const State& later) {
    state = there ? list.join(state, later) : later;
    there = true;
  }
};

/// The entry of each slot, by tables of 16 parts of the rows at most, so many that a part has four
/// rows a slot. slot_of(i) is `slots` or more for a row that is in none.
template <class Where, class SlotOf, class List>
auto reduce_in_tables(const Where& where, std::size_t n, std::size_t slots, const SlotOf& slot_of,
                      const List& list) {
  using table = std::vector<table_entry<typename List::state>>;
  constexpr std::size_t least_rows = std::size_t{1} << 16;
  const std::size_t parts = std::clamp<std::size_t>(n / std::max(least_rows, 4 * slots), 1, 16);
  std::vector<table> tables(parts);
  run_on(where, [&] {
    for_each_index(parts, [&](std::size_t p) {
      table own(slots);
      const std::size_t end = n / parts * (p + 1) + std::min(p + 1, n % parts);
      for (std::size_t i = n / parts * p + std::min(p, n % parts); i < end; ++i) {
        const std::size_t slot = slot_of(i);
        if (slot < slots) own[slot].join(list, list.of(detail::read_columns{}, i));
      }
      tables[p] = std::move(own);
    });
  });
  table all = std::move(tables[0]);
  for (std::size_t p = 1; p < parts; ++p) {
    for (std::size_t s = 0; s < slots; ++s) {
      if (tables[p][s].there) all[s].join(list, tables[p][s].state);
    }
  }
  return all;
}

/// Whether the order of a group's values shows in a result, and has to be the canonical one.
template <class Where, class... Aggregates>
inline constexpr bool groups_in_tree =
    (detail::is_canonical<Where, typename Aggregates::order, typename Aggregates::ordered> || ...);

/// Sorts the keys along with items and reduces what `state_of` makes of these, a group for each run
/// of keys that are the same: put(i, key, state) takes the i-th group. Returns how many there are.
template <bool InTree, class Same, class Where, class K, class Item, class List, class StateOf,
          class Put>
std::size_t reduce_sorted(const Where& where, std::span<const K> keys, std::span<const Item> items,
                          const List& list, const StateOf& state_of, std::span<K> out_keys,
                          const Put& put) {
  using state = typename List::state;
  const std::size_t n = keys.size();
  const uninitialized_buffer<K> key_room(n);
  const uninitialized_buffer<Item> item_room(n);
  const std::span<K> sorted(key_room.data(), n);
  const std::span<Item> along(item_room.data(), n);
  stable_sort_by_key(where, keys, items, sorted, along);
  const auto join = [&](const state& a, const state& b) { return list.join(a, b); };
  if constexpr (InTree) {
    constexpr std::size_t chunk = tree_chunk<Item>(tuning_of<Where>::reduce_chunk_bytes);
    const std::span<const Item> in(along);
    const auto put_group = [&](std::size_t i, std::size_t begin, std::size_t end) {
      if (i < out_keys.size()) out_keys[i] = sorted[begin];
      put(i, sorted[begin],
          reduce_in_tree<state>(where, in.subspan(begin, end - begin), join, state_of));
    };
    return for_each_run(where, std::span<const K>(sorted), Same{}, chunk, put_group);
  }
  const auto reduce = [&](std::size_t begin, std::size_t end) {
    return reduce_in_order<state>(along.data() + begin, end - begin, join, state_of);
  };
  const auto put_run = [&](std::size_t i, std::size_t row, const state& sum) {
    put(i, sorted[row], sum);
  };
  return put_runs<state, sizeof(K) + sizeof(Item)>(
      where, std::span<const K>(sorted), out_keys, Same{}, reduce, join, put_run,
      [&](std::size_t first, const chunk_runs& runs) {
        for (std::size_t j = 0; j + 1 < runs.count(); ++j) {
          put_run(first + j, runs.start(j), reduce(runs.start(j), runs.start(j + 1)));
        }
      });
}
/// The same with the values of the one column, or with row numbers.
template <class Same, class Where, class K, class List, class Put, class... Aggregates>
std::size_t reduce_groups(const Where& where, std::span<const K> keys, const List& list,
                          std::span<K> out_keys, const Put& put, const Aggregates&... aggregates) {
  using column = detail::common_column<Aggregates...>;
  constexpr bool in_tree = groups_in_tree<Where, Aggregates...>;
  if constexpr (!std::is_void_v<column>) {
    if (const void* shared = detail::shared_column(aggregates...); shared != nullptr) {
      const std::span items(static_cast<const column*>(shared), keys.size());
      const auto state_of = [&](const column& value) {
        return list.of(detail::read_value<column>{value}, 0);
      };
      return reduce_sorted<in_tree, Same>(where, keys, items, list, state_of, out_keys, put);
    }
  }
  const auto by_number = [&]<class Number>(Number) {
    std::vector<Number> numbers(keys.size());
    std::iota(numbers.begin(), numbers.end(), Number{});
    const auto state_of = [&](Number row) { return list.of(detail::read_columns{}, row); };
    return reduce_sorted<in_tree, Same>(where, keys, std::span<const Number>(numbers), list,
                                        state_of, out_keys, put);
  };
  if (keys.size() <= std::numeric_limits<std::uint32_t>::max()) return by_number(std::uint32_t{});
  return by_number(std::uint64_t{});
}

/// Groups of the integers from `low` on.
template <class Where, class K, class List>
std::size_t group_in_range(const Where& where, std::span<const K> keys, const each_integer& range,
                           std::span<K> out_keys, std::size_t room, const List& list) {
  detail::integer_binner<K> slot_of{};
  (void)slot_of.set(range);
  const auto entries = reduce_in_tables(
      where, keys.size(), range.count, [&](std::size_t i) { return slot_of(keys[i]); }, list);
  std::size_t groups = 0;
  for (std::size_t s = 0; s < entries.size(); ++s) {
    if (!entries[s].there) continue;
    if (groups < out_keys.size()) {
      out_keys[groups] = static_cast<K>(static_cast<std::uint64_t>(range.low) + s);
    }
    if (groups < room) list.write(groups, entries[s].state);
    ++groups;
  }
  return groups;
}

/// Groups of keys that are the same, in the order of their keys: list.write(i, state) for the first
/// `room` of them. Returns how many there are.
template <class Same, class Where, class K, class List, class... Aggregates>
std::size_t groups_of(const Where& where, std::span<const K> keys, std::span<K> out_keys,
                      std::size_t room, const List& list, const Aggregates&... aggregates) {
  if constexpr (std::integral<K> && !groups_in_tree<Where, Aggregates...>) {
    if (!keys.empty()) {
      const auto ends = minmax(where, keys);
      const auto low = static_cast<std::uint64_t>(ends.min);
      const std::uint64_t distance = static_cast<std::uint64_t>(ends.max) - low;
      if (distance < most_slots) {
        const each_integer range{static_cast<std::int64_t>(low), distance + 1};
        return group_in_range(where, keys, range, out_keys, room, list);
      }
    }
  }
  return reduce_groups<Same>(
      where, keys, list, out_keys,
      [&](std::size_t i, const K&, const auto& state) {
        if (i < room) list.write(i, state);
      },
      aggregates...);
}

template <class... Aggregates>
void check_aggregates(const char* call, std::size_t n, const Aggregates&... aggregates) {
  const auto check = [&](const auto& a) {
    if (a.reads) check_pairs(call, a.size, "keys", n);
  };
  (check(aggregates), ...);
}
template <class... Aggregates>
std::size_t checked_groups(const char* call, std::size_t groups, std::size_t key_room,
                           const Aggregates&... aggregates) {
  const std::size_t room = std::min({key_room, aggregates.room...});
  if (groups <= room) return groups;
  throw usage_error("warpfold::", call, ": an output has room for ", room, " values and there are ",
                    groups, " groups; make it as long as that");
}

}  // namespace host_detail

/// Writes each group's key to `out_keys`, and its results to the outputs of the aggregates, in the
/// order of the keys. Returns the number of groups. Keys outside of `range` are in no group. Does
/// not compile at determinism::gpu_to_gpu if the order of the values matters.
template <host_place Where, values Keys, values OutKeys, group_aggregate... Aggregates>
  requires(sizeof...(Aggregates) > 0) && std::integral<value_of<Keys>> &&
          std::same_as<value_of<Keys>, value_of<OutKeys>>
std::size_t group_by(Where where, const Keys& keys, const each_integer& range, OutKeys&& out_keys,
                     const Aggregates&... aggregates) {
  constexpr char call[] = "group_by(host, keys, range, out_keys, aggregates)";
  const auto in = view(keys);
  const std::span out(std::ranges::data(out_keys), std::ranges::size(out_keys));
  host_detail::check_aggregates(call, in.size(), aggregates...);
  (detail::require_same_bits<Where, typename Aggregates::order, typename Aggregates::ordered>(),
   ...);
  if (range.count == 0 || range.count > host_detail::most_slots) {
    throw usage_error("warpfold::", call, ": a range of ", range.count,
                      " integers; pass 1 to 65,536, or leave the range out");
  }
  const std::size_t groups =
      host_detail::group_in_range(where, in, range, out, std::min({out.size(), aggregates.room...}),
                                  detail::list_of<(Aggregates::counts || ...)>(aggregates...));
  return host_detail::checked_groups(call, groups, out.size(), aggregates...);
}

/// Writes each group's key to `out_keys`, and its results to the outputs of the aggregates, in the
/// order of the keys. Returns the number of groups.
template <host_place Where, values Keys, values OutKeys, group_aggregate... Aggregates>
  requires(sizeof...(Aggregates) > 0) && arithmetic_key<value_of<Keys>> &&
          std::same_as<value_of<Keys>, value_of<OutKeys>>
std::size_t group_by(Where where, const Keys& keys, OutKeys&& out_keys,
                     const Aggregates&... aggregates) {
  constexpr char call[] = "group_by(host, keys, out_keys, aggregates)";
  const auto in = view(keys);
  const std::span out(std::ranges::data(out_keys), std::ranges::size(out_keys));
  host_detail::check_aggregates(call, in.size(), aggregates...);
  const std::size_t groups = host_detail::groups_of<detail::same_group>(
      where, in, out, std::min({out.size(), aggregates.room...}),
      detail::list_of<(Aggregates::counts || ...)>(aggregates...), aggregates...);
  return host_detail::checked_groups(call, groups, out.size(), aggregates...);
}

/// out[k] = op(out[k], …) of the values whose index is k, in their order and in the type of the
/// output (f16 and bf16 in f32). The operator need only be associative. usage_error: an index out
/// of range; other than one value for each index. Nothing is written then.
template <host_place Where, values Out, values Indices, values Values, class Op = plus>
  requires std::integral<value_of<Indices>> &&
           std::regular_invocable<const Op&, accumulator_of<Out>, accumulator_of<Out>>
void scatter_reduce(Where where, Out&& out, const Indices& indices, const Values& values,
                    Op op = {}) {
  constexpr char call[] = "scatter_reduce(host, out, indices, values)";
  using index = value_of<Indices>;
  using acc = accumulator_of<Out>;
  const auto at = view(indices);
  const auto in = view(values);
  const std::span to(std::ranges::data(out), std::ranges::size(out));
  host_detail::check_pairs(call, in.size(), "indices", at.size());
  if (at.empty()) return;
  using columns = detail::aggregate_columns<value_of<Values>, value_of<Out>, true>;
  const detail::reduction_aggregate<columns, Op> one{{{in.data(), in.size(), to.data(), to.size()}},
                                                     op};
  host_detail::check_aggregates(call, at.size(), one);
  const auto range = minmax(where, at);
  const index ends[]{range.min, range.max};
  for (const index end : ends) {
    if (static_cast<std::uint64_t>(end) < to.size()) continue;
    throw usage_error("warpfold::", call, ": the index ", end, " and an output of ", to.size(),
                      " values; pass indices from 0 to one less than that");
  }
  const auto list = detail::list_of<false>(one);
  const auto put = [&](std::size_t, index slot, const auto& state) {
    auto& value = to[static_cast<std::size_t>(slot)];
    value = static_cast<value_of<Out>>(op(static_cast<acc>(value), state.mine.value()));
  };
  if (to.size() <= host_detail::most_slots && !host_detail::groups_in_tree<Where, decltype(one)>) {
    const auto entries = host_detail::reduce_in_tables(
        where, at.size(), to.size(), [&](std::size_t i) { return static_cast<std::size_t>(at[i]); },
        list);
    for (std::size_t s = 0; s < entries.size(); ++s) {
      if (entries[s].there) put(s, static_cast<index>(s), entries[s].state);
    }
  } else {
    host_detail::reduce_groups<detail::same_group>(where, at, list, std::span<index>(), put, one);
  }
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
