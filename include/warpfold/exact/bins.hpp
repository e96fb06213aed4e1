// Bins: exact sums of so few values that they fit in 8 bytes, one for each range of exponents. On a
// device each thread has its own, in a column of shared memory.
// Cost, f32: one load and one store of 8 bytes and one f64 addition a value; f64: two of each and
// five f64 operations. No branch depends on the values.
#pragma once

#include <cstdint>

#include "warpfold/exact/kind.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// What two digits get from a bin.
struct digit_pair {
  std::int64_t low, high;
};

template <class T>
struct exact_bins;

/// Sums in f64, one for 16 exponents: 39 bits a value, so that 2^14 of them are exact. An infinity
/// or NaN stays in its bin; so does -0.
template <>
struct exact_bins<float> {
  using word = double;
  static constexpr unsigned count = 16;
  static constexpr unsigned per_digit = 2;
  static constexpr unsigned most_adds = 1U << 14;
  static constexpr word empty = -0.0;

  /// What a thread keeps beside its bins.
  struct flags {};

  /// Bin k is column[k * Stride].
  template <unsigned Stride>
  static __host__ __device__ __forceinline__ void add(flags&, word* column, float value) {
    column[(bits_of(value) >> 27 & 15) * Stride] += static_cast<double>(value);
  }
  static __host__ __device__ std::uint32_t seen_by(const flags&) { return 0; }

  static __host__ __device__ __forceinline__ std::uint32_t seen_in(word sum) {
    if (bits_of(sum) == bits_of(empty)) return 0;
    return seen_of(sum);
  }
  static __host__ __device__ __forceinline__ digit_pair digits_of(word sum, unsigned bin) {
    if (sum - sum != 0) return {0, 0};  // an infinity or NaN, which seen_in reports
    const int up = -format<float>::sum_type::base - 16 * static_cast<int>(bin);
    const auto units =
        static_cast<std::int64_t>(sum * from_bits<double>(std::uint64_t(1023 + up) << 52));
    if (bin % 2 == 0) return {units & low_digit, units >> 32};
    return {(units & 0xffff) << 16, units >> 16};
  }
};

/// Whole numbers of 64 bits, one for 32 exponents. A value is rounded to a multiple of 2^32 of its
/// range's least unit, which goes to the next bin; what is left goes to its own. Either comes out
/// of the mantissa of a sum with a power of two. 52 bits a value, so 2047 of them fit.
template <>
struct exact_bins<double> {
  using word = std::int64_t;
  static constexpr unsigned count = 65;
  static constexpr unsigned per_digit = 1;
  static constexpr unsigned most_adds = 2047;
  static constexpr word empty = 0;

  struct flags {
    double special = 0;         // infinite or NaN if a value was
    std::uint32_t nonzero = 0;  // not 0 if any value but -0 was
  };

  template <unsigned Stride>
  static __host__ __device__ __forceinline__ void add(flags& f, word* column, double value) {
    const std::uint64_t bits = bits_of(value);
    const auto high = static_cast<std::uint32_t>(bits >> 32);
    f.special += value * 0x1p-100;
    f.nonzero |= (high ^ 0x80000000U) | static_cast<std::uint32_t>(bits);
    // The last range's power of two would be infinite: it borrows the last but one's.
    const bool last = (high & 0x7e000000U) == 0x7e000000U;
    const double x = last ? value * 0x1p-32 : value;
    const std::uint32_t range = last ? (high & 0x80000000U) | 0x7c000000U : high & 0xfe000000U;
    const std::uint64_t upper = std::uint64_t{range + 0x02000000U} << 32;
    const std::uint64_t lower = std::uint64_t{(range & 0x7e000000U) | 0x00080000U} << 32;
    const double taken = x + from_bits<double>(upper);
    const double left = x - (taken - from_bits<double>(upper));
    const auto high_part = static_cast<std::int64_t>(bits_of(taken) - upper);
    const auto low_part =
        static_cast<std::int64_t>(bits_of(left + from_bits<double>(lower)) - lower);
    const std::int64_t sign = static_cast<std::int32_t>(high) >> 31;
    word* const bin = column + (high >> 25 & 63) * Stride;
    // An infinity or NaN leaves anything here, which nobody asks for: let it wrap.
    const auto add = [](word& to, std::uint64_t more) {
      to = static_cast<word>(static_cast<std::uint64_t>(to) + more);
    };
    add(bin[0], static_cast<std::uint64_t>(low_part));
    add(bin[Stride],
        static_cast<std::uint64_t>(high_part ^ sign) - static_cast<std::uint64_t>(sign));
  }
  static __host__ __device__ std::uint32_t seen_by(const flags& f) {
    const std::uint32_t special = seen_of(f.special);
    return (special & ~(term_flag::minus_zero | term_flag::number)) |
           (f.nonzero != 0 ? term_flag::number : 0);
  }

  static __host__ __device__ __forceinline__ std::uint32_t seen_in(word) { return 0; }
  static __host__ __device__ __forceinline__ digit_pair digits_of(word sum, unsigned bin) {
    // Fields 0 and 1 have the same unit, so the first range's is twice its power of two.
    const std::int64_t low = sum & low_digit, high = sum >> 32;
    return bin == 0 ? digit_pair{2 * low, 2 * high} : digit_pair{low, high};
  }
};

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
