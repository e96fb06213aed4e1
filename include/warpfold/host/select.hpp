// Selections on the host's threads: copy_if, remove_if, indices_if, copy_flagged, partition_copy,
// unique.
//
// Selected values keep their order. A call returns their number; the rest of an output stays
// unchanged. Values are read from memory once, and a predicate is called once for each: a chunk
// stays in the cache until the number of selected values before it is known. The result is the same
// for any number of threads. A predicate is used by several threads at the same time, so its
// operator() is const; its exceptions leave the call, and some of `out` has been written then. If
// an output is too short for the selected values, usage_error has the number needed; nothing is
// written past its end. Unless a call says that `out` may be `in`, they must not overlap.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "warpfold/host/detail/compact.hpp"
#include "warpfold/operators.hpp"
#include "warpfold/predicates.hpp"
#include "warpfold/ranges.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

/// Writes the values for which keep(value) is true to `out`, which may be `in`. Returns how many.
template <host_place Where, values In, writable_from<value_of<In>> Out, class Keep>
  requires std::predicate<const Keep&, const value_of<In>&>
std::size_t copy_if(Where where, const In& in, Out&& out, Keep keep) {
  const auto from = view(in);
  const std::size_t count = host_detail::compact(
      where, from.size(),
      host_detail::rows_where([from, &keep](std::size_t i) -> bool { return keep(from[i]); }),
      host_detail::column_of(from, out));
  host_detail::check_room("copy_if(host, in, out, keep)", "out", out, count);
  return count;
}

/// Writes the values for which drop(value) is false to `out`, which may be `in`. Returns how many.
template <host_place Where, values In, writable_from<value_of<In>> Out, class Drop>
  requires std::predicate<const Drop&, const value_of<In>&>
std::size_t remove_if(Where where, const In& in, Out&& out, Drop drop) {
  return copy_if(where, in, out, detail::opposite_of<Drop>{std::move(drop)});
}

/// Writes the indices of the values for which pred(value) is true, in their order: integers of 4 or
/// 8 bytes that can count the values. Returns how many. `indices` must not overlap `in`.
template <host_place Where, values In, values Indices, class Pred>
  requires index_type<value_of<Indices>> && std::predicate<const Pred&, const value_of<In>&>
std::size_t indices_if(Where where, const In& in, Indices&& indices, Pred pred) {
  constexpr char call[] = "indices_if(host, in, indices, pred)";
  using index = value_of<Indices>;
  const auto from = view(in);
  if (from.size() > most_indexed<index>) {
    throw usage_error("warpfold::", call, ": these indices count ", most_indexed<index>,
                      " values, not ", from.size(), "; pass indices of 8 bytes");
  }
  const std::size_t count = host_detail::compact(
      where, from.size(),
      host_detail::rows_where([from, &pred](std::size_t i) -> bool { return pred(from[i]); }),
      host_detail::index_column<index>{{std::ranges::data(indices), std::ranges::size(indices)}});
  host_detail::check_room(call, "indices", indices, count);
  return count;
}

/// Writes in[i] for each flags[i] other than 0 to `out`, which may be `in`. Returns how many.
/// Throws usage_error unless there are as many flags as values.
template <host_place Where, values In, values Flags, writable_from<value_of<In>> Out>
  requires std::integral<value_of<Flags>>
std::size_t copy_flagged(Where where, const In& in, const Flags& flags, Out&& out) {
  constexpr char call[] = "copy_flagged(host, in, flags, out)";
  const auto from = view(in);
  const auto flag = view(flags);
  host_detail::check_pairs(call, from.size(), "flags", flag.size());
  const std::size_t count = host_detail::compact(
      where, from.size(), host_detail::rows_where([flag](std::size_t i) { return flag[i] != 0; }),
      host_detail::column_of(from, out));
  host_detail::check_room(call, "out", out, count);
  return count;
}

/// Writes the values for which pred(value) is true to `out_true`, and all others to `out_false`,
/// both in their order. Returns how many are true. Inputs and outputs must not overlap.
template <host_place Where, values In, writable_from<value_of<In>> True,
          writable_from<value_of<In>> False, class Pred>
  requires std::predicate<const Pred&, const value_of<In>&>
std::size_t partition_copy(Where where, const In& in, True&& out_true, False&& out_false,
                           Pred pred) {
  constexpr char call[] = "partition_copy(host, in, out_true, out_false, pred)";
  const auto from = view(in);
  const std::size_t count = host_detail::compact(
      where, from.size(),
      host_detail::rows_where([from, &pred](std::size_t i) -> bool { return pred(from[i]); }),
      host_detail::column_of(from, out_true), host_detail::column_of<false>(from, out_false));
  host_detail::check_room(call, "out_true", out_true, count);
  host_detail::check_room(call, "out_false", out_false, from.size() - count);
  return count;
}

/// Writes the values for which is_first(value) is true to `first`, of the others those for which
/// is_second(value) is true to `second`, and what is left to `rest`, each part in its order.
/// Returns how many each has. Three passes. Inputs and outputs must not overlap.
template <host_place Where, values In, writable_from<value_of<In>> First,
          writable_from<value_of<In>> Second, writable_from<value_of<In>> Rest, class IsFirst,
          class IsSecond>
  requires std::predicate<const IsFirst&, const value_of<In>&> &&
           std::predicate<const IsSecond&, const value_of<In>&>
std::array<std::size_t, 3> partition_copy(Where where, const In& in, First&& first, Second&& second,
                                          Rest&& rest, IsFirst is_first, IsSecond is_second) {
  return {copy_if(where, in, first, is_first),
          copy_if(where, in, second, detail::second_alone{is_first, is_second}),
          copy_if(where, in, rest, detail::second_alone{is_first, detail::opposite_of{is_second}})};
}

/// Writes the first value of each run of equal neighbours to `out`, which may be `in`. Returns the
/// number of runs. Each value is compared with the one before it; a NaN equals nothing, so each is
/// a run of its own unless `equal` says otherwise.
template <host_place Where, values In, writable_from<value_of<In>> Out, class Equal = equal_to>
  requires std::predicate<const Equal&, const value_of<In>&, const value_of<In>&>
std::size_t unique(Where where, const In& in, Out&& out, Equal equal = {}) {
  const auto from = view(in);
  const std::size_t count =
      host_detail::compact(where, from.size(), host_detail::rows_that_begin_runs(from, equal),
                           host_detail::column_of(from, out));
  host_detail::check_room("unique(host, in, out)", "out", out, count);
  return count;
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
