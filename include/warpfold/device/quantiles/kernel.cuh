// Values at some indices of the sorted order, without a sort: for each digit of 11 bits, from the
// highest on,
//
//   count   the keys that begin as a wanted one does, by their next digit: in shared memory, then
//           in global
//   pick    for each wanted one, the digit that it has, a warp each
//
// Reads the keys once a digit: 3 times of 4 bytes, 6 of 8. Wanted keys that begin alike are counted
// together. A thread adds equal neighbours up before it counts them, so that keys which are all
// alike do not wait for each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "warpfold/device/detail/scratch.cuh"
#include "warpfold/device/detail/value_count.cuh"
#include "warpfold/device/sort/temp_storage.cuh"
#include "warpfold/interpolation.hpp"
#include "warpfold/operators.hpp"
#include "warpfold/warp/scan.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

struct order_statistics {
  static constexpr unsigned at_once = 8;  // that are looked for in one series of launches
  static constexpr unsigned digit_bits = 11, bins = 1U << digit_bits;
  static constexpr unsigned threads = 512, blocks_per_multiprocessor = 2, words = 4;
  using count = unsigned long long;
};

/// What is known of the wanted keys.
template <class K>
struct wanted_keys {
  rank_type<K> prefix[order_statistics::at_once];             // its digits so far
  order_statistics::count before[order_statistics::at_once];  // keys before it that begin alike
  unsigned slot[order_statistics::at_once];                   // the first that begins alike
};

/// One digit: bits [low, high).
struct digit_range {
  unsigned low, high;

  template <class Rank>
  [[nodiscard]] __host__ __device__ Rank above() const {
    return high >= 8 * sizeof(Rank) ? Rank{0} : static_cast<Rank>(~Rank{0} << high);
  }
  template <class Rank>
  [[nodiscard]] __host__ __device__ unsigned of(Rank rank) const {
    return static_cast<unsigned>(rank >> low) & ((1U << (high - low)) - 1);
  }
};

template <class K, class F>
__device__ __forceinline__ void for_each_key(const K* keys, std::size_t n, F f) {
  using shape = order_statistics;
  constexpr unsigned width = 16 / sizeof(K);
  const std::size_t past = reinterpret_cast<std::uintptr_t>(keys) % 16 / sizeof(K);
  const std::size_t ahead = past == 0 ? 0 : width - past, head = ahead < n ? ahead : n;
  const auto* const from = reinterpret_cast<const uint4*>(keys + head);
  const std::size_t all = (n - head) / width, step = std::size_t{gridDim.x} * shape::threads;
  std::size_t at = std::size_t{blockIdx.x} * shape::threads + threadIdx.x;
  const auto each = [&](const uint4& word) {
    K key[width];
    memcpy(static_cast<void*>(key), &word, sizeof key);
#pragma unroll
    for (unsigned v = 0; v < width; ++v) f(key[v]);
  };
  for (; at + (shape::words - 1) * step < all; at += shape::words * step) {
    uint4 word[shape::words];
#pragma unroll
    for (unsigned j = 0; j < shape::words; ++j) word[j] = from[at + j * step];
#pragma unroll
    for (unsigned j = 0; j < shape::words; ++j) each(word[j]);
  }
  for (; at < all; at += step) each(from[at]);
  if (blockIdx.x != 0 || threadIdx.x >= 2 * width) return;
  const std::size_t i = threadIdx.x < head ? threadIdx.x : all * width + threadIdx.x;
  if (i < n) f(keys[i]);
}

template <class K, class Size>
__global__ void __launch_bounds__(order_statistics::threads,
                                  order_statistics::blocks_per_multiprocessor)
    count_digits_kernel(const K* keys, std::size_t n, const wanted_keys<K>* wanted, unsigned count,
                        digit_range digit, order_statistics::count* bins, Size size) {
  using rank = rank_type<K>;
  using shape = order_statistics;
  unsigned* const own = dynamic_shared<unsigned>();
  struct storage {
    rank prefix[shape::at_once];
    unsigned slot[shape::at_once];
    unsigned slots;
  };
  auto& shared = shared_storage<storage>();
  wait_for_primary();
  trigger_dependents();
  if constexpr (std::is_same_v<Size, device_size>) size.load(n);
  if (threadIdx.x == 0) {
    shared.slots = 0;
    for (unsigned w = 0; w < count; ++w) {
      if (wanted->slot[w] != w) continue;
      shared.slot[shared.slots] = w;
      shared.prefix[shared.slots++] = wanted->prefix[w];
    }
  }
  __syncthreads();
  const unsigned slots = shared.slots;
  for (unsigned i = threadIdx.x; i < slots * shape::bins; i += shape::threads) own[i] = 0;
  __syncthreads();
  const rank above = digit.template above<rank>();
  unsigned last = 0, run = 0;  // a bin, and what is to be added to it
  for_each_key(keys, n, [&](K key) {
    const rank r = rank_of(key);
    for (unsigned s = 0; s < slots; ++s) {
      if (((r ^ shared.prefix[s]) & above) != 0) continue;
      const unsigned bin = s * shape::bins + digit.of(r);
      if (bin != last && run > 0) {
        atomicAdd(&own[last], run);
        run = 0;
      }
      last = bin;
      ++run;
    }
  });
  if (run > 0) atomicAdd(&own[last], run);
  __syncthreads();
  for (unsigned i = threadIdx.x; i < slots * shape::bins; i += shape::threads) {
    if (own[i] == 0) continue;
    const unsigned slot = shared.slot[i / shape::bins];
    atomicAdd(&bins[slot * shape::bins + i % shape::bins], shape::count{own[i]});
  }
}

/// The indices of the wanted keys, of which nothing is known yet.
struct wanted_indices {
  std::size_t index[order_statistics::at_once];

  [[nodiscard]] __device__ __forceinline__ std::size_t of(unsigned i) const { return index[i]; }
};
/// Those of quantiles of the values whose number is on the device, two for each.
struct wanted_quantiles {
  double q[order_statistics::at_once / 2];
  interpolation how;
  std::size_t most;
  device_size size;

  [[nodiscard]] __device__ __forceinline__ std::size_t count() const {
    std::size_t n = most;
    size.load(n);
    return n;
  }
  [[nodiscard]] __device__ __forceinline__ std::size_t of(unsigned i) const {
    const std::size_t n = count();
    if (n == 0) return 0;
    const quantile_place place = place_of_quantile(q[i / 2], n, how);
    return i % 2 == 0 ? place.low : place.high;
  }
};
template <class K, class Indices>
__global__ void __launch_bounds__(order_statistics::threads)
    begin_statistics_kernel(Indices indices, wanted_keys<K>* wanted,
                            order_statistics::count* bins) {
  wait_for_primary();
  trigger_dependents();
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < order_statistics::at_once * order_statistics::bins) bins[i] = 0;
  if (i >= order_statistics::at_once) return;
  wanted->prefix[i] = 0;
  wanted->before[i] = indices.of(i);
  wanted->slot[i] = 0;
}

/// Where the found keys go: as they are, or two by two as a quantile.
template <class K>
struct found_key {
  K* out;
  __device__ __forceinline__ void put(const rank_type<K>* found, unsigned /*count*/) const {
    *out = key_of<K>(found[0]);
  }
};
template <class K>
struct found_quantiles {
  double* out;
  double share[order_statistics::at_once / 2];
  __device__ __forceinline__ void put(const rank_type<K>* found, unsigned count) const {
    for (unsigned i = 0; i < count / 2; ++i) {
      out[i] = between(as_double(key_of<K>(found[2 * i])), as_double(key_of<K>(found[2 * i + 1])),
                       share[i]);
    }
  }
};

inline constexpr double no_quantile = std::numeric_limits<double>::quiet_NaN();
/// The same of values whose number is on the device.
template <class K>
struct found_sized_quantiles {
  double* out;
  wanted_quantiles wanted;
  __device__ __forceinline__ void put(const rank_type<K>* found, unsigned count) const {
    const std::size_t n = wanted.count();
    for (unsigned i = 0; i < count / 2; ++i) {
      out[i] = n == 0 ? no_quantile
                      : between(as_double(key_of<K>(found[2 * i])),
                                as_double(key_of<K>(found[2 * i + 1])),
                                place_of_quantile(wanted.q[i], n, wanted.how).share);
    }
  }
};

template <class K, class Out>
__global__ void __launch_bounds__(order_statistics::at_once* warp_size)
    pick_digits_kernel(wanted_keys<K>* wanted, unsigned count, digit_range digit,
                       order_statistics::count* bins, Out out) {
  using shape = order_statistics;
  using rank = rank_type<K>;
  struct storage {
    rank prefix[shape::at_once];
  };
  auto& shared = shared_storage<storage>();
  constexpr unsigned own = shape::bins / warp_size;
  wait_for_primary();
  trigger_dependents();
  const unsigned w = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
  if (w < count) {
    const shape::count* const from = bins + wanted->slot[w] * shape::bins + lane * own;
    const shape::count index = wanted->before[w];
    if constexpr (std::is_same_v<Out, found_sized_quantiles<K>>) {  // there may be none
      if (lane == 0) shared.prefix[w] = 0;
      __syncwarp();
    }
    shape::count sum = 0;
    for (unsigned b = 0; b < own; ++b) sum += from[b];
    const shape::count through = warp_inclusive_scan(sum, plus{});
    shape::count before = through - sum;
    if (before <= index && index < through) {
      unsigned b = 0;
      while (before + from[b] <= index) before += from[b++];
      const auto found = static_cast<rank>(static_cast<rank>(lane * own + b) << digit.low);
      shared.prefix[w] = static_cast<rank>(wanted->prefix[w] | found);
      wanted->before[w] = index - before;
    }
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < shape::at_once * shape::bins; i += blockDim.x) bins[i] = 0;
  if (threadIdx.x < count) {
    unsigned slot = 0;
    while (shared.prefix[slot] != shared.prefix[threadIdx.x]) ++slot;
    wanted->prefix[threadIdx.x] = shared.prefix[threadIdx.x];
    wanted->slot[threadIdx.x] = slot;
  }
  if (threadIdx.x == 0 && digit.low == 0) out.put(shared.prefix, count);
}

/// What a series of launches works in.
template <class K>
struct statistics_storage {
  wanted_keys<K>* wanted;
  order_statistics::count* bins;
  std::size_t bytes;

  constexpr explicit statistics_storage(void* memory = nullptr) {
    memory_layout layout(memory);
    wanted = layout.take<wanted_keys<K>>(1);
    bins = layout.take<order_statistics::count>(order_statistics::at_once * order_statistics::bins);
    bytes = layout.bytes();
  }
};

/// Keys of `count` indices, `at_once` at most and as many as a block's shared memory has bins for.
template <class K, class Indices, class Out, class Size = host_size>
status find_statistics(stream_type stream, const statistics_storage<K>& memory,
                       std::span<const K> keys, const Indices& indices, unsigned count,
                       const Out& out, Size size = {}) {
  using shape = order_statistics;
  launch_config one{.grid = shape::at_once * shape::bins / shape::threads,
                    .block = shape::threads,
                    .stream = stream,
                    .programmatic_launch = true};
  status s =
      try_launch(one, begin_statistics_kernel<K, Indices>, indices, memory.wanted, memory.bins);
  one.grid = 1;
  one.block = shape::at_once * warp_size;
  launch_config all = one;
  const std::size_t tile = std::size_t{shape::threads} * shape::words * 16;
  const std::size_t tiles = (keys.size_bytes() + tile - 1) / tile;
  const std::size_t most =
      std::size_t{current_device().multiprocessors} * shape::blocks_per_multiprocessor;
  all.grid = static_cast<unsigned>(tiles < most ? tiles : most);
  all.block = shape::threads;
  all.shared_bytes = count * shape::bins * sizeof(unsigned);
  for (unsigned high = 8 * sizeof(K); high > 0 && s.ok();) {
    const digit_range digit{high > shape::digit_bits ? high - shape::digit_bits : 0, high};
    s = try_launch(all, count_digits_kernel<K, Size>, keys.data(), keys.size(),
                   static_cast<const wanted_keys<K>*>(memory.wanted), count, digit, memory.bins,
                   size);
    if (s.ok()) {
      s = try_launch(one, pick_digits_kernel<K, Out>, memory.wanted, count, digit, memory.bins,
                     out);
    }
    high = digit.low;
  }
  return s;
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
