// Exact order statistics of all ranks' values: each rank counts its own by a digit at a time, and
// all add up their counts. A rank sends 16 KiB for each value that is sought and each 11 bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "warpfold/host/quantiles.hpp"
#include "warpfold/ranks/transport.hpp"

namespace warpfold::inline WARPFOLD_MACHINE::ranks_detail {

/// How many values all ranks have.
template <transport Ranks>
std::size_t values_of_all(const Ranks& ranks, std::size_t n) {
  return begins_of(ranks.all_gather(std::uint64_t{n})).back();
}

/// The values at these indices of the sorted order of the n that all ranks have.
template <transport Ranks, class K>
std::vector<K> values_at(const Ranks& ranks, std::span<const K> keys, std::size_t n,
                         std::span<const std::size_t> indices) {
  return host_detail::order_statistics<K>::find(
      ranks.here(), keys, n, indices,
      [&](std::size_t size, const auto& count) { return ranks.all_reduce(size, count); });
}

template <transport Ranks, class K>
K nth_element(const Ranks& ranks, std::span<const K> keys, std::size_t nth) {
  const std::size_t n = values_of_all(ranks, keys.size());
  if (nth >= n) {
    throw usage_error("warpfold::nth_element(across(…), values, ", nth, "): the ranks have ", n,
                      " values, counted from 0");
  }
  return values_at(ranks, keys, n, std::array{nth})[0];
}

template <transport Ranks, class K>
void quantiles_into(const Ranks& ranks, std::span<const K> keys, std::span<const double> q,
                    double* out, interpolation how) {
  const std::size_t n = values_of_all(ranks, keys.size());
  host_detail::throw_refused("warpfold::quantiles(across(…), values, q)",
                             detail::refuse_quantiles(q, n));
  host_detail::quantiles_of(n, q, out, how, [&](std::span<const std::size_t> indices) {
    return values_at(ranks, keys, n, indices);
  });
}

}  // namespace warpfold::inline WARPFOLD_MACHINE::ranks_detail
