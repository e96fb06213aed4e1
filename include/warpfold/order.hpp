// The orders that keys are sorted in. Both are total on the bits of a key: integers by value;
// floating-point numbers by value with -0 before +0, and NaN greater than every number (those with
// the sign bit after those without), so NaN comes last ascending and first descending.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "warpfold/platform.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

namespace detail {

template <class K>
using rank_type = std::conditional_t<
    sizeof(K) == 8, std::uint64_t,
    std::conditional_t<sizeof(K) == 4, std::uint32_t,
                       std::conditional_t<sizeof(K) == 2, std::uint16_t, std::uint8_t>>>;
template <class K>
inline constexpr auto top_bit = static_cast<rank_type<K>>(rank_type<K>{1} << (8 * sizeof(K) - 1));
template <class K>
inline constexpr auto infinity_bits = static_cast<rank_type<K>>(
    sizeof(K) == 8 ? std::uint64_t{0x7ff} << 52 : std::uint64_t{0xff} << 23);
/// How many NaNs have the sign bit. By their bits alone they would come first.
template <class K>
inline constexpr rank_type<K> negative_nans = top_bit<K> - infinity_bits<K> - 1;

}  // namespace detail

/// An unsigned number that grows with the key; different bits give different numbers.
template <class K>
__host__ __device__ __forceinline__ detail::rank_type<K> rank_of(K key) {
  using rank = detail::rank_type<K>;
  if constexpr (std::is_floating_point_v<K>) {
    rank bits;
    memcpy(&bits, &key, sizeof bits);
    bits = (bits & detail::top_bit<K>) != 0 ? ~bits : bits | detail::top_bit<K>;
    return bits - detail::negative_nans<K>;
  } else if constexpr (std::is_signed_v<K>) {
    return static_cast<rank>(static_cast<rank>(key) ^ detail::top_bit<K>);
  } else {
    return static_cast<rank>(key);
  }
}

/// The key of that rank.
template <class K>
__host__ __device__ __forceinline__ K key_of(detail::rank_type<K> rank) {
  if constexpr (std::is_floating_point_v<K>) {
    rank += detail::negative_nans<K>;
    rank = (rank & detail::top_bit<K>) != 0 ? rank ^ detail::top_bit<K> : ~rank;
    K key;
    memcpy(&key, &rank, sizeof key);
    return key;
  } else {
    return static_cast<K>(std::is_signed_v<K> ? rank ^ detail::top_bit<K> : rank);
  }
}

/// What has an order of its own.
template <class K>
concept arithmetic_key = std::is_arithmetic_v<K>;

/// The smallest key first; NaN last, -0 before +0.
struct ascending {
  /// Whether a comes before b.
  template <arithmetic_key K>
  __host__ __device__ __forceinline__ bool operator()(K a, K b) const {
    return rank_of(a) < rank_of(b);
  }
};

/// The greatest key first; NaN before it, +0 before -0.
struct descending {
  /// Whether a comes before b.
  template <arithmetic_key K>
  __host__ __device__ __forceinline__ bool operator()(K a, K b) const {
    return rank_of(b) < rank_of(a);
  }
};

}  // namespace warpfold::inline WARPFOLD_MACHINE
