// Sums of bins over all ranks. Counts and integers are added by one all-reduce. Exact sums are not
// rounded before they are complete: each rank gets a share of the bins from all ranks, adds these
// up, and sends the rounded sums to all.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "warpfold/exact/accumulator.hpp"
#include "warpfold/host/detail/count_bins.hpp"
#include "warpfold/host/detail/key_values.hpp"
#include "warpfold/ranges.hpp"
#include "warpfold/ranks/transport.hpp"

namespace warpfold::inline WARPFOLD_MACHINE::ranks_detail {

/// counts() returns this rank's number of values in each of the bins, or their weights' sum, as
/// integers of 8 bytes, which wrap. It may allocate `room`.
template <transport Ranks, class Counts, class Room>
void add_counts(const Ranks& ranks, std::size_t bins, const Counts& counts, Room& room) {
  const auto all = ranks.all_reduce(bins, counts);
  for (std::size_t k = 0; k < bins; ++k) room[k] = static_cast<value_of<Room>>(all[k]);
}

/// sums() returns this rank's sums of the bins, not rounded. It may allocate `room`.
template <transport Ranks, class Sums, class Room>
void add_exactly(const Ranks& ranks, std::size_t bins, const Sums& sums, Room& room) {
  using W = value_of<Room>;
  using sum = exact_accumulator<W>;
  using sum_bytes = std::array<std::uint8_t, sum::bytes>;
  const auto begins = even_begins(bins, ranks.size());
  const std::size_t share = begins[ranks.rank() + 1] - begins[ranks.rank()];
  std::vector<sum_bytes> mine, shares;
  ranks.agreed([&] {
    const std::vector<sum> own = sums();
    mine.resize(bins);
    for (std::size_t k = 0; k < bins; ++k) own[k].to_bytes(mine[k].data());
    shares.resize(share * ranks.size());
  });
  row_traffic traffic{begins, {}};
  for (std::size_t r = 0; r <= ranks.size(); ++r) traffic.arrivals.push_back(share * r);
  using rows = host_detail::key_value_view<sum_bytes, void>;
  ranks.exchange(traffic, rows{mine.data()}, rows{shares.data()});
  std::vector<W> rounded;
  ranks.agreed([&] {
    for (std::size_t k = 0; k < share; ++k) {
      sum all;
      for (std::size_t r = 0; r < ranks.size(); ++r) {
        all.merge(sum::from_bytes(shares[share * r + k]));
      }
      rounded.push_back(host_detail::bin_sum<W>::value(all));
    }
  });
  const auto all = ranks.all_gather_rows(std::span<const W>(rounded));
  std::copy(all.begin(), all.end(), room.begin());
}

}  // namespace warpfold::inline WARPFOLD_MACHINE::ranks_detail
