// What the tests of the host's algorithms share.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "warpfold/host/detail/parallel.hpp"

namespace warpfold::tests {

/// Chunks so small that a few hundred values take every path.
struct tiny : tuning::host_cores {
  static constexpr std::size_t reduce_chunk_bytes = 256;
  static constexpr std::size_t exact_chunk_bytes = 256;
  static constexpr std::size_t scan_chunk_bytes = 256;
  static constexpr std::size_t radix_parallel = 300;
  static constexpr std::size_t radix_cache_bytes = 512;
  static constexpr std::size_t radix_stream_bytes = 2048;
  static constexpr std::size_t radix_merge = 16;
  static constexpr std::size_t vqsort_run = 64;
  static constexpr std::size_t merge_share = 64;
};
inline constexpr tuned_host<tiny> here{};

/// Values of T in a chunk of `tiny`.
template <class T>
inline constexpr std::size_t chunk_of = tiny::scan_chunk_bytes / sizeof(T);

/// Any bits for integers; a few digits for floating point, so that sums of thousands are exact.
template <class T>
std::vector<T> random_values(std::size_t n, unsigned seed = 1) {
  std::mt19937_64 bits(seed);
  std::vector<T> values(n);
  for (T& value : values) {
    if constexpr (std::is_integral_v<T>) {
      value = static_cast<T>(bits());
    } else {
      value = static_cast<T>(static_cast<int>(bits() % 2001) - 1000) / 8;
    }
  }
  return values;
}

/// x -> factor * x + offset, one after the other: associative, and the order counts.
struct affine {
  std::uint32_t factor = 1, offset = 0;

  friend bool operator==(const affine&, const affine&) = default;
};
struct compose {
  affine operator()(const affine& first, const affine& then) const {
    return {then.factor * first.factor, then.factor * first.offset + then.offset};
  }
};
inline std::vector<affine> random_maps(std::size_t n, unsigned seed = 1) {
  std::mt19937 bits(seed);
  std::vector<affine> maps(n);
  for (affine& m : maps)
    m = {static_cast<std::uint32_t>(bits()) | 1, static_cast<std::uint32_t>(bits())};
  return maps;
}

/// A function object with state: addition in the numbers modulo `modulus`.
struct plus_modulo {
  std::uint64_t modulus;

  std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return (a + b) % modulus; }
};

template <class T>
inline constexpr T nan_of = std::numeric_limits<T>::quiet_NaN();
template <class T>
inline constexpr T infinity_of = std::numeric_limits<T>::infinity();

/// Equal to the bit: tells -0 from +0, and a NaN from another.
template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

}  // namespace warpfold::tests
