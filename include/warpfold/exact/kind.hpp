// What an exact sum is, beside its digits.
#pragma once

#include <cstdint>

#include "warpfold/exact/format.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// What was among the terms, one bit each; no bit if there were no terms. `number` is every value
/// but those that have a bit of their own.
struct term_flag {
  static constexpr std::uint32_t minus_zero = 1, number = 2, plus_infinity = 4, minus_infinity = 8,
                                 nan = 16;
};

/// What a sum is, by what was among its terms; also its byte in the byte format.
enum class sum_kind : std::uint8_t {
  empty,
  minus_zero,
  number,
  plus_infinity,
  minus_infinity,
  nan
};

__host__ __device__ constexpr sum_kind kind_of(std::uint32_t terms) {
  const bool plus = (terms & term_flag::plus_infinity) != 0,
             minus = (terms & term_flag::minus_infinity) != 0;
  if ((terms & term_flag::nan) != 0 || (plus && minus)) return sum_kind::nan;
  if (plus) return sum_kind::plus_infinity;
  if (minus) return sum_kind::minus_infinity;
  if ((terms & term_flag::number) != 0) return sum_kind::number;
  return terms == 0 ? sum_kind::empty : sum_kind::minus_zero;
}
/// The least that must have been seen.
__host__ __device__ constexpr std::uint32_t seen_in(sum_kind kind) {
  return kind == sum_kind::empty ? 0 : std::uint32_t{1} << (static_cast<unsigned>(kind) - 1);
}

template <class T>
__host__ __device__ std::uint32_t seen_of(T value) {
  const float_fields<T> p(value);
  if (p.field != format<T>::top_field) {
    return p.units == 0 && bits_of(value) != 0 ? term_flag::minus_zero : term_flag::number;
  }
  if (value != value) return term_flag::nan;  // NOLINT(misc-redundant-expression)
  return value > 0 ? term_flag::plus_infinity : term_flag::minus_infinity;
}

/// The terms' negatives: of -0's alone they are +0's.
__host__ __device__ constexpr std::uint32_t negated(std::uint32_t terms) {
  std::uint32_t result = terms & (term_flag::number | term_flag::nan);
  if ((terms & term_flag::minus_zero) != 0) result |= term_flag::number;
  if ((terms & term_flag::plus_infinity) != 0) result |= term_flag::minus_infinity;
  if ((terms & term_flag::minus_infinity) != 0) result |= term_flag::plus_infinity;
  return result;
}

/// Digits and kind together: what an accumulator holds, and what a device's blocks hand over.
template <class T, class Sum = typename format<T>::sum_type>
struct exact_state {
  using sum_type = Sum;

  sum_type sum;
  std::uint32_t seen = 0;  // of `term_flag`

  __host__ __device__ void add(T value) {
    const float_fields<T> p(value);
    seen |= seen_of(value);
    if (p.field != format<T>::top_field && p.units != 0) {
      sum.add(p.units, static_cast<unsigned>(p.exponent() - sum_type::base));
    }
  }

  __host__ __device__ void merge(const exact_state& other) {
    sum.merge(other.sum);
    seen |= other.seen;
  }

  /// One representation for each sum.
  [[nodiscard]] __host__ __device__ exact_state canonical() const {
    exact_state same;
    const sum_kind kind = kind_of(seen);
    same.seen = seen_in(kind);
    if (kind == sum_kind::number) same.sum = sum;
    same.sum.carry();
    return same;
  }

  /// The sum divided by `divisor`, rounded once to a value of To.
  template <class To>
  [[nodiscard]] __host__ __device__ To quotient(std::uint64_t divisor) const {
    using f = format<To>;
    using bits_type = typename f::bits_type;
    constexpr bits_type sign = bits_type{1} << (sizeof(bits_type) * 8 - 1);
    constexpr bits_type infinity = bits_type{f::top_field} << (f::precision - 1);
    switch (kind_of(seen)) {
      case sum_kind::empty: return To{0};
      case sum_kind::minus_zero: return from_bits<To>(sign);
      case sum_kind::plus_infinity: return from_bits<To>(infinity);
      case sum_kind::minus_infinity: return from_bits<To>(sign | infinity);
      case sum_kind::nan: return from_bits<To>(infinity | bits_type{1} << (f::precision - 2));
      case sum_kind::number: break;
    }
    magnitude<sum_type::count> size(sum);
    if (size.is_zero) return To{0};
    if (divisor != 1) size.divide(divisor);
    return rounded<To>(size, sum_type::base);
  }
};

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
