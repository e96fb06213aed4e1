// Values, sizes and operators that the tests of the canonical order share. The operators are not
// associative in their types, so that another order shows in the bits; products and sums that a
// compiler could contract are fused by name.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "warpfold/platform.hpp"

namespace warpfold::tests {

inline std::uint64_t mixed_bits(std::uint64_t x) {
  x = (x ^ x >> 31) * 0x7fb5d329728ea185U;
  x = (x ^ x >> 27) * 0x81dadef4bc2dd44dU;
  return x ^ x >> 33;
}

struct affine_f32 {
  float a, b;
};
struct compose_f32 {  // keeps the order
  __host__ __device__ affine_f32 operator()(const affine_f32& f, const affine_f32& g) const {
    return {f.a * g.a, fmaf(g.a, f.b, g.b)};
  }
  template <class T>
  __host__ __device__ static T identity() {
    return {1, 0};
  }
};

struct complex_f32 {
  float re, im;
};
struct complex_product {
  static constexpr bool commutative = true;
  __host__ __device__ complex_f32 operator()(const complex_f32& x, const complex_f32& y) const {
    return {fmaf(x.re, y.re, -(x.im * y.im)), fmaf(x.re, y.im, x.im * y.re)};
  }
  template <class T>
  __host__ __device__ static T identity() {
    return {1, 0};
  }
};

struct matrix_f32 {
  float a, b, c, d;
};
struct matrix_product {
  __host__ __device__ matrix_f32 operator()(const matrix_f32& x, const matrix_f32& y) const {
    return {fmaf(x.a, y.a, x.b * y.c), fmaf(x.a, y.b, x.b * y.d), fmaf(x.c, y.a, x.d * y.c),
            fmaf(x.c, y.b, x.d * y.d)};
  }
  template <class T>
  __host__ __device__ static T identity() {
    return {1, 0, 0, 1};
  }
};

struct triple {  // 12 bytes: no vector of 16 bytes has a whole number of them
  float x, y, z;
};
struct add_triples {
  static constexpr bool commutative = true;
  __host__ __device__ triple operator()(const triple& a, const triple& b) const {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  template <class T>
  __host__ __device__ static T identity() {
    return {0, 0, 0};
  }
};

template <class T>
T value_at(std::uint64_t i) {
  const auto number = [i](std::uint64_t which) {  // so near 1 or -1 that no product of many leaves
    const auto bits = static_cast<std::uint32_t>(mixed_bits(8 * i + which));  // a type's range
    const float near = 1 + (static_cast<float>(bits >> 20) - 2048) / (1 << 23);
    return (bits & 1) != 0 ? near : -near;
  };
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(mixed_bits(8 * i));
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(number(0)) + static_cast<T>(number(1)) / (1 << 28);
  } else if constexpr (std::is_same_v<T, affine_f32>) {
    return {number(0), number(1)};
  } else if constexpr (std::is_same_v<T, complex_f32>) {
    return {number(0) * 0.8F, number(1) * 0.6F};
  } else if constexpr (std::is_same_v<T, matrix_f32>) {
    return {number(0) * 0.8F, number(1) * 0.6F, number(1) * -0.6F, number(0) * 0.8F};
  } else {
    return {number(0), number(1), number(2)};
  }
}

/// Few, powers of two and their neighbours, and what lies between.
inline std::vector<std::size_t> sizes_up_to(std::size_t largest) {
  std::vector<std::size_t> sizes{0, 1, 2, 3, 5, 7};
  for (std::size_t n = 8; n <= largest; n *= 2) {
    for (const std::size_t size : {n - 1, n, n + 1, n + n / 3, n + n / 2 + 1}) {
      if (size <= largest) sizes.push_back(size);
    }
  }
  sizes.push_back(largest);
  return sizes;
}

}  // namespace warpfold::tests
