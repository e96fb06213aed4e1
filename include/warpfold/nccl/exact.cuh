// Exact sums across GPUs: unrounded sums are gathered, so the result has the same bits for any
// number of GPUs and any split of the values.
#pragma once

#include "warpfold/nccl/reduce.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace nccl_detail {

template <class T>
struct keep_sum {
  exact_accumulator<T>* out;
  __device__ void operator()(const exact_accumulator<T>* all, unsigned ranks) const {
    exact_accumulator<T> sum = all[0];
    for (unsigned r = 1; r < ranks; ++r) sum.merge(all[r]);
    *out = sum;
  }
};
template <class T>
struct round_products {
  T* out;
  __device__ void operator()(const detail::product_state<T>* all, unsigned ranks) const {
    detail::product_state<T> sum = all[0];
    for (unsigned r = 1; r < ranks; ++r) sum.merge(all[r]);
    *out = sum.template quotient<T>(1);
  }
};

}  // namespace nccl_detail

/// Leaves the sum of all ranks' values, rounded once, in every rank's `*out`.
template <device_place Where, values Range>
  requires detail::summable<value_of<Range>>
status exact_sum_into(const across_gpus<Where>& place, const Range& range, value_of<Range>* out) {
  using T = value_of<Range>;
  return nccl_detail::gather_and_finish<exact_accumulator<T>>(
      place, [&](auto* mine) { return exact_accumulate_into(place.here(), range, mine); },
      nccl_detail::round_sum<T>{out});
}
/// Leaves the sum of all ranks' values in every rank's `*out`, not rounded yet.
template <device_place Where, values Range>
  requires detail::summable<value_of<Range>>
status exact_accumulate_into(const across_gpus<Where>& place, const Range& range,
                             exact_accumulator<value_of<Range>>* out) {
  using T = value_of<Range>;
  return nccl_detail::gather_and_finish<exact_accumulator<T>>(
      place, [&](auto* mine) { return exact_accumulate_into(place.here(), range, mine); },
      nccl_detail::keep_sum<T>{out});
}
/// Leaves the sum of all ranks' a[i] * b[i], rounded once, in every rank's `*out`.
template <device_place Where, values A, values B>
  requires detail::summable<value_of<A>> && std::same_as<value_of<A>, value_of<B>>
status exact_dot_into(const across_gpus<Where>& place, const A& a, const B& b, value_of<A>* out) {
  using T = value_of<A>;
  const auto x = detail::device_view(a), y = detail::device_view(b);
  if (x.size() != y.size()) {
    return {1, "a dot product takes as many values of both", x.size(), y.size(), "values"};
  }
  return nccl_detail::gather_and_finish<detail::product_state<T>>(
      place,
      [&](auto* mine) {
        return detail::launch_exact_dot<T>(detail::for_cleared(place.here()),
                                           {x.data(), y.data(), x.size()}, {.sum = mine});
      },
      nccl_detail::round_products<T>{out});
}

/// The sum of all ranks' values, rounded once; +0 of no values. Waits; throws device_error.
template <device_place Where, values Range>
  requires detail::summable<value_of<Range>>
value_of<Range> exact_sum(const across_gpus<Where>& place, const Range& range) {
  return detail::result_of<value_of<Range>>(
      place.here(), "exact_sum", std::ranges::size(range),
      [&](auto* out) { return exact_sum_into(place, range, out); });
}
/// The sum of all ranks' values, not rounded yet. Waits; throws device_error.
template <device_place Where, values Range>
  requires detail::summable<value_of<Range>>
exact_accumulator<value_of<Range>> exact_accumulate(const across_gpus<Where>& place,
                                                    const Range& range) {
  return detail::result_of<exact_accumulator<value_of<Range>>>(
      place.here(), "exact_accumulate", std::ranges::size(range),
      [&](auto* out) { return exact_accumulate_into(place, range, out); });
}
/// The sum divided by the number of values, rounded once. Throws usage_error if no rank has any.
template <device_place Where, values Range>
  requires detail::summable<value_of<Range>>
value_of<Range> exact_mean(const across_gpus<Where>& place, const Range& range) {
  using namespace nccl_detail;
  using sum = exact_accumulator<value_of<Range>>;
  const auto all = of_counted<sum, counted<sum>>(
      place, "exact_mean", std::ranges::size(range),
      [&](sum* mine) { return exact_accumulate_into(place.here(), range, mine); },
      [](counted<sum>* out) { return join_sums<sum>{out}; });
  require_values("exact_mean", all.count > 0);
  return all.value.mean(all.count);
}
/// The sum of all ranks' a[i] * b[i], rounded once. Throws usage_error if there are not as many of
/// both here.
template <device_place Where, values A, values B>
  requires detail::summable<value_of<A>> && std::same_as<value_of<A>, value_of<B>>
value_of<A> exact_dot(const across_gpus<Where>& place, const A& a, const B& b) {
  return detail::result_of<value_of<A>>(
      place.here(), "exact_dot", std::ranges::size(a),
      [&](auto* out) { return exact_dot_into(place, a, b, out); });
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
