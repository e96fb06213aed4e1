// CUB's radix sort, for keys that are ordered by their bits, where it is faster than the library's
// own (tuning::sort_plan::own_radix_to). The one header of the library that reads CUB's; nvcc only.
// A pass over the rows for each 8 bits of the key, from one buffer to the other; stable.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include <cub/device/device_radix_sort.cuh>

#include "warpfold/device/sort/key_values.cuh"
#include "warpfold/device/sort/radix_plan.cuh"
#include "warpfold/device/sort/temp_storage.cuh"
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
  static constexpr UnsignedBits LOWEST_KEY = static_cast<UnsignedBits>(~negative_nans<K>);
  static constexpr UnsignedBits MAX_KEY = static_cast<UnsignedBits>(~(negative_nans<K> - 1));

  static __host__ __device__ __forceinline__ UnsignedBits TwiddleIn(UnsignedBits bits) {
    K key;
    memcpy(static_cast<void*>(&key), &bits, sizeof key);
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
    is_float_key<K>, radix_float<K>,
    std::conditional_t<std::is_signed_v<K>, std::make_signed_t<rank_type<K>>, rank_type<K>>>;

/// Sorts by the bits in `range`, which are some.
template <class Order, class K, class V>
status cub_radix_sort(const sort_buffers<K, V>& rows, std::size_t n, radix_range range,
                      const sort_storage<K, V>& storage, stream_type stream) {
  using key = radix_key<K>;
  using cub::DeviceRadixSort;
  constexpr bool down = std::is_same_v<Order, descending>, alone = bytes_of<V> == 0;
  const int begin = static_cast<int>(range.begin), end = static_cast<int>(range.end);
  const auto call = [&](void* work, std::size_t bytes, auto count, auto&... columns) {
    // Refused if CUB needs more than these bytes.
    if constexpr (alone && down) {
      return DeviceRadixSort::SortKeysDescending(work, bytes, columns..., count, begin, end,
                                                 stream);
    } else if constexpr (alone) {
      return DeviceRadixSort::SortKeys(work, bytes, columns..., count, begin, end, stream);
    } else if constexpr (down) {
      return DeviceRadixSort::SortPairsDescending(work, bytes, columns..., count, begin, end,
                                                  stream);
    } else {
      return DeviceRadixSort::SortPairs(work, bytes, columns..., count, begin, end, stream);
    }
  };
  const auto run = [&](void* work, std::size_t bytes, auto&... columns) {
    return to_status(n <= std::numeric_limits<std::uint32_t>::max()
                         ? call(work, bytes, static_cast<std::uint32_t>(n), columns...)
                         : call(work, bytes, static_cast<unsigned long long>(n), columns...));
  };
  const auto bits = [](K* keys) { return reinterpret_cast<key*>(keys); };
  if (!rows.in_place()) {  // its input stays as it is, and its spare rows lie in the memory
    const key* const from = bits(rows.in.keys);
    key* const to = bits(rows.out.keys);
    if constexpr (alone) {
      return run(storage.all, storage.bytes, from, to);
    } else {
      const V* const values = rows.in.values;
      return run(storage.all, storage.bytes, from, to, values, rows.out.values);
    }
  }
  cub::DoubleBuffer<key> keys(bits(rows.out.keys), bits(rows.spare.keys));
  status state;
  if constexpr (alone) {
    state = run(storage.work, storage.work_bytes, keys);
  } else {
    cub::DoubleBuffer<V> values(rows.out.values, rows.spare.values);
    state = run(storage.work, storage.work_bytes, keys, values);
  }
  return !state.ok() || keys.selector == 0 ? state : bring_back(rows, n, stream);
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE

template <class K>
struct cub::NumericTraits<warpfold::detail::radix_float<K>>
    : warpfold::detail::radix_float_traits<K> {};
