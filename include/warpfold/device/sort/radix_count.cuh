// Counts every digit of every pass in one read of the keys, and plans the passes.
// Reads each key once; an addition in shared memory for each digit of a key; one barrier a block.
// The last block turns the counts into the places of the digits' first rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpfold/device/sort/radix_plan.cuh"
#include "warpfold/warp/scan.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

inline constexpr unsigned radix_count_threads = 512;

template <class Key>
struct radix_count_shared {
  static constexpr unsigned copies = 2;  // by warps in turns, so that fewer meet
  unsigned count[copies][sizeof(Key)][radix_digits];
  bool constant[radix_control::most_passes];
  bool is_last;
};

/// A warp replaces the counts of one pass by exclusive sums. Whether all keys have one digit.
__device__ __forceinline__ bool scan_digits(radix_control::count (&counts)[radix_digits],
                                            std::size_t n) {
  constexpr unsigned items = radix_digits / warp_size;
  const unsigned lane = threadIdx.x % warp_size;
  radix_control::count of[items], sum = 0;
  bool constant = false;
#pragma unroll
  for (unsigned k = 0; k < items; ++k) {
    of[k] = load_relaxed(reinterpret_cast<const std::uint64_t*>(&counts[lane * items + k]));
    constant = constant || of[k] == n;
    sum += of[k];
  }
  const auto add = [](radix_control::count a, radix_control::count b) { return a + b; };
  radix_control::count before = warp_inclusive_scan(sum, add) - sum;
#pragma unroll
  for (unsigned k = 0; k < items; ++k) {
    counts[lane * items + k] = before;
    before += of[k];
  }
  return __ballot_sync(all_lanes, constant) != 0;
}

template <class Order>
__global__ void __launch_bounds__(radix_count_threads)
    radix_count_kernel(const typename Order::key* keys, std::size_t n, radix_range range,
                       radix_control* control, radix_demands demands, Order order) {
  using key = typename Order::key;
  using encoded = typename Order::encoded;
  constexpr unsigned threads = radix_count_threads, most = sizeof(encoded);
  constexpr unsigned per_vector = sizeof(uint4) / sizeof(key), vectors = 4;
  auto& shared = shared_storage<radix_count_shared<encoded>>();
  trigger_dependents();
  for (unsigned i = threadIdx.x; i < shared.copies * most * radix_digits; i += threads) {
    (&shared.count[0][0][0])[i] = 0;
  }
  __syncthreads();
  auto& mine = shared.count[threadIdx.x / warp_size % shared.copies];
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
  const std::size_t step = std::size_t{gridDim.x} * threads;
  const std::size_t thread = std::size_t{blockIdx.x} * threads + threadIdx.x;
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

  wait_for_primary();
  const unsigned passes = range.passes();
  for (unsigned d = threadIdx.x; d < passes * radix_digits; d += threads) {
    unsigned sum = 0;
#pragma unroll
    for (unsigned c = 0; c < shared.copies; ++c) sum += (&shared.count[c][0][0])[d];
    if (sum != 0) atomicAdd(&control->first[0][0][0] + d, radix_control::count{sum});
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
    const bool constant = scan_digits(control->first[0][warp], n);
    if (threadIdx.x % warp_size == 0) shared.constant[warp] = constant;
  }
  __syncthreads();
  if (threadIdx.x == 0) plan_passes(*control, passes, demands, shared.constant);
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
