// A whole multiple of 2^Base, in digits of 32 bits. Each digit is a signed word of 64, so
// that 2^30 adds_since_carry are added before a carry has to move; integers add to the same bits in
// any order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpfold/platform.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

inline constexpr std::int64_t low_digit = 0xffffffff;
__extension__ using uint128 = unsigned __int128;

template <int Base, unsigned Count>
struct fixed_point {
  static constexpr int base = Base;  // digit j counts 2^(Base + 32 j)
  static constexpr unsigned count = Count;
  static constexpr std::uint32_t most_adds = std::uint32_t{1} << 30;

  std::int64_t digit[Count] = {};
  std::uint32_t adds_since_carry = 0;  // since carries moved, at most

  /// Adds units * 2^(Base + bit). What it touches must lie below the top.
  __host__ __device__ void add(std::int64_t units, unsigned bit) {
    if (adds_since_carry >= most_adds) carry();
    ++adds_since_carry;
    const unsigned at = bit / 32, shift = bit % 32;
    const std::uint64_t low = static_cast<std::uint64_t>(units) << shift;
    const std::int64_t high = shift == 0 ? units >> 63 : units >> (64 - shift);
    digit[at] += static_cast<std::int64_t>(low & low_digit);
    digit[at + 1] += static_cast<std::int64_t>(low >> 32);
    digit[at + 2] += high;
  }

  /// Moves the carries: then every digit but the top one, which has the sign, is in [0, 2^32).
  __host__ __device__ void carry() {
    for (unsigned j = 0; j + 1 < Count; ++j) {
      digit[j + 1] += digit[j] >> 32;
      digit[j] &= low_digit;
    }
    adds_since_carry = 1;
  }

  __host__ __device__ void merge(const fixed_point& other, int sign = 1) {
    fixed_point theirs = other;
    if (theirs.adds_since_carry > most_adds / 2) theirs.carry();
    if (adds_since_carry > most_adds / 2) carry();
    for (unsigned j = 0; j < Count; ++j) digit[j] += sign * theirs.digit[j];
    adds_since_carry += theirs.adds_since_carry;
  }
};

/// The absolute value of a fixed-point number, with one digit of zeros below for a division.
template <unsigned Count>
struct magnitude {
  std::uint32_t digit[Count + 1] = {};  // lowest first
  bool negative = false, is_zero = true;
  bool inexact = false;  // something was cut off below

  template <int Base>
  __host__ __device__ explicit magnitude(fixed_point<Base, Count> number) {
    number.carry();
    negative = number.digit[Count - 1] < 0;
    std::uint64_t carry = negative ? 1 : 0;
    for (unsigned j = 0; j < Count; ++j) {
      const auto bits = static_cast<std::uint32_t>(number.digit[j]);
      carry += negative ? ~bits : bits;
      digit[j + 1] = static_cast<std::uint32_t>(carry);
      is_zero = is_zero && digit[j + 1] == 0;
      carry >>= 32;
    }
  }

  __host__ __device__ void divide(std::uint64_t divisor) {
    uint128 left = 0;
    for (unsigned j = Count + 1; j-- > 0;) {
      left = left << 32 | digit[j];
      digit[j] = static_cast<std::uint32_t>(left / divisor);
      left %= divisor;
    }
    inexact = left != 0;
  }

  [[nodiscard]] __host__ __device__ bool bit(unsigned at) const {
    return at / 32 <= Count && (digit[at / 32] >> at % 32 & 1) != 0;
  }
  /// The 64 bits from `at` on.
  [[nodiscard]] __host__ __device__ std::uint64_t bits(unsigned at) const {
    const auto word = [this](unsigned j) { return j <= Count ? std::uint64_t{digit[j]} : 0; };
    const unsigned j = at / 32, shift = at % 32;
    const std::uint64_t low = word(j) | word(j + 1) << 32;
    return shift == 0 ? low : low >> shift | word(j + 2) << (64 - shift);
  }
  [[nodiscard]] __host__ __device__ bool any_below(unsigned at) const {
    for (unsigned j = 0; j < at / 32; ++j) {
      if (digit[j] != 0) return true;
    }
    return at % 32 != 0 && (digit[at / 32] & ((std::uint32_t{1} << at % 32) - 1)) != 0;
  }
  /// One past the highest bit that is set; 0 if there is none.
  [[nodiscard]] __host__ __device__ unsigned length() const {
    for (unsigned j = Count + 1; j-- > 0;) {
      unsigned width = 0;
      for (std::uint32_t left = digit[j]; left != 0; left >>= 1) ++width;
      if (width > 0) return 32 * j + width;
    }
    return 0;
  }
};

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
