// Counts every digit of every pass in one read of the keys, and plans the passes.
// Reads each key once; an addition in shared memory for each digit of a key; one barrier a block.
// The last block turns the counts into the places of the digits' first rows. Where a finish may
// take the place of passes, some more blocks take samples of the keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "warpfold/device/sort/radix_plan.cuh"
#include "warpfold/device/sort/radix_sample.cuh"
#include "warpfold/warp/scan.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

inline constexpr unsigned radix_count_threads = 512;
/// Of a multiprocessor. 2^24 keys of 4 bytes, with two and four: 41 and 52 us; of 8: 115 and 105.
template <class Order>
inline constexpr unsigned radix_count_blocks = sizeof(typename Order::key) <= 4 ? 2 : 4;

template <class Key, bool MayFinish>
struct radix_count_shared {
  static constexpr unsigned copies = 2;  // by warps in turns, so that fewer meet
  union {
    unsigned count[copies][sizeof(Key)][radix_digits];
    std::conditional_t<MayFinish, radix_sample<Key>, char> sample;
  };
  radix_digits_seen seen;
  bool is_last;
};

/// A warp replaces the counts of one pass by exclusive sums, and says what it has seen.
__device__ __forceinline__ void scan_digits(radix_control::count (&counts)[radix_digits],
                                            std::size_t n, bool& is_constant, float& alike) {
  constexpr unsigned items = radix_digits / warp_size;
  const unsigned lane = threadIdx.x % warp_size;
  radix_control::count of[items], sum = 0;
  bool constant = false;
  float squares = 0;
#pragma unroll
  for (unsigned k = 0; k < items; ++k) {
    of[k] = load_relaxed(reinterpret_cast<const std::uint64_t*>(&counts[lane * items + k]));
    constant = constant || of[k] == n;
    const float share = static_cast<float>(of[k]) / static_cast<float>(n);
    squares += share * share;
    sum += of[k];
  }
  const auto add = [](auto a, auto b) { return a + b; };
  radix_control::count before = warp_inclusive_scan(sum, add) - sum;
  squares = warp_inclusive_scan(squares, add);
#pragma unroll
  for (unsigned k = 0; k < items; ++k) {
    counts[lane * items + k] = before;
    before += of[k];
  }
  constant = __ballot_sync(all_lanes, constant) != 0;
  if (lane != warp_size - 1) return;
  is_constant = constant;
  alike = squares;
}

/// Counts the digits of a block's part of the keys; it is the `block`th of `blocks`.
template <class Order, class Counts>
__device__ __forceinline__ void count_digits(const typename Order::key* keys, std::size_t n,
                                             unsigned block, unsigned blocks, radix_range range,
                                             const Order& order, Counts& counts) {
  using key = typename Order::key;
  using encoded = typename Order::encoded;
  constexpr unsigned threads = radix_count_threads, most = sizeof(encoded);
  constexpr unsigned per_vector = sizeof(uint4) / sizeof(key), vectors = 4;
  constexpr unsigned copies = sizeof(Counts) / sizeof(counts[0]);
  for (unsigned i = threadIdx.x; i < copies * most * radix_digits; i += threads) {
    (&counts[0][0][0])[i] = 0;
  }
  __syncthreads();
  auto& mine = counts[threadIdx.x / warp_size % copies];
  const auto count = [&](const key& k) {
    const encoded bits = order.encode(k);
#pragma unroll
    for (unsigned p = 0; p < most; ++p) {
      if (range.shift(p) >= range.end) break;
      atomicAdd(&mine[p][bits >> range.shift(p) & range.mask(p)], 1U);
    }
  };
  const auto count_vector = [&](const uint4& vector) {
    key k[per_vector];
    memcpy(static_cast<void*>(k), &vector, sizeof vector);
#pragma unroll
    for (unsigned i = 0; i < per_vector; ++i) count(k[i]);
  };
  const std::size_t step = std::size_t{blocks} * threads;
  const std::size_t thread = std::size_t{block} * threads + threadIdx.x;
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(keys) % sizeof(uint4) / sizeof(key);
  std::size_t head = beyond == 0 ? 0 : per_vector - beyond;
  if (head > n) head = n;
  const std::size_t whole = (n - head) / per_vector, tail = head + whole * per_vector;
  const auto* const words = reinterpret_cast<const uint4*>(keys + head);
  std::size_t i = thread;
  for (; i + (vectors - 1) * step < whole; i += vectors * step) {
    uint4 vector[vectors];
#pragma unroll
    for (unsigned k = 0; k < vectors; ++k) vector[k] = words[i + k * step];
#pragma unroll
    for (unsigned k = 0; k < vectors; ++k) count_vector(vector[k]);
  }
  for (; i < whole; i += step) count_vector(words[i]);
  if (thread < head) count(keys[thread]);
  if (thread < n - tail) count(keys[tail + thread]);
  __syncthreads();
}

template <bool MayFinish, class Order>
__global__ void __launch_bounds__(radix_count_threads)
    radix_count_kernel(const typename Order::key* keys, std::size_t n, radix_range range,
                       radix_control* control, radix_demands demands, Order order) {
  constexpr unsigned threads = radix_count_threads;
  auto& shared = shared_storage<radix_count_shared<typename Order::encoded, MayFinish>>();
  const unsigned passes = range.passes(), samples = MayFinish ? demands.samples : 0;
  const bool has_sample = MayFinish && blockIdx.x < demands.samples;
  trigger_dependents();
  if (has_sample) {
    if constexpr (MayFinish) count_alike<threads>(keys, n, range, order, blockIdx.x, shared.sample);
  } else {
    count_digits(keys, n, blockIdx.x - samples, gridDim.x - samples, range, order, shared.count);
  }
  wait_for_primary();
  if (has_sample) {
    if constexpr (MayFinish) shared.sample.add_to(*control, passes);
  } else {
    for (unsigned d = threadIdx.x; d < passes * radix_digits; d += threads) {
      unsigned sum = 0;
#pragma unroll
      for (unsigned c = 0; c < shared.copies; ++c) sum += (&shared.count[c][0][0])[d];
      if (sum != 0) atomicAdd(&control->first[0][0][0] + d, radix_control::count{sum});
    }
  }
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    shared.is_last = atomicAdd(&control->blocks_done, 1U) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!shared.is_last) return;
  const unsigned warp = threadIdx.x / warp_size;
  if (warp < passes) {
    scan_digits(control->first[0][warp], n, shared.seen.constant[warp], shared.seen.alike[warp]);
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  if constexpr (MayFinish) {
    const unsigned sampled = samples * shared.sample.rows;
    if (samples > 0 && plan_finish(*control, passes, demands, shared.seen, n, sampled)) return;
  }
  plan_all_passes(*control, passes, demands, shared.seen, 0, 0);
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
