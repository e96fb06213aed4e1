// What blocks do to find the first k of a row's keys, each key with its index as one number:
//
//   sample   a bound up to which k keys come, but for bad luck: from keys anywhere in the row
//   filter   the row's keys up to a bound: the candidates
//   nth      the k-th of the candidates, digit by digit, from the highest bit in which they differ
//   sort     k numbers, by the bitonic network
//
// No two numbers are equal, so a row of equal keys has no more candidates than any other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "warpfold/device/sort/block.cuh"
#include "warpfold/device/top_k/ranked.cuh"
#include "warpfold/operators.hpp"
#include "warpfold/tuning/top_k.hpp"
#include "warpfold/warp/scan.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// Ranks as keys of a block's sort.
template <class Rank>
struct rank_order {
  using key = Rank;
  using encoded = Rank;
  static constexpr bool is_radix = true;
};

/// Calls f(i) for this thread's share of the first `count` numbers; loads are in flight together.
template <unsigned Threads, class Load, class F>
__device__ __forceinline__ void for_each_number(std::size_t count, Load load, F f) {
  constexpr unsigned at_once = 8;
  using number = decltype(load(std::size_t{}));
  std::size_t i = threadIdx.x;
  for (; i + (at_once - 1) * Threads < count; i += at_once * Threads) {
    number x[at_once];
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k) x[k] = load(i + k * Threads);
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k) f(x[k]);
  }
  for (; i < count; i += Threads) f(load(i));
}

/// Sorts `size` numbers, a power of two, in shared memory by key_of(number). All threads must call,
/// behind a barrier; the result is there at once. Steps that stay within a warp's numbers need no
/// barrier of the block.
template <unsigned Threads, class Number, class KeyOf>
__device__ __forceinline__ void sort_numbers(Number* list, unsigned size, KeyOf key_of) {
  for (unsigned run = 2; run <= size; run *= 2) {
    for (unsigned stride = run / 2; stride > 0; stride /= 2) {
      const unsigned flipped = stride == run / 2 ? run - 1 : stride;
      for (unsigned i = threadIdx.x; i < size / 2; i += Threads) {
        const unsigned a = 2 * i - (i & (stride - 1)), b = a ^ flipped;
        const Number low = list[a], high = list[b];
        if (key_of(high) < key_of(low)) {
          list[a] = high;
          list[b] = low;
        }
      }
      const unsigned next = stride > 1 ? stride / 2 : run;
      if (stride <= warp_size && next <= warp_size) {
        __syncwarp();
      } else {
        __syncthreads();
      }
    }
  }
  __syncthreads();
}

/// The index of a row's i-th sample: anywhere in its part, whatever order the keys are in.
__host__ __device__ __forceinline__ std::size_t sample_index(unsigned i, std::size_t part) {
  std::uint64_t mixed = (i + 1) * 0x9e3779b97f4a7c15U;
  mixed = (mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9U;
  return i * part + ((mixed >> 32) * part >> 32);
}

/// A bound up to which the first k of the row come, unless it has bad luck: the least number of
/// each thread's samples, of which `rank` come up to the bound. One sample of each part of the row,
/// so their order is that of their indices. `list` has room for a number a thread.
template <unsigned Threads, class Ranked>
__device__ __forceinline__ typename Ranked::number sampled_bound(const typename Ranked::key* keys,
                                                                 std::size_t n,
                                                                 tuning::top_k_sample sample,
                                                                 typename Ranked::number* list) {
  using number = typename Ranked::number;
  constexpr unsigned at_once = 16;
  const std::size_t part = n / sample.size;
  number least = ~number{0};
  for (unsigned first = threadIdx.x; first < sample.size; first += at_once * Threads) {
    typename Ranked::key key[at_once];
    std::size_t index[at_once];
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k) {
      const unsigned i = first + k * Threads;
      index[k] = sample_index(i, part);
      if (i < sample.size) key[k] = keys[index[k]];
    }
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k) {
      if (first + k * Threads >= sample.size) continue;
      const number x = Ranked::number_of(Ranked::encode(key[k]), index[k]);
      if (x < least) least = x;
    }
  }
  list[threadIdx.x] = least;
  __syncthreads();
  sort_numbers<Threads>(list, Threads, [](number x) { return x; });
  return list[sample.rank - 1];
}

/// Gives the numbers up to `bound` of the row's `part`th of `parts` parts to `list`, warp by warp:
/// list.reserve(count) is called by all lanes, list.put(place, i, number) by those that have some.
template <unsigned Threads, class Ranked, class List>
__device__ __forceinline__ void filter_row(const typename Ranked::key* keys, std::size_t n,
                                           typename Ranked::number bound, unsigned part,
                                           unsigned parts, const List& list) {
  using key_type = typename Ranked::key;
  using rank_type = typename Ranked::rank;
  constexpr unsigned width = 16 / sizeof(key_type), words = tuning::top_k::words;
  const rank_type bound_rank = Ranked::rank_in(bound);
  const std::size_t bound_index = Ranked::index_in(bound);
  const std::size_t past = reinterpret_cast<std::uintptr_t>(keys) % 16 / sizeof(key_type);
  const std::size_t ahead = past == 0 ? 0 : width - past, head = ahead < n ? ahead : n;
  const auto* const from = reinterpret_cast<const uint4*>(keys + head);
  const std::size_t all = (n - head) / width;

  for (std::size_t base = std::size_t{part} * Threads * words; base < all;
       base += std::size_t{parts} * Threads * words) {
    uint4 word[words];
#pragma unroll
    for (unsigned j = 0; j < words; ++j) {
      const std::size_t at = base + j * Threads + threadIdx.x;
      if (at < all) word[j] = load_once(from + at);
    }
    // Behind the bound's index, keys that are equal to its key do not count.
    const bool with_equals = head + base * width <= bound_index;
    if (!with_equals && bound_rank == 0) continue;
    const auto most = static_cast<rank_type>(bound_rank - (with_equals ? 0 : 1));
    unsigned hits[words], any = 0;
#pragma unroll
    for (unsigned j = 0; j < words; ++j) {
      key_type key[width];
      memcpy(static_cast<void*>(key), &word[j], sizeof key);
      hits[j] = 0;
#pragma unroll
      for (unsigned v = 0; v < width; ++v) {
        hits[j] |= (Ranked::encode(key[v]) <= most ? 1U : 0U) << v;
      }
      if (base + j * Threads + threadIdx.x >= all) hits[j] = 0;
      any |= hits[j];
    }
    if (!__any_sync(all_lanes, any != 0)) continue;
    const auto number_at = [&](unsigned j, unsigned v) {
      const std::size_t i = head + (base + j * Threads + threadIdx.x) * width + v;
      return Ranked::number_of(Ranked::encode(keys[i]), i);
    };
    unsigned count = 0;
#pragma unroll
    for (unsigned j = 0; j < words; ++j) {
      for (unsigned left = hits[j]; left != 0; left &= left - 1) {
        const auto v = static_cast<unsigned>(__ffs(static_cast<int>(left)) - 1);
        if (number_at(j, v) <= bound) {
          ++count;
        } else {
          hits[j] &= ~(1U << v);
        }
      }
    }
    const auto place = list.reserve(count);
    unsigned i = 0;
#pragma unroll
    for (unsigned j = 0; j < words; ++j) {
      for (unsigned left = hits[j]; left != 0; left &= left - 1) {
        list.put(place, i++,
                 number_at(j, static_cast<unsigned>(__ffs(static_cast<int>(left)) - 1)));
      }
    }
  }
  if (part != 0 || threadIdx.x >= warp_size) return;
  const std::size_t tail = head + all * width;  // with the head, fewer keys than lanes
  const std::size_t i = threadIdx.x < head ? threadIdx.x : tail + (threadIdx.x - head);
  typename Ranked::number x{};
  bool hit = i < n;
  if (hit) {
    x = Ranked::number_of(Ranked::encode(keys[i]), i);
    hit = x <= bound;
  }
  if (!__any_sync(all_lanes, hit)) return;
  const auto place = list.reserve(hit ? 1 : 0);
  if (hit) list.put(place, 0, x);
}

/// The shared memory of a selection.
template <class Ranked>
struct top_k_shared {
  typename Ranked::count bins[256];
  typename Ranked::number warp_differs[32];
  unsigned digit;
  typename Ranked::count before, inside;
  typename Ranked::count listed, found;
  std::uint64_t base;
};

/// The first of the bins up to which `wanted` numbers come: by the first warp.
template <class Ranked>
__device__ __forceinline__ void find_bin(top_k_shared<Ranked>& shared,
                                         typename Ranked::count wanted) {
  using count = typename Ranked::count;
  if (threadIdx.x >= warp_size) return;
  constexpr unsigned own = 256 / warp_size;
  const unsigned first = threadIdx.x * own;
  count sum = 0;
  for (unsigned b = 0; b < own; ++b) sum += shared.bins[first + b];
  const count through = warp_inclusive_scan(sum, plus{});
  count before = through - sum;
  if (before >= wanted || through < wanted) return;
  for (unsigned b = first;; ++b) {
    const count inside = shared.bins[b];
    if (before + inside >= wanted) {
      shared.digit = b;
      shared.before = before;
      shared.inside = inside;
      return;
    }
    before += inside;
  }
}

/// A number up to which exactly k of the `count` numbers come, for k from 1 to count.
template <unsigned Threads, class Ranked, class Load>
__device__ __forceinline__ typename Ranked::number nth_number(Load load, std::size_t count,
                                                              typename Ranked::count k,
                                                              top_k_shared<Ranked>& shared) {
  using number = typename Ranked::number;
  const number first = load(0);
  number differs = 0;
  for_each_number<Threads>(count, load, [&](number x) { differs |= x ^ first; });
  differs = warp_reduce(differs, [](number a, number b) { return a | b; });
  if (threadIdx.x % warp_size == 0) shared.warp_differs[threadIdx.x / warp_size] = differs;
  __syncthreads();
  differs = 0;
  for (unsigned w = 0; w < Threads / warp_size; ++w) differs |= shared.warp_differs[w];
  unsigned high = 0;  // numbers are alike from this bit on
  while (differs != 0) {
    differs >>= 1;
    ++high;
  }
  const auto below = [](unsigned bit) {
    return bit == 8 * sizeof(number) ? ~number{0} : (number{1} << bit) - 1;
  };
  number found = first & ~below(high);
  while (high > 0) {
    const unsigned low = high > 8 ? high - 8 : 0;
    for (unsigned b = threadIdx.x; b < 256; b += Threads) shared.bins[b] = 0;
    __syncthreads();
    const number above = ~below(high);
    for_each_number<Threads>(count, load, [&](number x) {
      if (((x ^ found) & above) != 0) return;
      atomicAdd(&shared.bins[static_cast<unsigned>((x & ~above) >> low)],
                typename Ranked::count{1});
    });
    __syncthreads();
    find_bin<Ranked>(shared, k);
    __syncthreads();
    found |= number{shared.digit} << low;
    k -= shared.before;
    high = low;
    if (shared.inside == k) break;
  }
  __syncthreads();
  return found | below(high);
}

/// Where candidates are: in a list, or, where that does not have them all, still among the keys.
template <class Ranked>
struct candidates {
  const typename Ranked::number* list;  // in shared or global memory, or null
  const typename Ranked::key* keys;
  std::size_t count;

  __device__ __forceinline__ typename Ranked::number operator()(std::size_t i) const {
    return list != nullptr ? list[i] : Ranked::number_of(Ranked::encode(keys[i]), i);
  }
};

/// Sorts the `size` numbers, a power of two, of which k are there. `memory` is what a block's sort
/// of narrow numbers works in: it takes less than half the time of one in shared memory alone.
template <unsigned Threads, class Ranked>
__device__ __forceinline__ void sort_best(typename Ranked::number* best, unsigned k, unsigned size,
                                          void* memory) {
  if constexpr (Ranked::index_bits == 32) {
    constexpr unsigned items = tuning::top_k::most / Threads;
    using order = rank_order<typename Ranked::rank>;
    const order plain;
    numbered_key<typename Ranked::rank> row[items];
#pragma unroll
    for (unsigned i = 0; i < items; ++i) {
      const unsigned at = i * Threads + threadIdx.x;
      const auto x = at < size ? best[at] : ~typename Ranked::number{0};
      row[i] = {Ranked::rank_in(x), static_cast<unsigned>(Ranked::index_in(x))};
    }
    sort_in_block(row, items * ::min(size, Threads), memory, numbered_order<order>{plain, k});
#pragma unroll
    for (unsigned i = 0; i < items; ++i) {
      const unsigned at = threadIdx.x * items + i;
      if (at < size) best[at] = Ranked::number_of(row[i].key, row[i].number);
    }
    __syncthreads();
  } else {
    sort_numbers<Threads>(best, size, [](typename Ranked::number x) { return x; });
  }
}

/// Writes the first k of the candidates. `best` has room for the power of two that is not less than
/// k, and where `is_own` the list has for such a one of its count, and may be changed; `memory` is
/// the block's, for candidates.
template <unsigned Threads, bool ByIndex, class Ranked, class Out>
__device__ __forceinline__ void finish_row(const candidates<Ranked>& from, bool is_own,
                                           typename Ranked::number* best, void* memory, unsigned k,
                                           std::size_t row, std::size_t n, const Out& out,
                                           top_k_shared<Ranked>& shared) {
  using number = typename Ranked::number;
  const auto index = [](number x) { return Ranked::index_in(x); };
  const auto pad = [](number* list, unsigned count) {
    const unsigned size = count <= 1 ? 1 : 2U << (31 - __clz(static_cast<int>(count - 1)));
    for (unsigned i = count + threadIdx.x; i < size; i += Threads) list[i] = ~number{0};
    __syncthreads();
    return size;
  };
  number* sorted = best;
  if (is_own && from.count <= tuning::top_k::sorted_at_once) {
    sorted = const_cast<number*>(from.list);
    sort_numbers<Threads>(sorted, pad(sorted, static_cast<unsigned>(from.count)),
                          [](number x) { return x; });
  } else {
    const number last = nth_number<Threads, Ranked>(from, from.count, k, shared);
    if (threadIdx.x == 0) shared.found = 0;
    __syncthreads();
    for_each_number<Threads>(from.count, from, [&](number x) {
      if (x <= last) best[atomicAdd(&shared.found, typename Ranked::count{1})] = x;
    });
    __syncthreads();
    if constexpr (!ByIndex) sort_best<Threads, Ranked>(best, k, pad(best, k), memory);
  }
  if constexpr (ByIndex) sort_numbers<Threads>(sorted, pad(sorted, k), index);
  for (unsigned i = threadIdx.x; i < k; i += Threads) {
    const std::size_t at = Ranked::index_in(sorted[i]);
    out.put(row * k + i, row * n + at, Ranked::key_in(sorted[i]), at);
  }
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
