// Groups of equal keys on all ranks. A device's rows pass through the host's memory.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#include "warpfold/mpi/staging.hpp"
#include "warpfold/ranks/group.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace mpi_detail {

/// An aggregate of this rank's: its columns are in the host's memory.
template <class Where, class Aggregate>
struct staged_aggregate {
  explicit staged_aggregate(const Aggregate& given) : aggregate(given) {}
  void load(const Where&) {}
  void finish(const Where&, std::size_t) const {}
  Aggregate aggregate;
};

#if WARPFOLD_HAS_DEVICE
template <device_place Where, class Aggregate>
struct staged_aggregate<Where, Aggregate> {
  using value = typename Aggregate::value_type;
  using result = typename Aggregate::out_type;

  explicit staged_aggregate(const Aggregate& given) : to(given.out, given.room), aggregate(given) {}

  void load(const Where& where) {
    if constexpr (Aggregate::reads) {
      values = copied(where, aggregate.values, aggregate.size);
      aggregate.values = values.data();
    }
    results.resize(to.size());
    aggregate.out = results.data();
  }
  /// The results of n groups go where they are wanted.
  void finish(const Where& where, std::size_t n) { put(where, results, to, n); }

  std::span<result> to;
  std::vector<result> results;
  std::vector<value> values;
  Aggregate aggregate;
};
#endif

}  // namespace mpi_detail

/// Writes each group's key to `out_keys`, and its results to the outputs of the aggregates, in the
/// order of the keys over all ranks: those on this rank come after those on the ranks before.
/// Returns how many this rank has. Indices are those among all
/// ranks' values, one rank's behind the other's. At determinism::gpu_to_gpu the rows themselves
/// travel where the order of a group's values matters: a rank then has about as many of these as
/// any other, but all of a group.
template <class Where, values Keys, values OutKeys, group_aggregate... Aggregates>
  requires(sizeof...(Aggregates) > 0) && arithmetic_key<value_of<Keys>> &&
          std::same_as<value_of<Keys>, value_of<OutKeys>>
std::size_t group_by(const across_ranks<Where>& place, const Keys& keys, OutKeys&& out_keys,
                     const Aggregates&... aggregates) {
  using namespace mpi_detail;
  using K = value_of<Keys>;
  require_same_call<K, typename Aggregates::value_type..., typename Aggregates::out_type...,
                    typename Aggregates::state..., typename Aggregates::order...>(
      place, "group_by", Aggregates::counts...);
  const transport ranks(place);
  const Where& where = place.here();
  staged_values<Where, Keys> key;
  staged_room<Where, OutKeys> keys_room;
  std::tuple<staged_aggregate<Where, Aggregates>...> columns(aggregates...);
  return std::apply(
      [&](auto&... column) {
        ranks.agreed([&] {
          key = staged(where, keys);
          keys_room = room_for(where, out_keys);
          (column.load(where), ...);
        });
        const std::size_t groups = ranks_detail::group_by(
            ranks, std::span<const K>(key), std::span<K>(keys_room), column.aggregate...);
        put(where, keys_room, out_keys, groups);
        (column.finish(where, groups), ...);
        return groups;
      },
      columns);
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
