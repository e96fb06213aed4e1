// Runs of equal neighbouring keys on the host's threads: unique_by_key, run_length_encode,
// reduce_by_key, inclusive_scan_by_key and exclusive_scan_by_key.
//
// Each key is compared with its predecessor; a run begins if equal(predecessor, key) is false. A
// NaN equals nothing, so each is a run of its own unless `equal` says otherwise. Keys and values
// are read from memory once. The grouping of the values depends only on their type and on the runs:
// the same bits for any number of threads and in every call. Operators: as for reduce; the order of
// the values is always kept where the operator needs it. At determinism::gpu_to_gpu each run has
// the canonical order (docs/canonical.md). `equal` and operators are used by several threads at the
// same time, so their operator() is const; their exceptions leave the call, and some of the outputs
// has been written then. usage_error: other than one value for each key; an output that is too
// short, with the length needed; nothing is written past its end. Unless a call says otherwise,
// outputs must not overlap inputs.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

#include "warpfold/host/detail/compact.hpp"
#include "warpfold/host/detail/parallel.hpp"
#include "warpfold/host/detail/runs.hpp"
#include "warpfold/operators.hpp"
#include "warpfold/ranges.hpp"
#include "warpfold/same_bits.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

/// Writes the first key of each run to `out_keys`, which may be `keys`, and the value beside it to
/// `out_values`, which may be `values`. Returns the number of runs.
template <host_place Where, values Keys, values Values, writable_from<value_of<Keys>> OutKeys,
          writable_from<value_of<Values>> OutValues, class Equal = equal_to>
  requires std::predicate<const Equal&, const value_of<Keys>&, const value_of<Keys>&>
std::size_t unique_by_key(Where where, const Keys& keys, const Values& values, OutKeys&& out_keys,
                          OutValues&& out_values, Equal equal = {}) {
  constexpr char call[] = "unique_by_key(host, keys, values, out_keys, out_values)";
  const auto key = view(keys);
  host_detail::check_pairs(call, std::ranges::size(values), "keys", key.size());
  const std::size_t count = host_detail::compact(
      where, key.size(), host_detail::rows_that_begin_runs(key, equal),
      host_detail::column_of(key, out_keys), host_detail::column_of(view(values), out_values));
  host_detail::check_room(call, "out_keys", out_keys, count);
  host_detail::check_room(call, "out_values", out_values, count);
  return count;
}

/// Writes the first value of each run to `out_values` and the run's length to `out_lengths`, whose
/// type must be able to hold it. Returns the number of runs.
template <host_place Where, values In, writable_from<value_of<In>> OutValues,
          writable_from<std::size_t> OutLengths, class Equal = equal_to>
  requires std::predicate<const Equal&, const value_of<In>&, const value_of<In>&>
std::size_t run_length_encode(Where where, const In& in, OutValues&& out_values,
                              OutLengths&& out_lengths, Equal equal = {}) {
  constexpr host_detail::run_outputs names{"run_length_encode(host, in, out_values, out_lengths)",
                                           "out_values", "out_lengths"};
  const auto length = [](std::size_t begin, std::size_t end) { return end - begin; };
  return host_detail::reduce_runs<std::size_t, sizeof(value_of<In>)>(
      names, where, view(in), out_values, out_lengths, equal, length, plus{});
}

/// Writes the first key of each run to `out_keys` and its values, reduced by op as values of the
/// type of `out_values`, to `out_values`. Returns the number of runs.
template <host_place Where, values Keys, values Values, writable_from<value_of<Keys>> OutKeys,
          writable_from<value_of<Values>> OutValues, class Op = plus, class Equal = equal_to>
  requires std::regular_invocable<const Op&, value_of<OutValues>, value_of<OutValues>> &&
           std::predicate<const Equal&, const value_of<Keys>&, const value_of<Keys>&>
std::size_t reduce_by_key(Where where, const Keys& keys, const Values& values, OutKeys&& out_keys,
                          OutValues&& out_values, Op op = {}, Equal equal = {}) {
  using acc = value_of<OutValues>;
  constexpr host_detail::run_outputs names{
      "reduce_by_key(host, keys, values, out_keys, out_values)", "out_keys", "out_values"};
  const auto in = view(values);
  host_detail::check_pairs(names.call, in.size(), "keys", std::ranges::size(keys));
  if constexpr (detail::is_canonical<Where, Op, acc>) {
    const auto key = view(keys);
    const auto reduce = [&](std::size_t i, std::size_t begin, std::size_t end) {
      if (i >= std::min(std::ranges::size(out_keys), std::ranges::size(out_values))) return;
      std::ranges::data(out_keys)[i] = static_cast<value_of<OutKeys>>(key[begin]);
      std::ranges::data(out_values)[i] = host_detail::reduce_in_tree<acc>(
          where, in.subspan(begin, end - begin), host_detail::tree_operator(op),
          host_detail::convert_to<acc>{});
    };
    const std::size_t count =
        host_detail::for_each_run(where, key, equal,
                                  host_detail::tree_chunk<value_of<Values>>(
                                      host_detail::tuning_of<Where>::reduce_chunk_bytes),
                                  reduce);
    host_detail::check_room(names.call, names.keys, out_keys, count);
    host_detail::check_room(names.call, names.values, out_values, count);
    return count;
  }
  return host_detail::reduce_runs<acc, sizeof(value_of<Keys>) + sizeof(value_of<Values>)>(
      names, where, view(keys), out_keys, out_values, equal,
      host_detail::run_sums<acc, value_of<Values>, Op>{in, op}, op);
}

/// out[i] = the values of the run that i is in, up to values[i], reduced by op as values of their
/// own type. `out` may be `values`.
template <host_place Where, values Keys, values Values, writable_from<value_of<Values>> Out,
          class Op = plus, class Equal = equal_to>
  requires std::regular_invocable<const Op&, value_of<Values>, value_of<Values>> &&
           std::predicate<const Equal&, const value_of<Keys>&, const value_of<Keys>&>
void inclusive_scan_by_key(Where where, const Keys& keys, const Values& values, Out&& out,
                           Op op = {}, Equal equal = {}) {
  host_detail::scan_runs<false>("inclusive_scan_by_key(host, keys, values, out)", where, view(keys),
                                view(values), out, std::optional<value_of<Values>>(), op, equal);
}

/// out[i] = init and the values of the run that i is in, up to the one before values[i], reduced by
/// op as values of init's type; init where a run begins. `out` may be `values`.
template <host_place Where, values Keys, values Values, class Acc, writable_from<Acc> Out,
          class Op = plus, class Equal = equal_to>
  requires std::regular_invocable<const Op&, Acc, Acc> &&
           std::predicate<const Equal&, const value_of<Keys>&, const value_of<Keys>&>
void exclusive_scan_by_key(Where where, const Keys& keys, const Values& values, Out&& out, Acc init,
                           Op op = {}, Equal equal = {}) {
  host_detail::scan_runs<true>("exclusive_scan_by_key(host, keys, values, out, init)", where,
                               view(keys), view(values), out, std::optional<Acc>(std::move(init)),
                               op, equal);
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
