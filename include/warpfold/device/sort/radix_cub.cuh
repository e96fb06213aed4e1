// CUB's radix sort, for keys that are ordered by their bits, where it is faster than the library's
// own (tuning::sort_plan::own_radix_to). The one header of the library that reads CUB's; nvcc only.
// A pass over the rows for each 8 bits of the key, from one buffer to the other; stable.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include <cub/device/device_radix_sort.cuh>

#include "warpfold/device/sort/key_values.cuh"
#include "warpfold/status.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// A floating-point key for CUB, which by itself takes -0 and +0 for equal and puts NaNs with the
/// sign bit first.
template <class K>
struct radix_float {
  rank_type<K> bits;
};

template <class K>
struct radix_float_traits {
  using UnsignedBits = rank_type<K>;
  // The bits of the keys with the lowest and the highest rank.
  static constexpr UnsignedBits LOWEST_KEY = ~negative_nans<K>;
  static constexpr UnsignedBits MAX_KEY = ~(negative_nans<K> - 1);

  static __host__ __device__ __forceinline__ UnsignedBits TwiddleIn(UnsignedBits bits) {
    K key;
    memcpy(&key, &bits, sizeof key);
    return rank_of(key);
  }
  static __host__ __device__ __forceinline__ UnsignedBits TwiddleOut(UnsignedBits rank) {
    const K key = key_of<K>(rank);
    UnsignedBits bits;
    memcpy(&bits, &key, sizeof bits);
    return bits;
  }

 private:
  friend struct cub::detail::is_primitive_impl;
  static constexpr bool is_primitive = false;
};

/// Of the same order and the same bits as K: few types, so few kernels.
template <class K>
using radix_key = std::conditional_t<
    std::is_floating_point_v<K>, radix_float<K>,
    std::conditional_t<std::is_signed_v<K>, std::make_signed_t<rank_type<K>>, rank_type<K>>>;

template <class Order, class K, class V>
status cub_radix_sort(key_value_view<K, V> rows, key_value_view<K, V> spare, std::size_t n,
                      void* memory, std::size_t memory_bytes, stream_type stream) {
  using key = radix_key<K>;
  using cub::DeviceRadixSort;
  constexpr bool down = std::is_same_v<Order, descending>;
  cub::DoubleBuffer<key> keys(reinterpret_cast<key*>(rows.keys),
                              reinterpret_cast<key*>(spare.keys));
  constexpr int all_bits = 8 * sizeof(K);
  const auto call = [&](void* work, std::size_t& bytes, auto count) {
    if constexpr (std::is_same_v<V, keys_only>) {
      if constexpr (down) {
        return DeviceRadixSort::SortKeysDescending(work, bytes, keys, count, 0, all_bits, stream);
      } else {
        return DeviceRadixSort::SortKeys(work, bytes, keys, count, 0, all_bits, stream);
      }
    } else {
      cub::DoubleBuffer<V> values(rows.values, spare.values);
      if constexpr (down) {
        return DeviceRadixSort::SortPairsDescending(work, bytes, keys, values, count, 0, all_bits,
                                                    stream);
      } else {
        return DeviceRadixSort::SortPairs(work, bytes, keys, values, count, 0, all_bits, stream);
      }
    }
  };
  const auto run = [&](auto count) {
    return to_status(call(memory, memory_bytes, count));  // refused if CUB needs more than that
  };
  const status state = n <= std::numeric_limits<std::uint32_t>::max()
                           ? run(static_cast<std::uint32_t>(n))
                           : run(static_cast<unsigned long long>(n));
  if (!state.ok() || keys.selector == 0) return state;
  const status copied = copy_async(rows.keys, spare.keys, n * sizeof(K), stream);
  if (!copied.ok() || bytes_of<V> == 0) return copied;
  return copy_async(rows.values, spare.values, n * bytes_of<V>, stream);
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE

template <class K>
struct cub::NumericTraits<warpfold::detail::radix_float<K>>
    : warpfold::detail::radix_float_traits<K> {};
