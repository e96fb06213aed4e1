// Exact sums across ranks: unrounded sums are exchanged, so the result has the same bits for any
// number of ranks and any split of the values.
#pragma once

#include "warpfold/mpi/reduce.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

/// The sum of all ranks' values, not rounded yet.
template <class Where, values Range>
  requires detail::summable<value_of<Range>>
exact_accumulator<value_of<Range>> exact_accumulate(const across_ranks<Where>& place,
                                                    const Range& range) {
  using namespace mpi_detail;
  using T = value_of<Range>;
  require_same_call<T>(place, "exact_accumulate");
  return sum_of<T>(reduce_ranks<sum_bytes<T>>(
      place, [&] { return to_bytes(exact_accumulate(place.here(), range)); }, merge_bytes<T>{}));
}

/// The sum, rounded once; +0 of no values.
template <class Where, values Range>
  requires detail::summable<value_of<Range>>
value_of<Range> exact_sum(const across_ranks<Where>& place, const Range& range) {
  return exact_accumulate(place, range).round();
}

/// The sum divided by the number of values, rounded once. Throws usage_error if no rank has any.
template <class Where, values Range>
  requires detail::summable<value_of<Range>>
value_of<Range> exact_mean(const across_ranks<Where>& place, const Range& range) {
  using namespace mpi_detail;
  using T = value_of<Range>;
  const auto all = of_counted(
      place, "exact_mean", range,
      [](const Where& where, const Range& part) { return to_bytes(exact_accumulate(where, part)); },
      [](const auto& a, const auto& b, std::uint64_t) { return merge_bytes<T>{}(a, b); });
  return exact_accumulator<T>::from_bytes(all.value).mean(all.count);
}

/// The sum of a[i] * b[i], rounded once. Throws usage_error on a rank with not as many of both.
template <class Where, values A, values B>
  requires detail::summable<value_of<A>> && std::same_as<value_of<A>, value_of<B>>
value_of<A> exact_dot(const across_ranks<Where>& place, const A& a, const B& b) {
  using namespace mpi_detail;
  using T = value_of<A>;
  require_same_call<T>(place, "exact_dot");
  const auto all = reduce_ranks<detail::product_state<T>>(
      place,
      [&] {
        const auto x = view(a), y = view(b);
        if (x.size() != y.size()) {
          throw usage_error("warpfold::exact_dot(across(…), a, b) of ", x.size(), " and ", y.size(),
                            " values on rank ", place.rank(), ": give it as many of both");
        }
        return x.empty() ? detail::product_state<T>{} : product_partial(place.here(), x, y);
      },
      merge_states{});
  return all->template quotient<T>(1);
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
