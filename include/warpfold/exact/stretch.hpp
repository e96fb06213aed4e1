// A stretch of values into an exact sum, by vectors. A sum in f64 that starts at 1.5 * 2^(52 + e)
// takes from each value what is a multiple of 2^e, without an error; what is left of the value goes
// to the next sum, which starts 45 binades lower. If nothing is left after the last one (that is
// tested), the sums are exact. If something is, the values go one by one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "warpfold/exact/kind.hpp"

#if defined(__FAST_MATH__)
#error "exact sums need IEEE arithmetic: compile without -ffast-math"
#endif

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

template <class T>
struct vectors {
  static constexpr std::size_t width = 2;  // 16 bytes of f64
  static constexpr std::size_t at_once = 4;
  static constexpr std::size_t lanes = width * at_once;
  using wide [[gnu::vector_size(16)]] = double;
  using bits [[gnu::vector_size(16)]] = std::int64_t;
  using narrow [[gnu::vector_size(width * sizeof(T))]] = T;

  [[gnu::always_inline]] static wide load(const T* from) {
    narrow values;
    memcpy(&values, from, sizeof values);
    return __builtin_convertvector(values, wide);
  }
};

/// Values that are summed before their sums are moved to the digits.
inline constexpr std::size_t stretch_values = 1024;

template <class T>
[[gnu::always_inline]] inline double greatest(const T* in, std::size_t n) {
  using narrow [[gnu::vector_size(16)]] = T;
  using bits [[gnu::vector_size(16)]] = typename format<T>::bits_type;
  constexpr std::size_t width = 16 / sizeof(T), at_once = 4;
  constexpr auto sign = typename format<T>::bits_type{1} << (sizeof(T) * 8 - 1);
  narrow most[at_once] = {};
  for (std::size_t i = 0; i < n; i += width * at_once) {
    for (std::size_t k = 0; k < at_once; ++k) {
      narrow values;
      memcpy(&values, in + i + k * width, sizeof values);
      values = (narrow)((bits)values & ~sign);
      most[k] = values > most[k] ? values : most[k];
    }
  }
  double all = 0;
  for (const narrow& m : most) {
    for (std::size_t j = 0; j < width; ++j) all = m[j] > all ? static_cast<double>(m[j]) : all;
  }
  return all;
}

/// Adds n values (a multiple of the lanes) to the sum, or returns false and leaves it as it was.
template <unsigned Levels, class T, class State>
bool add_vectors(State& state, const T* in, std::size_t n) {
  using v = vectors<T>;
  using wide = typename v::wide;
  using bits = typename v::bits;
  constexpr int adds = 7;  // log2 of those in a lane
  static_assert(stretch_values / v::lanes <= std::size_t{1} << adds);
  const parts<double> top(greatest(in, n));
  const int lead = top.exponent() + 52;  // all are less than 2^(lead + 1), if lead is that of most
  if (top.units == 0 || lead + adds + 3 > 1023) return false;
  std::int64_t start[Levels];
  int unit[Levels];
  for (unsigned l = 0; l < Levels; ++l) {
    const int at = std::max(lead + adds + 2 - static_cast<int>(l) * 45, -1022);
    start[l] = std::int64_t{at + 1023} << 52 | std::int64_t{1} << 51;
    unit[l] = at - 52;
  }
  wide sum[Levels][v::at_once];
  bits left[v::at_once] = {};
  for (unsigned l = 0; l < Levels; ++l) {
    for (wide& s : sum[l]) s = wide{} + from_bits<double>(static_cast<std::uint64_t>(start[l]));
  }
  for (std::size_t i = 0; i < n; i += v::lanes) {
    for (std::size_t k = 0; k < v::at_once; ++k) {
      wide rest = v::load(in + i + k * v::width);
      for (unsigned l = 0; l < Levels; ++l) {
        const wide next = sum[l][k] + rest;
        rest -= next - sum[l][k];
        sum[l][k] = next;
      }
      left[k] |= (bits)rest;
    }
  }
  std::int64_t any = 0;
  for (const bits& l : left) any |= l[0] | l[1];
  if ((any & INT64_MAX) != 0) return false;
  for (unsigned l = 0; l < Levels; ++l) {
    std::int64_t units = 0;
    for (const wide& s : sum[l]) {
      units += static_cast<std::int64_t>(bits_of(s[0])) - start[l];
      units += static_cast<std::int64_t>(bits_of(s[1])) - start[l];
    }
    // Digits begin above the least unit of f32 sums; then the units are multiples of theirs.
    const int at = unit[l] - State::sum_type::base;
    if (units != 0) state.sum.add(at < 0 ? units >> -at : units, at < 0 ? 0 : at);
  }
  state.terms |= seen::number;
  return true;
}

template <class T, class State>
void add_stretch(State& state, const T* in, std::size_t n) {
  constexpr std::size_t lanes = vectors<T>::lanes * (sizeof(double) / sizeof(T));
  std::size_t i = 0;
  while (n - i >= lanes) {
    const std::size_t now = std::min(stretch_values, (n - i) / lanes * lanes);
    bool done = sizeof(T) == 4 && add_vectors<1>(state, in + i, now);
    done = done || add_vectors<2>(state, in + i, now);
    if (!done) {
      for (std::size_t k = i; k < i + now; ++k) state.add(in[k]);
    }
    i += now;
  }
  for (; i < n; ++i) state.add(in[i]);
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
