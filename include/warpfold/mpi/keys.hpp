// Runs of equal keys over the parts of all ranks. A device's rows pass through the host's memory.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>

#include "warpfold/mpi/staging.hpp"
#include "warpfold/ranks/keys.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

/// Writes the first key of each run that begins in this rank's part to `out_keys` and the values of
/// the run, those on later ranks too, reduced by op as values of the type of `out_values`, to
/// `out_values`; with `device`, f16 and bf16 are reduced as f32, and rounded once. Returns how many
/// these are: a part that continues a run of the ranks before, from its first key to its last, has
/// none.
template <class Where, values Keys, values Values, writable_from<value_of<Keys>> OutKeys,
          writable_from<value_of<Values>> OutValues, class Op = plus, class Equal = equal_to>
  requires std::regular_invocable<const Op&, value_of<OutValues>, value_of<OutValues>> &&
           std::predicate<const Equal&, const value_of<Keys>&, const value_of<Keys>&>
std::size_t reduce_by_key(const across_ranks<Where>& place, const Keys& keys, const Values& values,
                          OutKeys&& out_keys, OutValues&& out_values, Op op = {},
                          Equal equal = {}) {
  using namespace mpi_detail;
  using K = value_of<Keys>;
  using V = value_of<Values>;
  static_assert(
      std::is_trivially_copyable_v<K> && std::is_trivially_copyable_v<value_of<OutValues>>,
      "what ranks exchange must be trivially copyable: keys and reduced values");
  using sums_room = unrounded_room<Where, OutValues>;
  require_same_call<K, V, value_of<OutValues>, value_of<sums_room>, Op, Equal>(place,
                                                                               "reduce_by_key");
  const transport ranks(place);
  const Where& where = place.here();
  staged_values<Where, Keys> key;
  staged_values<Where, Values> value;
  staged_room<Where, OutKeys> keys_room;
  sums_room values_room;
  ranks.agreed([&] {
    key = staged(where, keys);
    value = staged(where, values);
    keys_room = room_for(where, out_keys);
    values_room = unrounded_room_for(where, out_values);
  });
  const std::size_t count = ranks_detail::reduce_by_key(
      ranks, std::span<const K>(key), std::span<const V>(value), keys_room, values_room, op, equal);
  put(where, keys_room, out_keys, count);
  put(where, values_room, out_values, count);
  return count;
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
