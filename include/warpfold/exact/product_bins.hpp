// Bins for the terms of a dot product, as exact/bins.hpp has them for values.
#pragma once

#include <cstdint>

#include "warpfold/exact/bins.hpp"
#include "warpfold/exact/product.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

template <class T>
struct product_bins;

/// A product of two f32 values is an f64 value.
template <>
struct product_bins<float> : exact_bins<double> {
  template <unsigned Stride>
  static __host__ __device__ __forceinline__ void add(flags& f, word* column, float a, float b) {
    exact_bins<double>::add<Stride>(f, column, static_cast<double>(a) * static_cast<double>(b));
  }
};

/// One of f64 values has 106 bits, which five neighbouring bins of 32 bits take, wherever it
/// stands; no range is too wide. Five loads and stores a product.
template <>
struct product_bins<double> {
  using word = std::int64_t;
  static constexpr unsigned count = 133;
  static constexpr unsigned per_digit = 1;
  static constexpr unsigned most_adds = 1U << 30;
  static constexpr word empty = 0;

  struct flags {
    std::uint32_t seen = 0;  // of `term_flag`
  };

  template <unsigned Stride>
  static __host__ __device__ __forceinline__ void add(flags& f, word* column, double a, double b) {
    const float_fields<double> x(a), y(b);
    constexpr int special = format<double>::top_field;
    if (x.field == special || y.field == special || x.units == 0 || y.units == 0) {
      f.seen |= seen_of(a * b);
      return;
    }
    f.seen |= term_flag::number;
    const exact_product product(x, y);
    const unsigned shift = product.bit % 32;
    const auto low = static_cast<std::uint64_t>(product.size << shift);
    const auto middle = static_cast<std::uint64_t>(product.size >> (64 - shift));
    // In 128 bits, so that a shift by 64 is allowed.
    const auto high = static_cast<std::int64_t>((product.size >> 64) >> (64 - shift));
    const std::int64_t piece[] = {static_cast<std::int64_t>(low & low_digit),
                                  static_cast<std::int64_t>(low >> 32),
                                  static_cast<std::int64_t>(middle & low_digit),
                                  static_cast<std::int64_t>(middle >> 32), high};
    word* const bin = column + product.bit / 32 * Stride;
    for (unsigned k = 0; k < 5; ++k) bin[k * Stride] += product.negative ? -piece[k] : piece[k];
  }
  static __host__ __device__ std::uint32_t seen_by(const flags& f) { return f.seen; }

  static __host__ __device__ std::uint32_t seen_in(word) { return 0; }
  static __host__ __device__ digit_pair digits_of(word sum, unsigned) {
    return {sum & low_digit, sum >> 32};
  }
};

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
