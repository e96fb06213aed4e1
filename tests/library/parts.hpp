// What tests across ranks and across GPUs are given: values, how they are split, and an operator.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

#include "warpfold/platform.hpp"

namespace warpfold::test {

/// Where ranks' parts of n values begin and end: anywhere, so that some may be empty.
inline std::vector<std::size_t> random_split(std::size_t n, int ranks, std::mt19937& random) {
  std::vector<std::size_t> bounds{0, n};
  for (int r = 1; r < ranks; ++r) {
    const bool twice = random() % 4 == 0;
    bounds.push_back(twice ? bounds.back() : random() % (n + 1));
  }
  std::sort(bounds.begin(), bounds.end());
  return bounds;
}

template <class T>
std::vector<T> random_values(std::size_t n, std::mt19937& random) {
  std::vector<T> values(n);
  for (T& v : values) {
    if constexpr (std::is_floating_point_v<T>) {
      v = static_cast<T>(
          std::ldexp(static_cast<double>(random()) - 0x1p31, static_cast<int>(random() % 40) - 20));
    } else {
      v = static_cast<T>(random() % 2 == 0 ? random() : std::uint64_t{random()} << 32 | random());
    }
  }
  return values;
}

/// x -> a * x + b, one behind the other: associative, and does not commute.
struct affine {
  std::uint32_t a, b;
  friend bool operator==(const affine&, const affine&) = default;
};
struct then {
  template <class>
  __host__ __device__ static constexpr affine identity() {
    return {1, 0};
  }
  __host__ __device__ affine operator()(const affine& f, const affine& g) const {
    return {f.a * g.a, f.b * g.a + g.b};
  }
};

}  // namespace warpfold::test
