// The exact sums of a CUDA device: the real number, rounded once. The same bits for any order of
// the values and on any machine, the host's calls included. Values are f32 or f64; each is read
// once.
//
//   x = exact_sum(device.on(stream), values)           waits for the result; throws
//   exact_sum_into(device.on(stream).with(memory), values, out)
//                                                      returns at once; returns a status
//
// As with reduce_into: the second form never synchronises; with a workspace (exact_workspace_bytes)
// it allocates nothing, and it can be captured in a graph either way.
#pragma once

#include "warpfold/device/exact.cuh"
#include "warpfold/device/reduce_calls.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {

/// Bytes of workspace for any exact sum of values of T; `reduce` may be given as much.
template <detail::summable T>
constexpr std::size_t exact_workspace_bytes() {
  return detail::mailbox::bytes(std::size_t{tuning::exact_blocks} * detail::told_words<T> *
                                detail::words_of<std::int64_t>);
}

namespace detail {

template <class T>
status exact_into(const device_execution& where, const exact_request<T>& request) {
  const scratch memory(where, exact_workspace_bytes<T>());
  if (!memory.state().ok()) return memory.state();
  return launch_exact(memory.where(), request);
}

}  // namespace detail

/// Leaves the sum, rounded once (exact_accumulator::round), in `*out`; +0 of no values.
template <values Range>
requires detail::summable<value_of<Range>> status exact_sum_into(const device_execution& where,
                                                                 const Range& range,
                                                                 value_of<Range>* out) {
  const auto in = view(range);
  return detail::exact_into<value_of<Range>>(where, {in.data(), in.size(), 0, false, out, nullptr});
}

/// Leaves the sum in `*out`, not rounded yet.
template <values Range>
requires detail::summable<value_of<Range>> status exact_accumulate_into(
    const device_execution& where, const Range& range, exact_accumulator<value_of<Range>>* out) {
  const auto in = view(range);
  return detail::exact_into<value_of<Range>>(where, {in.data(), in.size(), 0, false, nullptr, out});
}

template <values Range>
requires detail::summable<value_of<Range>> value_of<Range> exact_sum(const device_execution& where,
                                                                     const Range& range) {
  return detail::result_of<value_of<Range>>(
      where, "exact_sum", std::ranges::size(range),
      [&](auto* out) { return exact_sum_into(where, range, out); });
}

template <values Range>
requires detail::summable<value_of<Range>> exact_accumulator<value_of<Range>> exact_accumulate(
    const device_execution& where, const Range& range) {
  return detail::result_of<exact_accumulator<value_of<Range>>>(
      where, "exact_accumulate", std::ranges::size(range),
      [&](auto* out) { return exact_accumulate_into(where, range, out); });
}

/// The sum divided by the number of values, rounded once; throws usage_error for no values.
template <values Range>
requires detail::summable<value_of<Range>> value_of<Range> exact_mean(const device_execution& where,
                                                                      const Range& range) {
  const std::size_t n = std::ranges::size(range);
  detail::require_values("exact_mean", n);
  return exact_accumulate(where, range).mean(n);
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
