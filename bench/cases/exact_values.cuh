// Values of several ranges for the exact sums, made on the device.
#pragma once

#include <cmath>
#include <cstdint>

#include "bench/harness/random.hpp"
#include "warpfold/exact/accumulator.hpp"

namespace warpfold::bench {

enum class range { uniform, normal, wide, cancelling };

constexpr const char* name_of(range r) {
  constexpr const char* names[] = {"uniform", "normal", "wide", "cancelling"};
  return names[static_cast<int>(r)];
}

/// Any finite value: all signs, exponents and fractions alike.
template <class T>
__device__ T any_bits(std::uint64_t random) {
  using bits_type = typename detail::format<T>::bits_type;
  constexpr unsigned fraction = detail::format<T>::precision - 1;
  auto bits = static_cast<bits_type>(random);
  constexpr bits_type top = bits_type{detail::format<T>::top_field} << fraction;
  if ((bits & top) == top) bits &= ~(bits_type{1} << fraction);
  return detail::from_bits<T>(bits);
}

template <class T>
__device__ T value_of_range(range r, std::size_t i) {
  const std::uint64_t random = mixed(i + 1);
  const double first = (static_cast<double>(random >> 11) + 0.5) * 0x1p-53;
  switch (r) {
    case range::uniform:
      return static_cast<T>(sizeof(T) == 4 ? static_cast<double>(random >> 40) * 0x1p-24 : first);
    case range::normal: {
      const double second = static_cast<double>(mixed(random) >> 11) * 0x1p-53;
      return static_cast<T>(sqrt(-2 * log(first)) * cospi(2 * second));
    }
    case range::wide: return any_bits<T>(random);
    case range::cancelling: {  // each value and its negative, far apart; one is left alone
      const std::size_t half = i % (std::size_t{1} << 20) / 2;
      const T value = any_bits<T>(mixed(half * 2654435761U % (std::size_t{1} << 19)));
      return i % 2 == 0 ? value : -any_bits<T>(mixed(half));
    }
  }
  return 0;
}

/// The same values in each slot.
template <class T>
struct range_values {
  range which;
  std::size_t step;
  __device__ T operator()(std::size_t i) const { return value_of_range<T>(which, i % step); }
};

}  // namespace warpfold::bench
