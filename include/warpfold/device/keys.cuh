// Calls of a CUDA device on runs of equal neighbouring keys, in one pass over memory. Calls that
// return a number have two forms:
//
//   reduce_by_key(device.on(stream).with(memory), keys, values, out_keys, out_values, runs, op)
//                                                         returns at once; a status
//   n = reduce_by_key(device.on(stream), keys, values, out_keys, out_values, op)
//                                                         waits for the number; throws
//
// The first form leaves the number of runs in `*runs`, device memory. It never synchronises; with a
// workspace (reduce_by_key_workspace_bytes) it allocates nothing, and it can be captured in a graph
// either way. `keys` is device memory, or `device_sized` of it, and `values` has as many. Equality
// of neighbours is `equal_to` unless another is given; a NaN equals nothing and is a run of its
// own. Values are accumulated in the type of their output (f16 and bf16 in f32), in their order,
// and the operator need only be associative: the same bits from run to run. If an output is too
// short, it is filled, and `*runs` is the number that it should hold; the second form throws
// usage_error then.
#pragma once

#include <cstddef>
#include <type_traits>

#include "warpfold/device/detail/requirements.hpp"
#include "warpfold/device/keys/kernel.cuh"
#include "warpfold/device/select.cuh"
#include "warpfold/device/sized.cuh"
#include "warpfold/same_bits.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

/// Bytes of workspace for reduce_by_key, the scans by key and run_length_encode of up to n keys of
/// K, with values of Value in the output. unique_by_key takes select_workspace_bytes<K, Value>.
template <class K, class Value>
constexpr std::size_t reduce_by_key_workspace_bytes(std::size_t n) {
  using Acc = accumulator_for<Value>;
  return detail::striped_bytes<detail::run_shape<K, Acc>, detail::run_partial<Acc>>(n);
}

namespace detail {

template <run_output Output, class Acc, sized_values Keys, class Values, class Out, class Op,
          class Equal>
auto runs_of(const Keys& keys, const Values& values, Out* out, std::size_t room, Op op,
             Equal equal) {
  using given = given_values<Keys>;
  return run_problem<Output, given_value_of<Keys>, Values, Out, Acc, Op, Equal>{
      given::most(keys).data(),
      values,
      given::count(keys),
      nullptr,
      out,
      room,
      nullptr,
      Acc{},
      op,
      equal};
}

template <class Op, class Acc>
constexpr bool can_reduce_runs() {
  constexpr bool copies = std::is_trivially_copyable_v<Acc>;
  static_assert(copies, "the values of the output must be trivially copyable");
  return can_run<Op>() && copies;
}

/// An inclusive or an exclusive scan within runs.
template <run_output Output, device_place Where, sized_values Keys, values Values, values Out,
          class Acc, class Op, class Equal>
status scan_runs(const Where& where, const Keys& keys, const Values& values, Out&& out, Acc init,
                 Op op, Equal equal) {
  if constexpr (can_reduce_runs<Op, Acc>() && can_run<Equal>() && can_write<Out>()) {
    require_same_bits<Where, Op, Acc>();
    const auto given = device_view(values);
    const std::size_t n = given_values<Keys>::count(keys).n;
    status state = refuse_fewer("fewer values than keys", n, given.size());
    if (state.ok()) {
      state =
          refuse_fewer("the output of a scan is shorter than its input", n, std::ranges::size(out));
    }
    if (!state.ok()) return state;
    auto problem = runs_of<Output, Acc>(keys, values_at<value_of<Values>>{given.data()},
                                        std::ranges::data(out), n, op, equal);
    problem.init = init;
    return reduce_runs(for_cleared(where), problem);
  } else {
    return {};
  }
}

}  // namespace detail

/// Leaves each run's first key in `out_keys` and op(…) of its values in `out_values`.
template <device_place Where, sized_values Keys, values Values, values OutKeys, values OutValues,
          class Op = plus, class Equal = equal_to>
status reduce_by_key(const Where& where, const Keys& keys, const Values& values, OutKeys&& out_keys,
                     OutValues&& out_values, std::size_t* runs, Op op = {}, Equal equal = {}) {
  using Acc = accumulator_for<value_of<OutValues>>;
  if constexpr (detail::can_reduce_runs<Op, Acc>() && detail::can_run<Equal>() &&
                detail::can_write<OutKeys>() && detail::can_write<OutValues>()) {
    detail::require_same_bits<Where, Op, Acc>();
    static_assert(std::is_same_v<value_of<OutKeys>, given_value_of<Keys>>,
                  "out_keys has another type than the keys");
    const auto given = detail::device_view(values);
    const status s = detail::refuse_fewer("fewer values than keys",
                                          detail::given_values<Keys>::count(keys).n, given.size());
    if (!s.ok()) return s;
    auto problem = detail::runs_of<detail::run_output::pairs, Acc>(
        keys, detail::values_at<value_of<Values>>{given.data()}, std::ranges::data(out_values),
        std::min(std::ranges::size(out_keys), std::ranges::size(out_values)), op, equal);
    problem.out_keys = std::ranges::data(out_keys);
    problem.runs = runs;
    return detail::reduce_runs(detail::for_cleared(where), problem);
  } else {
    return {};
  }
}
/// The same; returns the number of runs.
template <device_place Where, sized_values Keys, values Values, values OutKeys, values OutValues,
          class Op = plus, class Equal = equal_to>
  requires(!std::is_pointer_v<Op>)
std::size_t reduce_by_key(const Where& where, const Keys& keys, const Values& values,
                          OutKeys&& out_keys, OutValues&& out_values, Op op = {},
                          Equal equal = {}) {
  return detail::counted(
      where, "reduce_by_key", detail::given_values<Keys>::count(keys).n,
      std::min(std::ranges::size(out_keys), std::ranges::size(out_values)), [&](std::size_t* runs) {
        return reduce_by_key(where, keys, values, out_keys, out_values, runs, op, equal);
      });
}

/// Leaves each run's first value in `out_values` and its length in `out_lengths`.
template <device_place Where, sized_values In, values OutValues, values OutLengths,
          class Equal = equal_to>
status run_length_encode(const Where& where, const In& in, OutValues&& out_values,
                         OutLengths&& out_lengths, std::size_t* runs, Equal equal = {}) {
  using length = value_of<OutLengths>;
  if constexpr (detail::can_run<Equal>() && detail::can_write<OutValues>() &&
                detail::can_write<OutLengths>()) {
    static_assert(std::is_integral_v<length>, "lengths are integers");
    static_assert(std::is_same_v<value_of<OutValues>, given_value_of<In>>,
                  "out_values has another type than the values");
    auto problem = detail::runs_of<detail::run_output::pairs, length>(
        in, detail::constant_values<length>{length{1}}, std::ranges::data(out_lengths),
        std::min(std::ranges::size(out_values), std::ranges::size(out_lengths)), plus{}, equal);
    problem.out_keys = std::ranges::data(out_values);
    problem.runs = runs;
    return detail::reduce_runs(detail::for_cleared(where), problem);
  } else {
    return {};
  }
}
/// The same; returns the number of runs.
template <device_place Where, sized_values In, values OutValues, values OutLengths,
          class Equal = equal_to>
  requires(!std::is_pointer_v<Equal>)
std::size_t run_length_encode(const Where& where, const In& in, OutValues&& out_values,
                              OutLengths&& out_lengths, Equal equal = {}) {
  return detail::counted(where, "run_length_encode", detail::given_values<In>::count(in).n,
                         std::min(std::ranges::size(out_values), std::ranges::size(out_lengths)),
                         [&](std::size_t* runs) {
                           return run_length_encode(where, in, out_values, out_lengths, runs,
                                                    equal);
                         });
}

/// Leaves each run's first key in `out_keys` and the value that stands with it in `out_values`;
/// the outputs may be the inputs.
template <device_place Where, sized_values Keys, values Values, values OutKeys, values OutValues,
          class Equal = equal_to>
status unique_by_key(const Where& where, const Keys& keys, const Values& values, OutKeys&& out_keys,
                     OutValues&& out_values, std::size_t* runs, Equal equal = {}) {
  if constexpr (detail::can_run<Equal>() && detail::can_write<OutKeys>() &&
                detail::can_write<OutValues>()) {
    using K = given_value_of<Keys>;
    using V = value_of<Values>;
    static_assert(std::is_same_v<value_of<OutKeys>, K> && std::is_same_v<value_of<OutValues>, V>,
                  "an output has another type than its input");
    const auto given = detail::device_view(values);
    const auto count = detail::given_values<Keys>::count(keys);
    const status s = detail::refuse_fewer("fewer values than keys", count.n, given.size());
    if (!s.ok()) return s;
    auto problem = detail::select_problem<K, V, detail::first_of_run<Equal>>{};
    problem.keys = detail::given_values<Keys>::most(keys).data();
    problem.items = given.data();
    problem.count = count;
    problem.out = std::ranges::data(out_keys);
    problem.out_items = std::ranges::data(out_values);
    problem.room = std::min(std::ranges::size(out_keys), std::ranges::size(out_values));
    problem.selected = runs;
    problem.in_place = problem.out == problem.keys || problem.out_items == problem.items;
    problem.test = {equal};
    return detail::select(detail::for_cleared(where), problem);
  } else {
    return {};
  }
}
/// The same; returns the number of runs.
template <device_place Where, sized_values Keys, values Values, values OutKeys, values OutValues,
          class Equal = equal_to>
  requires(!std::is_pointer_v<Equal>)
std::size_t unique_by_key(const Where& where, const Keys& keys, const Values& values,
                          OutKeys&& out_keys, OutValues&& out_values, Equal equal = {}) {
  return detail::counted(
      where, "unique_by_key", detail::given_values<Keys>::count(keys).n,
      std::min(std::ranges::size(out_keys), std::ranges::size(out_values)), [&](std::size_t* runs) {
        return unique_by_key(where, keys, values, out_keys, out_values, runs, equal);
      });
}

/// out[i] = op(…) of the values from the first of i's run up to i. `out` may be `values`.
template <device_place Where, sized_values Keys, values Values, values Out, class Op = plus,
          class Equal = equal_to>
status inclusive_scan_by_key(const Where& where, const Keys& keys, const Values& values, Out&& out,
                             Op op = {}, Equal equal = {}) {
  using Acc = accumulator_for<value_of<Out>>;
  return detail::scan_runs<detail::run_output::inclusive>(where, keys, values, out, Acc{}, op,
                                                          equal);
}
/// out[i] = op(init, …) of the values from the first of i's run up to i - 1, accumulated in init's
/// type; init at the first of each run. `out` may be `values`.
template <device_place Where, sized_values Keys, values Values, values Out, class Acc,
          class Op = plus, class Equal = equal_to>
status exclusive_scan_by_key(const Where& where, const Keys& keys, const Values& values, Out&& out,
                             Acc init, Op op = {}, Equal equal = {}) {
  return detail::scan_runs<detail::run_output::exclusive>(where, keys, values, out, init, op,
                                                          equal);
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
