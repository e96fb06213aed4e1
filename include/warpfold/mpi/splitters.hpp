// Exact splitters: where each rank's sorted keys are to be cut so that the pieces before the cuts
// are the first `target` rows of all. Multi-selection by weighted medians (after Saukas and Song,
// 1999): for each cut, one rank is asked for a pivot among the ranks' medians, all count what lies
// before it, and at least a quarter of what is left is decided. Equal keys stand in the order of
// the ranks, so every cut exists, whatever the keys are.
//
//   rank 0   | < cut 1 |   < cut 2     | < cut 3 |
//   rank 1   |    < cut 1   | < cut 2 |  < cut 3      |
//   rank 2   ||  < cut 2                        | < 3 |      cut 3 - cut 2 = what rank 2 is to have
//
// A round is an all-to-all of a key for each cut, an all-gather of a pivot, and an all-reduce of a
// count; there are about log2 of the longest part.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <type_traits>
#include <vector>

#include "warpfold/mpi/communicator.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace mpi_detail {

/// A rank's median for a cut: of `weight` rows that may lie on either side, if there are any.
template <class Key>
struct median_offer {
  Key key;
  std::uint64_t weight, index;
};

/// A row that all compare with: that of this index on this rank. None is needed for a cut that is
/// known.
enum class pivot_state : int { not_needed, needed, failed };
template <class Key>
struct pivot {
  Key key;
  std::uint64_t index;
  int rank;
  pivot_state state;
};

/// The offer at which half of the weights is reached, in the order of keys, then of ranks.
template <class Key, class Less>
pivot<Key> weighted_median(std::span<const median_offer<Key>> offers, const Less& less) {
  std::vector<int> order;
  std::uint64_t all = 0;
  for (std::size_t r = 0; r < offers.size(); ++r) {
    if (offers[r].weight > 0) order.push_back(static_cast<int>(r));
    all += offers[r].weight;
  }
  pivot<Key> chosen{};
  if (all == 0) return chosen;
  const auto offer = [&](int r) -> const median_offer<Key>& {
    return offers[static_cast<std::size_t>(r)];
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return less(offer(a).key, offer(b).key); });
  std::uint64_t reached = 0;
  for (const int r : order) {
    reached += offer(r).weight;
    if (2 * reached < all) continue;
    chosen = {offer(r).key, offer(r).index, r, pivot_state::needed};
    break;
  }
  return chosen;
}

/// How many of this rank's sorted keys stand before the pivot.
template <class Key, class Less>
std::uint64_t rows_before(const pivot<Key>& p, std::span<const Key> keys, int rank,
                          const Less& less) {
  if (rank == p.rank) return p.index;
  const auto at = rank < p.rank ? std::upper_bound(keys.begin(), keys.end(), p.key, less)
                                : std::lower_bound(keys.begin(), keys.end(), p.key, less);
  return static_cast<std::uint64_t>(at - keys.begin());
}

/// Where this rank's sorted keys are cut: cut r has targets[r] rows of all ranks before it. There
/// are as many targets as ranks, the first is 0. Where `less` throws on one rank, all end with the
/// round: what a rank sends says whether it failed.
template <class Key, class Where, class Less>
std::vector<std::uint64_t> find_cuts(const across_ranks<Where>& place, std::span<const Key> keys,
                                     std::span<const std::uint64_t> targets, const Less& less) {
  const std::size_t ranks = targets.size();
  std::vector<std::uint64_t> low(ranks, 0), high(ranks, keys.size());
  std::vector<std::uint64_t> before(ranks + 1),
      all(ranks + 1);  // the last counts ranks that failed
  high[0] = 0;
  std::vector<median_offer<Key>> mine(ranks), offers(ranks);
  std::vector<pivot<Key>> pivots(ranks);
  for (;;) {
    for (std::size_t r = 0; r < ranks; ++r) {
      const std::uint64_t middle = low[r] + (high[r] - low[r]) / 2;
      mine[r] = {};
      if (low[r] < high[r]) mine[r] = {keys[middle], high[r] - low[r], middle};
    }
    constexpr int offer_bytes = sizeof(median_offer<Key>), pivot_bytes = sizeof(pivot<Key>);
    check(MPI_Alltoall(mine.data(), offer_bytes, MPI_BYTE, offers.data(), offer_bytes, MPI_BYTE,
                       place.comm()),
          "MPI_Alltoall");
    std::exception_ptr failure;
    pivot<Key> own{};
    try {
      own = weighted_median(std::span<const median_offer<Key>>(offers), less);
    } catch (...) {
      failure = std::current_exception();
      own.state = pivot_state::failed;
    }
    check(MPI_Allgather(&own, pivot_bytes, MPI_BYTE, pivots.data(), pivot_bytes, MPI_BYTE,
                        place.comm()),
          "MPI_Allgather");
    const auto any = [&](pivot_state state) {
      return std::any_of(pivots.begin(), pivots.end(),
                         [&](const auto& p) { return p.state == state; });
    };
    end_on_all(failure, any(pivot_state::failed));
    if (!any(pivot_state::needed)) return low;
    try {
      for (std::size_t r = 0; r < ranks; ++r) {
        const bool needed = pivots[r].state == pivot_state::needed;
        before[r] = needed ? rows_before(pivots[r], keys, place.rank(), less) : 0;
      }
    } catch (...) {
      failure = std::current_exception();
      before[ranks] = 1;
    }
    check(MPI_Allreduce(before.data(), all.data(), static_cast<int>(ranks) + 1, MPI_UINT64_T,
                        MPI_SUM, place.comm()),
          "MPI_Allreduce");
    end_on_all(failure, all[ranks] != 0);
    for (std::size_t r = 0; r < ranks; ++r) {
      if (pivots[r].state != pivot_state::needed) continue;
      if (all[r] < targets[r]) {  // the pivot itself lies before the cut, too
        low[r] = std::max(low[r], before[r] + (pivots[r].rank == place.rank() ? 1 : 0));
      } else {
        high[r] = std::min(high[r], before[r]);
      }
    }
  }
}

}  // namespace mpi_detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
