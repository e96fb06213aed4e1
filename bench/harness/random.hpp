// Values of the benchmarks: a pure function of a seed and a place, the same on the host and a
// device.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "warpfold/platform.hpp"

namespace warpfold::bench {

/// Spreads the bits of x over all 64.
__host__ __device__ inline std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 31, x *= 0x7fb5d329728ea185U, x ^= x >> 27, x *= 0x81dadef4bc2dd44dU;
  return x ^ x >> 33;
}

/// For sums: whole numbers from -8 to 8 (0 to 255 in bytes). Integers do not overflow then and
/// floating-point sums do not round, in whatever order they are formed: the bound of their error is
/// 0, and a single value that is left out shows. The prefix sums of 16-bit floating-point values
/// are such numbers too, or most of them would not be exact.
template <class T>
__host__ __device__ T small_number(std::uint64_t seed, std::uint64_t i) {
  const auto small = [=](std::uint64_t at) {
    return static_cast<int>((mixed(mixed(seed) + at) >> 32) % 17) - 8;
  };
  if constexpr (std::is_unsigned_v<T>) {
    return static_cast<T>(mixed(mixed(seed) + i));
  } else if constexpr (sizeof(T) == 2 && !std::is_integral_v<T>) {
    return static_cast<T>(static_cast<float>(i == 0 ? small(i) : small(i) - small(i - 1)));
  } else {
    return static_cast<T>(small(i));
  }
}

/// For all else: evenly distributed bits; floating-point numbers of either sign below 2 without
/// zeros, since not all peers tell -0 from +0.
template <class T>
__host__ __device__ T any_number(std::uint64_t seed, std::uint64_t i) {
  const std::uint64_t bits = mixed(mixed(seed) + i);
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(bits);
  } else {
    using word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    constexpr word below_2 = ~(word{1} << (8 * sizeof(T) - 2));
    const word kept = static_cast<word>((bits & below_2) | 1);
    T value;
    memcpy(&value, &kept, sizeof value);
    return value;
  }
}

}  // namespace warpfold::bench
