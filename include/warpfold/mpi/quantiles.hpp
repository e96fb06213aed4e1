// Exact order statistics of all ranks' values, on every rank. A device's values are copied to the
// host's memory.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "warpfold/mpi/staging.hpp"
#include "warpfold/ranks/quantiles.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

/// The value that a sort of all ranks' values would put at index `nth`, in ascending order. Throws
/// usage_error unless there are more values.
template <class Where, values Range>
  requires has_order_statistics<value_of<Range>>
value_of<Range> nth_element(const across_ranks<Where>& place, const Range& range, std::size_t nth) {
  using namespace mpi_detail;
  using T = value_of<Range>;
  require_same_call<T>(place, "nth_element", nth);
  const transport ranks(place);
  staged_values<Where, Range> in;
  ranks.agreed([&] { in = staged(place.here(), range); });
  return ranks_detail::nth_element(ranks, std::span<const T>(in), nth);
}

/// Writes the quantile q[i] of all ranks' values to out[i], in the host's memory. All ranks pass
/// the same q. Throws usage_error if no rank has values, and for a share that is not between 0
/// and 1.
template <class Where, values Range>
  requires has_order_statistics<value_of<Range>>
void quantiles_into(const across_ranks<Where>& place, const Range& range, std::span<const double> q,
                    double* out, interpolation how = interpolation::linear) {
  using namespace mpi_detail;
  using T = value_of<Range>;
  require_same_call<T>(place, "quantiles", hash_of(q), how);
  const transport ranks(place);
  staged_values<Where, Range> in;
  ranks.agreed([&] { in = staged(place.here(), range); });
  ranks_detail::quantiles_into(ranks, std::span<const T>(in), q, out, how);
}
/// The quantiles.
template <class Where, values Range, std::size_t Count>
  requires has_order_statistics<value_of<Range>>
std::array<double, Count> quantiles(const across_ranks<Where>& place, const Range& range,
                                    const std::array<double, Count>& q,
                                    interpolation how = interpolation::linear) {
  std::array<double, Count> found{};
  quantiles_into(place, range, q, found.data(), how);
  return found;
}

/// The median of all ranks' values: of an even number of them the mean of the two in the middle.
/// Throws usage_error if no rank has any.
template <class Where, values Range>
  requires has_order_statistics<value_of<Range>>
double median(const across_ranks<Where>& place, const Range& range) {
  return quantiles(place, range, std::array{0.5})[0];
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
