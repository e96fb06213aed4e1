// Searches, of two kinds.
//
//   of many needles among sorted keys: a thread looks for several at the same time. All searches
//   halve the same number of keys, so no lane waits for another, and the loads of a thread's
//   needles overlap. log2(n) loads a needle; the first ones are in the caches.
//
//   for the first index at which something holds: blocks look at chunk after chunk in the order of
//   the indices, and end where an earlier one has been found. Reads values once at most.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpfold/bounds.hpp"
#include "warpfold/device/detail/scratch.cuh"
#include "warpfold/platform.hpp"
#include "warpfold/tuning/merge.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// How many of the sorted keys come before each needle; with `Upper`, how many do not come after.
template <bool Upper, unsigned Items, class Order>
__device__ __forceinline__ void search_keys(const typename Order::key* keys, std::size_t n,
                                            const typename Order::encoded (&needle)[Items],
                                            std::size_t (&found)[Items], const Order& order) {
  const auto goes_on = [&](std::size_t at, const auto& wanted) {
    const auto key = order.encode(keys[at]);
    return Upper ? !order.before(wanted, key) : order.before(key, wanted);
  };
  std::size_t left = n;
  for (std::size_t& place : found) place = 0;
  while (left > 1) {
    const std::size_t half = left / 2;
#pragma unroll
    for (unsigned k = 0; k < Items; ++k) {
      if (goes_on(found[k] + half - 1, needle[k])) found[k] += half;
    }
    left -= half;
  }
  if (left == 0) return;
#pragma unroll
  for (unsigned k = 0; k < Items; ++k) {
    if (goes_on(found[k], needle[k])) ++found[k];
  }
}

/// lower[i] and upper[i] of needle i; either may be null.
template <class Shape, class Index, class Order>
__global__ void __launch_bounds__(Shape::threads)
    search_kernel(const typename Order::key* keys, std::size_t n,
                  const typename Order::key* needles, std::size_t count, Index* lower, Index* upper,
                  Order order) {
  constexpr unsigned items = Shape::items;
  const std::size_t base = std::size_t{blockIdx.x} * Shape::threads * items + threadIdx.x;
  wait_for_primary();
  trigger_dependents();
  if (base >= count) return;
  typename Order::encoded needle[items];
#pragma unroll
  for (unsigned k = 0; k < items; ++k) {
    const std::size_t i = base + k * Shape::threads;
    needle[k] = order.encode(needles[i < count ? i : base]);
  }
  const auto store = [&](Index* out, const std::size_t(&found)[items]) {
#pragma unroll
    for (unsigned k = 0; k < items; ++k) {
      const std::size_t i = base + k * Shape::threads;
      if (i < count) out[i] = static_cast<Index>(found[k]);
    }
  };
  std::size_t found[items];
  if (lower != nullptr) {
    search_keys<false>(keys, n, needle, found, order);
    store(lower, found);
  }
  if (upper != nullptr) {
    search_keys<true>(keys, n, needle, found, order);
    store(upper, found);
  }
}

template <class Index, class Order>
status search_all(const typename Order::key* keys, std::size_t n,
                  const typename Order::key* needles, std::size_t count, Index* lower, Index* upper,
                  const Order& order, stream_type stream) {
  using shape = tuning::search_shape;
  if (count == 0) return {};
  const std::size_t blocks = (count - 1) / (shape::threads * shape::items) + 1;
  return try_launch({.grid = static_cast<unsigned>(blocks),
                     .block = shape::threads,
                     .stream = stream,
                     .programmatic_launch = true},
                    search_kernel<shape, Index, Order>, keys, n, needles, count, lower, upper,
                    order);
}

/// The least index at which test(i) holds, if that is below `*first`.
template <class Shape, class Test>
__global__ void __launch_bounds__(Shape::threads)
    find_first_kernel(std::size_t n, std::uint64_t* first, Test test) {
  constexpr std::size_t chunk = std::size_t{Shape::threads} * Shape::items;
  for (std::size_t base = blockIdx.x * chunk; base < n; base += gridDim.x * chunk) {
    if (load_relaxed(first) < base) return;
    std::size_t found = n;
#pragma unroll
    for (unsigned k = Shape::items; k-- > 0;) {
      const std::size_t i = base + k * Shape::threads + threadIdx.x;
      if (i < n && test(i)) found = i;
    }
    if (found < n) atomicMin(reinterpret_cast<unsigned long long*>(first), found);
  }
}
template <class Index>
__global__ void set_kernel(Index* out, Index value) {
  *out = value;
}

/// Leaves in `*out` the first of n indices at which test(i) holds; n if it holds at none.
template <class Test>
status find_first(std::size_t n, std::size_t* out, const Test& test, stream_type stream) {
  using shape = tuning::find_shape;
  auto* const first = reinterpret_cast<std::uint64_t*>(out);
  const status s = try_launch({.grid = 1, .block = 1, .stream = stream}, set_kernel<std::uint64_t>,
                              first, std::uint64_t{n});
  if (!s.ok() || n == 0) return s;
  const std::size_t chunks = (n - 1) / (shape::threads * shape::items) + 1;
  const std::size_t most = std::size_t{current_device().multiprocessors} * shape::blocks;
  return try_launch({.grid = static_cast<unsigned>(at_most(chunks, most)),
                     .block = shape::threads,
                     .stream = stream},
                    find_first_kernel<shape, Test>, n, first, test);
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
