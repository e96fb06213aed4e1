// Exact splitters on GPUs: where each rank's sorted keys are to be cut so that the pieces before
// the cuts are the first rows of all. Every rank offers some of the keys between which its cut must
// lie, all ranks count their rows before each of these, and what is left to search shrinks to less
// than a gap between two: a round is an all-gather of keys and an all-reduce of counts, and the
// number of rounds is known before. Equal keys stand in the order of the ranks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "warpfold/nccl/communicator.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace nccl_detail {

/// A key that a cut may lie at, and its index in the rows of the rank that offers it.
template <class Key>
struct offered_key {
  static constexpr std::uint64_t none = ~std::uint64_t{0};
  Key key;
  std::uint64_t index;
};

/// Where a cut lies among this rank's rows.
struct cut_range {
  std::uint64_t low, high;
};

/// Device memory of a search for cuts, one for each rank, before what goes to it. What all ranks
/// offer for a cut are its candidates.
template <class Key, class Less>
struct cut_search {
  const Key* keys;
  std::uint64_t n;
  unsigned rank, ranks, samples;
  const std::uint64_t* counts;  // rows that each rank is to have, by rank
  cut_range* ranges;            // by cut
  offered_key<Key>* mine;       // by cut, then by sample
  const offered_key<Key>* all;  // by rank, then likewise
  std::uint64_t* before_here;   // this rank's rows before each candidate, by cut
  std::uint64_t* before;        // all ranks'
  Less less;

  [[nodiscard]] __host__ __device__ unsigned candidates() const { return ranks * samples; }

  /// Rows of all ranks that lie before cut c.
  [[nodiscard]] __device__ std::uint64_t target(unsigned c) const {
    std::uint64_t rows = 0;
    for (unsigned r = 0; r < c; ++r) rows += counts[r];
    return rows;
  }
  /// Candidate i of cut c: of rank i / samples.
  [[nodiscard]] __device__ const offered_key<Key>& candidate(unsigned c, unsigned i) const {
    return all[(i / samples * ranks + c) * samples + i % samples];
  }

  /// This rank's rows before candidate i, among those where the cut may lie: that is enough to tell
  /// on which side of the cut the candidate is.
  [[nodiscard]] __device__ std::uint64_t count(unsigned c, unsigned i) const {
    const offered_key<Key> offer = candidate(c, i);
    const unsigned owner = i / samples;
    if (offer.index == offer.none || owner == rank) return offer.index;
    std::uint64_t low = ranges[c].low, high = ranges[c].high;
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      const bool is_before =
          rank < owner ? !less(offer.key, keys[middle]) : less(keys[middle], offer.key);
      low = is_before ? middle + 1 : low;
      high = is_before ? high : middle;
    }
    return low;
  }
};

/// By one block: what the counts of the round before say of cut blockIdx.x.
template <class Key, class Less>
__device__ cut_range narrowed(const cut_search<Key, Less>& search, bool first) {
  const unsigned c = blockIdx.x;
  if (first) return {0, c == 0 ? 0 : search.n};
  auto& range = detail::shared_storage<cut_range>();
  if (threadIdx.x == 0) range = search.ranges[c];
  __syncthreads();
  const std::uint64_t target = search.target(c);
  for (unsigned i = threadIdx.x; i < search.candidates(); i += blockDim.x) {
    if (search.candidate(c, i).index == offered_key<Key>::none) continue;
    const std::size_t at = std::size_t{c} * search.candidates() + i;
    const std::uint64_t here = search.before_here[at];
    using word = unsigned long long;
    if (search.before[at] < target) {
      const bool is_mine = i / search.samples == search.rank;
      atomicMax(reinterpret_cast<word*>(&range.low), static_cast<word>(here + (is_mine ? 1 : 0)));
    } else {
      atomicMin(reinterpret_cast<word*>(&range.high), static_cast<word>(here));
    }
  }
  __syncthreads();
  return range;
}

/// A block for each cut: takes in what all ranks have counted, and offers keys of what is left.
template <class Key, class Less>
__global__ void __launch_bounds__(128) offer_kernel(cut_search<Key, Less> search, bool first) {
  const unsigned c = blockIdx.x;
  const cut_range range = narrowed(search, first);
  if (threadIdx.x == 0) search.ranges[c] = range;
  for (unsigned s = threadIdx.x; s < search.samples; s += blockDim.x) {
    offered_key<Key>& offer = search.mine[c * search.samples + s];
    const std::uint64_t index = range.low + (range.high - range.low) * s / search.samples;
    if (range.low < range.high) offer.key = search.keys[index];
    offer.index = range.low < range.high ? index : offered_key<Key>::none;
  }
}
/// A thread for each candidate of each cut.
template <class Key, class Less>
__global__ void __launch_bounds__(128) count_kernel(cut_search<Key, Less> search) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned c = i / search.candidates();
  if (c < search.ranks) search.before_here[i] = search.count(c, i % search.candidates());
}
/// Every cut, and this rank's number of rows behind them, where the search has ended.
template <class Key, class Less>
__global__ void __launch_bounds__(128)
    store_cuts_kernel(cut_search<Key, Less> search, std::uint64_t* cuts) {
  const cut_range range = narrowed(search, false);
  if (threadIdx.x != 0) return;
  cuts[blockIdx.x] = range.low;
  if (blockIdx.x == 0) cuts[search.ranks] = search.n;
}

/// Leaves each rank's cut in `cuts`, and n behind them. `counts` are the numbers of rows by rank,
/// in device memory; `most` is the greatest of them.
template <class Key, class Less, class Where>
status find_cuts(const across_gpus<Where>& place, const Key* keys, std::size_t n,
                 const std::uint64_t* counts, std::uint64_t most, std::uint64_t* cuts,
                 const Less& less) {
  const auto ranks = static_cast<unsigned>(place.size());
  const unsigned samples = ranks <= 16 ? 32 : 4;  // few bytes travel in all
  const detail::stream_type stream = place.here().stream();
  const unsigned candidates = ranks * ranks * samples;
  rank_values<offered_key<Key>> offers;
  detail::device_buffer<cut_range> ranges;
  detail::device_buffer<std::uint64_t> before_here, before;
  status s = offers.allocate(place, std::size_t{ranks} * samples);
  if (s.ok()) s = ranges.allocate(ranks, stream);
  if (s.ok()) s = before_here.allocate(candidates, stream);
  if (s.ok()) s = before.allocate(candidates, stream);
  const cut_search<Key, Less> search{keys,
                                     n,
                                     static_cast<unsigned>(place.rank()),
                                     ranks,
                                     samples,
                                     counts,
                                     ranges.data(),
                                     offers.mine(),
                                     offers.all(),
                                     before_here.data(),
                                     before.data(),
                                     less};
  const detail::launch_config each_cut{.grid = ranks, .block = 128, .stream = stream};
  const detail::launch_config each_candidate{
      .grid = (candidates + 127) / 128, .block = 128, .stream = stream};
  bool first = true;
  for (std::uint64_t left = most; s.ok() && (left > 0 || first); first = false) {
    s = detail::try_launch(each_cut, offer_kernel<Key, Less>, search, first);
    if (s.ok()) s = offers.gather(place);
    if (s.ok()) s = detail::try_launch(each_candidate, count_kernel<Key, Less>, search);
    if (s.ok()) {
      s = to_status(ncclAllReduce(before_here.data(), before.data(), candidates, ncclUint64,
                                  ncclSum, place.comm(), place.stream()),
                    place.comm());
    }
    left = left > 0 ? (left - 1) / samples : 0;  // rows between two samples
  }
  return s.ok() ? detail::try_launch(each_cut, store_cuts_kernel<Key, Less>, search, cuts) : s;
}

}  // namespace nccl_detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
