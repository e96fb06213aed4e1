// The exact sums of a CUDA device: the real number, rounded once. The same bits for any order of
// the values and on any machine, the host's calls included. Values are f32 or f64; each is read
// once.
//
//   x = exact_sum(device.on(stream), values)           waits for the result; throws
//   exact_sum_into(device.on(stream).with(memory), values, out)
//                                                      returns at once; returns a status
//
// As with reduce_into: the second form never synchronises; with a workspace (exact_workspace_bytes)
// it allocates nothing, and it can be captured in a graph either way. `values` may be
// `device_sized`, but for means and dot products.
#pragma once

#include "warpfold/device/exact/dot.cuh"
#include "warpfold/device/reduce.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {

/// Bytes of workspace for any exact sum or dot product of values of T, and for `reduce` and `mean`
/// to a T at determinism::gpu_to_gpu.
template <detail::summable T>
constexpr std::size_t exact_workspace_bytes() {
  return detail::exact_bytes<detail::product_bins<T>>();
}

namespace detail {

template <class Range>
using terms_of =
    value_terms<given_value_of<Range>, given_value_of<Range>, convert<given_value_of<Range>>>;

template <device_place Where, class Range>
status exact_into(const Where& where, const Range& range,
                  const exact_target<terms_of<Range>>& target) {
  const auto in = given_values<Range>::most(range);
  return launch_exact(for_cleared(where), terms_of<Range>{in.data(), in.size(), {}}, target,
                      given_values<Range>::size(range));
}

}  // namespace detail

/// Leaves the sum, rounded once (exact_accumulator::round), in `*out`; +0 of no values.
template <device_place Where, sized_values Range>
  requires detail::summable<given_value_of<Range>>
status exact_sum_into(const Where& where, const Range& range, given_value_of<Range>* out) {
  return detail::exact_into(where, range, {.out = out});
}

/// Leaves the sum in `*out`, not rounded yet.
template <device_place Where, sized_values Range>
  requires detail::summable<given_value_of<Range>>
status exact_accumulate_into(const Where& where, const Range& range,
                             exact_accumulator<given_value_of<Range>>* out) {
  return detail::exact_into(where, range, {.sum = out});
}

/// Leaves the sum divided by the number of values, rounded once, in `*out`; of no values it fails.
template <device_place Where, values Range>
  requires detail::summable<value_of<Range>>
status exact_mean_into(const Where& where, const Range& range, value_of<Range>* out) {
  const std::size_t n = std::ranges::size(range);
  if (n == 0) return {1, "there is no mean of no values", 1, 0, "values"};
  return detail::exact_into(where, range, {.out = out, .divisor = n});
}

/// Leaves the sum of a[i] * b[i], rounded once, in `*out`; fails if there are not as many of both.
template <device_place Where, values A, values B>
  requires detail::summable<value_of<A>> && std::same_as<value_of<A>, value_of<B>>
status exact_dot_into(const Where& where, const A& a, const B& b, value_of<A>* out) {
  const auto x = detail::device_view(a), y = detail::device_view(b);
  if (x.size() != y.size()) {
    return {1, "a dot product takes as many values of both", x.size(), y.size(), "values"};
  }
  return detail::launch_exact_dot<value_of<A>>(detail::for_cleared(where),
                                               {x.data(), y.data(), x.size()}, {.out = out});
}

/// The sum, rounded once; +0 of no values. Waits for the result; throws device_error.
template <device_place Where, sized_values Range>
  requires detail::summable<given_value_of<Range>>
given_value_of<Range> exact_sum(const Where& where, const Range& range) {
  return detail::result_of<given_value_of<Range>>(
      where, "exact_sum", detail::most_of(range),
      [&](auto* out) { return exact_sum_into(where, range, out); });
}

/// The sum, not rounded yet. Waits for the result; throws device_error.
template <device_place Where, sized_values Range>
  requires detail::summable<given_value_of<Range>>
exact_accumulator<given_value_of<Range>> exact_accumulate(const Where& where, const Range& range) {
  return detail::result_of<exact_accumulator<given_value_of<Range>>>(
      where, "exact_accumulate", detail::most_of(range),
      [&](auto* out) { return exact_accumulate_into(where, range, out); });
}

/// The sum divided by the number of values, rounded once: it never overflows. Throws usage_error if
/// there are no values.
template <device_place Where, values Range>
  requires detail::summable<value_of<Range>>
value_of<Range> exact_mean(const Where& where, const Range& range) {
  const std::size_t n = std::ranges::size(range);
  detail::require_values("exact_mean", n);
  return detail::result_of<value_of<Range>>(
      where, "exact_mean", n, [&](auto* out) { return exact_mean_into(where, range, out); });
}

/// The sum of a[i] * b[i], rounded once. Throws usage_error if there are not as many of both.
template <device_place Where, values A, values B>
  requires detail::summable<value_of<A>> && std::same_as<value_of<A>, value_of<B>>
value_of<A> exact_dot(const Where& where, const A& a, const B& b) {
  const std::size_t n = std::ranges::size(a), m = std::ranges::size(b);
  if (n != m) {
    throw usage_error("exact_dot of ", n, " and ", m, " values: give it as many of both");
  }
  return detail::result_of<value_of<A>>(
      where, "exact_dot", n, [&](auto* out) { return exact_dot_into(where, a, b, out); });
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
