// Exact sums on the host's threads: exact_sum, exact_mean, exact_dot and what they are made from,
// exact_accumulate. Each is the real number, rounded once: the same bits for any order of the
// values, any number of threads, and as on a device. Values are f32 or f64; each is read once.
#pragma once

#include <cstddef>
#include <span>

#include "warpfold/error.hpp"
#include "warpfold/exact/accumulator.hpp"
#include "warpfold/exact/product.hpp"
#include "warpfold/host/detail/exact_accumulate.hpp"
#include "warpfold/ranges.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
/// The sum of all values, not rounded yet: to merge with others, to store, to round.
template <host_place Where, values Range>
  requires detail::summable<value_of<Range>>
exact_accumulator<value_of<Range>> exact_accumulate(Where where, const Range& range) {
  return host_detail::accumulate_exactly<value_of<Range>>(where, view(range));
}

/// The sum, rounded once (see exact_accumulator::round); +0 of no values.
template <host_place Where, values Range>
  requires detail::summable<value_of<Range>>
value_of<Range> exact_sum(Where where, const Range& range) {
  return exact_accumulate(where, range).round();
}

/// The sum divided by the number of values, rounded once: it never overflows. Throws usage_error if
/// there are no values.
template <host_place Where, values Range>
  requires detail::summable<value_of<Range>>
value_of<Range> exact_mean(Where where, const Range& range) {
  const std::size_t n = view(range).size();
  if (n == 0) {
    throw usage_error(
        "warpfold::exact_mean(host, range) of no values: call it only where there are some");
  }
  return exact_accumulate(where, range).mean(n);
}

/// The sum of a[i] * b[i], rounded once. Throws usage_error if there are not as many of both.
template <host_place Where, values A, values B>
  requires detail::summable<value_of<A>> && std::same_as<value_of<A>, value_of<B>>
value_of<A> exact_dot(Where where, const A& a, const B& b) {
  using T = value_of<A>;
  const std::span<const T> x = view(a), y = view(b);
  if (x.size() != y.size()) {
    throw usage_error("warpfold::exact_dot(host, a, b) of ", x.size(), " and ", y.size(),
                      " values: give it as many of both");
  }
  return host_detail::accumulate_products(where, x, y).template quotient<T>(1);
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
