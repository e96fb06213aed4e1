// The sum of a batch of any values, by levels. A sum in f64 that starts at 1.5 * 2^(52 + e) takes
// from each value what is a multiple of 2^e, without an error; the remainder of the value goes to
// the next level's sum, which starts 45 binades lower. If no remainder is left after the last
// level, which is tested, the sums are exact.
//
//   value                1.01101…01|10110…11|0            bits of the value, by level
//   level 0 takes        1.01101…01|                      multiples of 2^e
//   level 1 takes                  |10110…11|             multiples of 2^(e - 45)
//   remainder                                |0           must be 0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "warpfold/bounds.hpp"
#include "warpfold/exact/format.hpp"
#include "warpfold/exact/host/batch.hpp"
#include "warpfold/unrolled.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// The greatest size of the values; NaN may be left out. n is a multiple of `batch_step`.
template <std::size_t Bytes, class T>
[[gnu::always_inline]] inline double greatest(const T* in, std::size_t n) {
  using shape = batch_shape<Bytes>;
  using bits_type = typename format<T>::bits_type;
  using values = vector<T, shape::lanes>;
  using bits = vector<bits_type, shape::lanes>;
  values most[shape::sets] = {};
  for (std::size_t i = 0; i < n; i += shape::step) {
    unrolled<shape::sets>([&](auto k) __attribute__((always_inline)) {
      bits size;
      memcpy(&size, in + i + k * shape::lanes, sizeof size);
      size &= ~(bits_type{1} << (sizeof(T) * 8 - 1));
      most[k] = (values)size > most[k] ? (values)size : most[k];
    });
  }
  values all = {};
  unrolled<shape::sets>([&](auto k) __attribute__((always_inline)) {
    all = most[k] > all ? most[k] : all;
  });
  T greatest = 0;
  for (std::size_t j = 0; j < shape::lanes; ++j) greatest = at_least<T>(greatest, all[j]);
  return static_cast<double>(greatest);
}

/// The sums of the levels, in whole numbers of 2^unit.
template <unsigned Levels>
struct level_sums {
  std::int64_t units[Levels];
  int unit[Levels];
  bool exact;
};

template <std::size_t Bytes, unsigned Levels, class T>
[[gnu::always_inline]] inline void sum_levels(const T* in, std::size_t n,
                                              level_sums<Levels>& result) {
  using shape = batch_shape<Bytes>;
  using wide = vector<double, shape::lanes>;
  using bits = vector<std::int64_t, shape::lanes>;
  using narrow = vector<T, shape::lanes>;
  const float_fields<double> top(greatest<Bytes>(in, n));
  const int lead = top.exponent() + 52;  // all are less than 2^(lead + 1)
  result.exact = top.units != 0 && lead + shape::adds + 3 <= 1023;
  if (!result.exact) return;
  wide sum[shape::sets][Levels];
  std::int64_t start[Levels];
  unrolled<Levels>([&](auto l) __attribute__((always_inline)) {
    const int at = at_least(lead + shape::adds + 2 - static_cast<int>(l) * 45, -1022);
    start[l] = std::int64_t{at + 1023} << 52 | std::int64_t{1} << 51;
    const wide first = wide{} + from_bits<double>(static_cast<std::uint64_t>(start[l]));
    unrolled<shape::sets>([&](auto k) __attribute__((always_inline)) { sum[k][l] = first; });
    result.unit[l] = at - 52;
  });
  bits left = {};
  const prefetch_ahead<T> fetch(in);
  for (std::size_t i = 0; i < n; i += shape::step) {
    fetch(i, shape::step);
    unrolled<shape::sets>([&](auto k) __attribute__((always_inline)) {
      narrow values;
      memcpy(&values, in + i + k * shape::lanes, sizeof values);
      wide remainder = __builtin_convertvector(values, wide);
      unrolled<Levels>([&](auto l) __attribute__((always_inline)) {
        const wide next = sum[k][l] + remainder;
        remainder -= next - sum[k][l];
        sum[k][l] = next;
      });
      left |= (bits)remainder;
    });
  }
  std::int64_t any = 0;
  for (std::size_t j = 0; j < shape::lanes; ++j) any |= left[j];
  result.exact = (any & INT64_MAX) == 0;
  unrolled<Levels>([&](auto l) __attribute__((always_inline)) {
    bits units = {};
    unrolled<shape::sets>([&](auto k) __attribute__((always_inline)) {
      units += (bits)sum[k][l] - start[l];
    });
    result.units[l] = 0;
    for (std::size_t j = 0; j < shape::lanes; ++j) result.units[l] += units[j];
  });
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
