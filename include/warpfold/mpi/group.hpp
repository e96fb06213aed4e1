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
  staged_aggregate(const across_ranks<Where>&, const Aggregate& given) : aggregate(given) {}
  void finish(const Where&, std::size_t) const {}
  Aggregate aggregate;
};

#if WARPFOLD_HAS_DEVICE
template <device_place Where, class Aggregate>
struct staged_aggregate<Where, Aggregate> {
  using value = typename Aggregate::value_type;
  using result = typename Aggregate::out_type;

  staged_aggregate(const across_ranks<Where>& place, const Aggregate& given)
      : to(given.out, given.room), results(given.room), aggregate(given) {
    if constexpr (Aggregate::reads) {
      values = staged(place, std::span<const value>(given.values, given.size));
    }
    aggregate.values = values.data();
    aggregate.out = results.data();
  }
  staged_aggregate(staged_aggregate&&) = default;

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
/// Returns how many this rank has, which is about as many as any other. Indices are those among all
/// ranks' values, one rank's behind the other's. At determinism::gpu_to_gpu the rows themselves
/// travel where the order of a group's values matters: a rank then has about as many of these as any
/// other, but all of a group.
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
  const auto key = staged(place, keys);
  auto keys_room = room_for(place.here(), out_keys);
  std::tuple<staged_aggregate<Where, Aggregates>...> columns(
      staged_aggregate<Where, Aggregates>(place, aggregates)...);
  return std::apply(
      [&](auto&... column) {
        const std::size_t groups = ranks_detail::group_by(
            transport(place), std::span<const K>(key), std::span<K>(keys_room),
            column.aggregate...);
        put(place.here(), keys_room, out_keys, groups);
        (column.finish(place.here(), groups), ...);
        return groups;
      },
      columns);
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
