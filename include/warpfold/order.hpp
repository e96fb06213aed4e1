// The orders that keys are sorted in. Both are total on the bits of a key: integers by value;
// floating-point numbers by value with -0 before +0, and NaN greater than every number (those with
// the sign bit after those without), so NaN comes last ascending and first descending.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "warpfold/platform.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

/// An unsigned number that grows with the key; different bits give different numbers.
template <class K>
__host__ __device__ __forceinline__ auto rank_of(K key) {
  using bits_type = std::conditional_t<sizeof(K) == 8, std::uint64_t, std::uint32_t>;
  constexpr bits_type top = bits_type{1} << (8 * sizeof(K) - 1);
  if constexpr (std::is_floating_point_v<K>) {
    constexpr bits_type infinity = sizeof(K) == 8 ? bits_type{0x7ff} << (8 * sizeof(K) - 12)
                                                  : bits_type{0xff} << (8 * sizeof(K) - 9);
    constexpr bits_type negative_nans = top - infinity - 1;  // they would come first otherwise
    bits_type bits;
    memcpy(&bits, &key, sizeof bits);
    bits = (bits & top) != 0 ? ~bits : bits | top;
    return static_cast<bits_type>(bits - negative_nans);
  } else if constexpr (std::is_signed_v<K>) {
    return static_cast<bits_type>(static_cast<bits_type>(key) ^ top);
  } else {
    return static_cast<bits_type>(key);
  }
}

struct ascending {
  template <class K>
  __host__ __device__ __forceinline__ bool operator()(K a, K b) const {
    return rank_of(a) < rank_of(b);
  }
};

struct descending {
  template <class K>
  __host__ __device__ __forceinline__ bool operator()(K a, K b) const {
    return rank_of(b) < rank_of(a);
  }
};

}  // namespace warpfold::inline WARPFOLD_MACHINE
