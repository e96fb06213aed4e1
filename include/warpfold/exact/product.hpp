// Exact products, as terms of an exact sum: what dot products are made of.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "warpfold/exact/host/accumulate.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// The sum that products of two values of T go to. That of two f32 values is an f64 value.
template <class T>
struct product_of;
template <>
struct product_of<float> {
  using state_type = exact_state<double>;
};
template <>
struct product_of<double> {
  /// 2^-2163 to 2^2125; its digits stand as those of f64 sums do, 34 further up.
  using state_type = exact_state<double, fixed_point<-1075 - 32 * 34, 134>>;
};
template <class T>
using product_state = typename product_of<T>::state_type;

__host__ __device__ inline void add_product(product_state<float>& state, float a, float b) {
  state.add(static_cast<double>(a) * static_cast<double>(b));
}

/// 106 bits, which count 2^(base + bit) of the products' sum.
struct exact_product {
  uint128 size;
  unsigned bit;
  bool negative;

  __host__ __device__ exact_product(const float_fields<double>& x, const float_fields<double>& y)
      : size(static_cast<uint128>(absolute(x.units)) * absolute(y.units)),
        bit(static_cast<unsigned>(x.exponent() + y.exponent() -
                                  product_state<double>::sum_type::base)),
        negative((x.units < 0) != (y.units < 0)) {}

 private:
  static __host__ __device__ std::uint64_t absolute(std::int64_t units) {
    return static_cast<std::uint64_t>(units < 0 ? -units : units);
  }
};

__host__ __device__ inline void add_product(product_state<double>& state, double a, double b) {
  const float_fields<double> x(a), y(b);
  constexpr int special = format<double>::top_field;
  if (x.field == special || y.field == special || x.units == 0 || y.units == 0) {
    state.seen |= seen_of(a * b);
    return;
  }
  const exact_product product(x, y);
  const std::int64_t sign = product.negative ? -1 : 1;
  constexpr std::uint64_t low = (std::uint64_t{1} << 53) - 1;
  const auto low_half = static_cast<std::int64_t>(static_cast<std::uint64_t>(product.size) & low);
  state.sum.add(sign * low_half, product.bit);
  state.sum.add(sign * static_cast<std::int64_t>(product.size >> 53), product.bit + 53);
  state.seen |= term_flag::number;
}

/// What x * y lacks to the product; exact where neither it nor the product leaves f64's range.
[[gnu::always_inline]] inline double product_error(double x, double y, double product) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  return __builtin_fma(x, y, -product);
#else  // Dekker's way: by halves of 26 bits
  const double xs = x * 0x8000001p0, ys = y * 0x8000001p0;
  const double x1 = xs - (xs - x), y1 = ys - (ys - y), x2 = x - x1, y2 = y - y1;
  return ((x1 * y1 - product) + x1 * y2 + x2 * y1) + x2 * y2;
#endif
}

/// Adds a[i] * b[i] for i < n, by way of products in f64 and their errors where these are values.
template <class T>
void add_products(product_state<T>& state, const T* a, const T* b, std::size_t n) {
  double product[batch_values], error[batch_values];
  for (std::size_t i = 0; i < n; i += batch_values) {
    const std::size_t now = at_most(batch_values, n - i);
    double least = 1, most = 1;  // size of a factor that is not 0
    for (std::size_t k = 0; k < now; ++k) {
      const double x = a[i + k], y = b[i + k];
      product[k] = x * y;
      if constexpr (sizeof(T) == 8) {
        error[k] = product_error(x, y, product[k]);
        for (const double size : {std::fabs(x), std::fabs(y)}) {
          least = size < least && size != 0 ? size : least;
          most = size <= most ? most : size;  // NaN stays
        }
      }
    }
    if (least >= 0x1p-450 && most <= 0x1p450) {
      add_batches(state, product, now);
      const std::uint32_t seen = state.seen;
      if (sizeof(T) == 8) add_batches(state, error, now);
      state.seen = seen;  // an error of 0 is no term: it would turn a sum of -0's into +0
    } else {
      for (std::size_t k = 0; k < now; ++k) add_product(state, a[i + k], b[i + k]);
    }
  }
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
