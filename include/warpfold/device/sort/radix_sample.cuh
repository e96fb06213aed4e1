// How alike keys are: a block sorts a sample of them and says where neighbours differ.
// Reads `rows` keys anywhere; log2(rows)^2 / 2 barriers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpfold/device/sort/radix_plan.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

template <class Encoded>
struct radix_sample {
  static constexpr unsigned rows = 2048;

  Encoded key[rows];
  unsigned alike[2][radix_control::most_passes + 1];

  __device__ __forceinline__ void add_to(radix_control& control, unsigned passes) const {
    const unsigned k = threadIdx.x % 2, digit = threadIdx.x / 2;
    if (digit <= passes) atomicAdd(&control.alike[k][digit], radix_control::count{alike[k][digit]});
  }
};

/// The index of the i-th row of a sample from n: any, whatever order they are in.
__host__ __device__ __forceinline__ std::size_t sampled_index(unsigned i, std::size_t n) {
  std::uint64_t mixed = (i + 1) * 0x9e3779b97f4a7c15U;
  mixed = (mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9U;
  return (mixed >> 32) * n >> 32;
}

/// Sorts a sample by the bitonic network, and counts its neighbours, then those with one between
/// them, by the highest digit in which they differ, but for the uppermost; equal ones behind the
/// last. All threads must call. It is the `number`th sample.
template <unsigned Threads, class Order>
__device__ __forceinline__ void count_alike(const typename Order::key* keys, std::size_t n,
                                            radix_range range, const Order& order, unsigned number,
                                            radix_sample<typename Order::encoded>& sample) {
  using encoded = typename Order::encoded;
  constexpr unsigned rows = radix_sample<encoded>::rows;
  constexpr unsigned items = rows / Threads, pairs = items / 2;
  const unsigned passes = range.passes();
  typename Order::key loaded[items];
#pragma unroll
  for (unsigned k = 0; k < items; ++k) {
    loaded[k] = keys[sampled_index(number * rows + threadIdx.x + k * Threads, n)];
  }
#pragma unroll
  for (unsigned k = 0; k < items; ++k) {
    sample.key[threadIdx.x + k * Threads] = range.of(order.encode(loaded[k]));
  }
  if (threadIdx.x <= passes) sample.alike[0][threadIdx.x] = sample.alike[1][threadIdx.x] = 0;
  __syncthreads();
  for (unsigned size = 2; size <= rows; size *= 2) {
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
      const unsigned flipped = stride == size / 2 ? size - 1 : stride;
      encoded a[pairs], b[pairs];
      const auto first_of = [&](unsigned k) {
        const unsigned i = threadIdx.x + k * Threads;
        return 2 * i - (i & (stride - 1));
      };
#pragma unroll
      for (unsigned k = 0; k < pairs; ++k) {
        a[k] = sample.key[first_of(k)];
        b[k] = sample.key[first_of(k) ^ flipped];
      }
#pragma unroll
      for (unsigned k = 0; k < pairs; ++k) {
        if (a[k] <= b[k]) continue;
        sample.key[first_of(k)] = b[k];
        sample.key[first_of(k) ^ flipped] = a[k];
      }
      __syncthreads();
    }
  }
  for (unsigned i = threadIdx.x; i < 2 * rows; i += Threads) {
    const unsigned at = i / 2, between = i % 2;
    if (at + between + 1 >= rows) continue;
    const encoded differs = sample.key[at] ^ sample.key[at + between + 1];
    if (differs >> ((passes - 1) * radix_bits) != 0) continue;
    unsigned digit = passes;
    for (unsigned p = 0; p < passes && differs >> (p * radix_bits) != 0; ++p) digit = p;
    atomicAdd(&sample.alike[between][digit], 1U);
  }
  __syncthreads();
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
