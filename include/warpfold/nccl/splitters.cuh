// Exact splitters on GPUs: where each rank's sorted keys are to be cut so that the pieces before
// the cuts are the first rows of all. As in mpi/splitters.hpp by weighted medians, but every rank
// makes every cut's choice, since there are few: a round is an all-gather of a key for each cut and
// an all-reduce of a count. Equal keys stand in the order of the ranks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpfold/nccl/communicator.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace nccl_detail {

/// A rank's median for a cut: of `weight` rows that may lie on either side, if there are any.
template <class Key>
struct median_offer {
  Key key;
  std::uint64_t weight, index;
};

/// What is known of a cut on this rank: it lies in [low, high]. `pivot_before` of this rank's rows
/// stand before the pivot of this round, or that many and the pivot itself, where it is this
/// rank's.
struct cut_state {
  std::uint64_t low, high, pivot_before;
  bool has_pivot, is_mine;
};

/// Device memory of a search for cuts, and the state of its rounds.
template <class Key, class Less>
struct cut_search {
  const Key* keys;
  std::uint64_t n;
  unsigned rank, ranks;
  const std::uint64_t* counts;      // rows that each rank is to have, by rank
  cut_state* state;                 // by cut
  median_offer<Key>* mine;          // by cut
  const median_offer<Key>* offers;  // by rank, then by cut
  std::uint64_t* before;            // by cut: this rank's rows before the pivot, then all ranks'
  unsigned* open;                   // cuts that had a pivot in this round
  Less less;

  /// Rows of all ranks that lie before cut c.
  [[nodiscard]] __device__ std::uint64_t target(unsigned c) const {
    std::uint64_t rows = 0;
    for (unsigned r = 0; r < c; ++r) rows += counts[r];
    return rows;
  }

  /// Takes in what all ranks have counted, and offers the median of what is left.
  __device__ void offer(unsigned c, bool first) const {
    cut_state s = state[c];
    if (first) {
      s = {0, c == 0 ? 0 : n, 0, false, false};
    } else if (s.has_pivot) {
      if (before[c] < target(c)) {
        const std::uint64_t least = s.pivot_before + (s.is_mine ? 1 : 0);
        s.low = s.low < least ? least : s.low;
      } else {
        s.high = s.high < s.pivot_before ? s.high : s.pivot_before;
      }
    }
    state[c] = s;
    const std::uint64_t middle = s.low + (s.high - s.low) / 2;
    median_offer<Key> o{};
    if (s.low < s.high) o = {keys[middle], s.high - s.low, middle};
    mine[c] = o;
  }

  /// Chooses the offer at which half of the weights is reached, in the order of keys, then of
  /// ranks, and counts this rank's rows before it.
  __device__ void choose(unsigned c) const {
    std::uint64_t all = 0;
    for (unsigned r = 0; r < ranks; ++r) all += of(r, c).weight;
    cut_state s = state[c];
    s.has_pivot = all > 0;
    before[c] = 0;
    for (unsigned r = 0; r < ranks && all > 0; ++r) {
      const median_offer<Key> candidate = of(r, c);
      if (candidate.weight == 0) continue;
      std::uint64_t earlier = 0;
      for (unsigned q = 0; q < ranks; ++q) {
        const median_offer<Key> other = of(q, c);
        const bool comes_first =
            q < r ? !less(candidate.key, other.key) : q > r && less(other.key, candidate.key);
        if (other.weight > 0 && comes_first) earlier += other.weight;
      }
      if (2 * earlier >= all || 2 * (earlier + candidate.weight) < all) continue;
      s.is_mine = r == rank;
      s.pivot_before = r == rank ? candidate.index : rows_before(candidate.key, rank < r);
      before[c] = s.pivot_before;
      atomicAdd(open, 1U);
      break;
    }
    state[c] = s;
  }

 private:
  [[nodiscard]] __device__ const median_offer<Key>& of(unsigned r, unsigned c) const {
    return offers[r * ranks + c];
  }
  [[nodiscard]] __device__ std::uint64_t rows_before(const Key& key, bool with_equals) const {
    std::uint64_t low = 0, high = n;
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      const bool is_before = with_equals ? !less(key, keys[middle]) : less(keys[middle], key);
      low = is_before ? middle + 1 : low;
      high = is_before ? high : middle;
    }
    return low;
  }
};

/// A thread for each cut.
template <class Key, class Less>
__global__ void __launch_bounds__(128) offer_kernel(cut_search<Key, Less> search, bool first) {
  const unsigned c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c == 0) *search.open = 0;
  if (c < search.ranks) search.offer(c, first);
}
template <class Key, class Less>
__global__ void __launch_bounds__(128) choose_kernel(cut_search<Key, Less> search) {
  const unsigned c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < search.ranks) search.choose(c);
}
/// Every rank's cuts, and its number of rows behind them, where the search has ended.
template <class Key, class Less>
__global__ void __launch_bounds__(128)
    store_cuts_kernel(cut_search<Key, Less> search, std::uint64_t* cuts) {
  const unsigned c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < search.ranks) cuts[c] = search.state[c].low;
  if (c == search.ranks) cuts[c] = search.n;
}

/// Rounds until all cuts are known. The host asks after each few of them, since it can't know
/// before.
template <class Key, class Less, class Where>
status find_cuts(const across_gpus<Where>& place, const Key* keys, std::size_t n,
                 const std::uint64_t* counts, std::uint64_t* cuts, const Less& less) {
  constexpr unsigned rounds_at_once = 8;
  const auto ranks = static_cast<unsigned>(place.size());
  const stream_type stream = place.here().stream();
  rank_values<median_offer<Key>> offers;
  detail::device_buffer<cut_state> state;
  detail::device_buffer<std::uint64_t> before;
  detail::device_buffer<unsigned> open;
  status s = offers.allocate(place, ranks);
  if (s.ok()) s = state.allocate(ranks, stream);
  if (s.ok()) s = before.allocate(ranks, stream);
  if (s.ok()) s = open.allocate(1, stream);
  const cut_search<Key, Less> search{keys,
                                     n,
                                     static_cast<unsigned>(place.rank()),
                                     ranks,
                                     counts,
                                     state.data(),
                                     offers.mine(),
                                     offers.all(),
                                     before.data(),
                                     open.data(),
                                     less};
  const launch_config each_cut{.grid = ranks / 128 + 1, .block = 128, .stream = stream};
  unsigned still_open = 1;
  for (bool first = true; s.ok() && still_open > 0;) {
    for (unsigned round = 0; s.ok() && round < rounds_at_once; ++round, first = false) {
      s = try_launch(each_cut, offer_kernel<Key, Less>, search, first);
      if (s.ok()) s = offers.gather(place);
      if (s.ok()) s = try_launch(each_cut, choose_kernel<Key, Less>, search);
      if (s.ok()) {
        s = to_status(ncclAllReduce(before.data(), before.data(), ranks, ncclUint64, ncclSum,
                                    place.comm(), place.stream()));
      }
    }
    if (s.ok()) s = copy_async(&still_open, open.data(), sizeof still_open, stream);
    if (s.ok()) s = wait_for(stream);
  }
  return s.ok() ? try_launch(each_cut, store_cuts_kernel<Key, Less>, search, cuts) : s;
}

}  // namespace nccl_detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
