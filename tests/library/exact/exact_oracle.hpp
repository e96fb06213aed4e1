// The truth about sums, by GMP's rational numbers, and data that is hard to sum.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gmpxx.h>

namespace warpfold::tests {

template <class T>
using bits_type = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// The value as a rational number; infinity as the power of two that comes after all numbers.
template <class T>
mpq_class rational(T value) {
  int exponent = std::numeric_limits<T>::max_exponent + 1;
  T fraction = std::signbit(value) ? T{-0.5} : T{0.5};
  if (!std::isinf(value)) fraction = std::frexp(value, &exponent);
  mpq_class result(static_cast<double>(fraction));
  if (exponent >= 0) {
    result <<= static_cast<mp_bitcnt_t>(exponent);
  } else {
    result >>= static_cast<mp_bitcnt_t>(-exponent);
  }
  return result;
}

/// The nearest T, of two as near the even one: found by comparing distances, not by cutting bits.
template <class T>
T nearest(const mpq_class& exact) {
  if (exact == 0) return 0;
  const T infinity = std::numeric_limits<T>::infinity();
  T low = 0, high = infinity;  // low <= |exact| <= high
  const mpq_class size = abs(exact);
  while (std::bit_cast<bits_type<T>>(high) - std::bit_cast<bits_type<T>>(low) > 1) {
    const auto a = std::bit_cast<bits_type<T>>(low), b = std::bit_cast<bits_type<T>>(high);
    const T middle = std::bit_cast<T>(static_cast<bits_type<T>>(a + (b - a) / 2));
    (rational(middle) <= size ? low : high) = middle;
  }
  const mpq_class below = size - rational(low), above = rational(high) - size;
  const bool low_is_even = std::bit_cast<bits_type<T>>(low) % 2 == 0;
  const T result = below < above || (below == above && low_is_even) ? low : high;
  return sgn(exact) < 0 ? -result : result;
}

/// The same for a sum of values, infinities, NaN and both zeros among them.
template <class T>
T exact_reference(const std::vector<T>& values) {
  mpq_class sum = 0;
  bool plus = false, minus = false, nan = false, only_minus_zero = !values.empty();
  mpz_class units = 0;  // of the least value there is
  constexpr int least = std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits;
  for (const T v : values) {
    only_minus_zero = only_minus_zero && v == 0 && std::signbit(v);
    nan = nan || std::isnan(v);
    plus = plus || (std::isinf(v) && v > 0);
    minus = minus || (std::isinf(v) && v < 0);
    if (!std::isfinite(v) || v == 0) continue;
    int exponent = 0;
    const T fraction = std::frexp(v, &exponent);
    mpz_class term(static_cast<double>(std::ldexp(fraction, 53)));
    const int shift = exponent - 53 - least;
    if (shift >= 0) {
      units += term << static_cast<mp_bitcnt_t>(shift);
    } else {
      units += term >> static_cast<mp_bitcnt_t>(-shift);
    }
  }
  if (nan || (plus && minus)) return std::numeric_limits<T>::quiet_NaN();
  if (plus) return std::numeric_limits<T>::infinity();
  if (minus) return -std::numeric_limits<T>::infinity();
  if (only_minus_zero) return -T{0};
  sum = units;
  sum >>= static_cast<mp_bitcnt_t>(-least);
  return nearest<T>(sum);
}

/// The same for a dot product.
template <class T>
T exact_dot_reference(const std::vector<T>& a, const std::vector<T>& b) {
  mpq_class sum = 0;
  std::vector<T> special;  // what products of infinities, NaN and zeros are
  bool any = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isfinite(a[i]) && std::isfinite(b[i]) && a[i] != 0 && b[i] != 0) {
      sum += rational(a[i]) * rational(b[i]);
      any = true;
    } else {
      special.push_back(a[i] * b[i]);
    }
  }
  const T rest = exact_reference(special);
  return any && std::isfinite(rest) ? nearest<T>(sum) : rest;
}

template <class T>
struct exact_case {
  std::string name;
  std::vector<T> values;
};

template <class T>
T any_finite(std::mt19937_64& bits) {
  while (true) {
    const T value = std::bit_cast<T>(static_cast<bits_type<T>>(bits()));
    if (std::isfinite(value)) return value;
  }
}

/// About n values a case.
template <class T>
std::vector<exact_case<T>> exact_cases(std::size_t n, unsigned seed = 1) {
  using limits = std::numeric_limits<T>;
  std::mt19937_64 bits(seed);
  const auto fill = [&](auto make) {
    std::vector<T> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<T>(make(i));
    return values;
  };
  const auto shuffled = [&](std::vector<T> values) {
    std::shuffle(values.begin(), values.end(), bits);
    return values;
  };
  std::uniform_real_distribution<T> unit(0, 1);
  std::normal_distribution<T> normal(0, 1);
  const auto wide = fill([&](std::size_t) { return any_finite<T>(bits); });
  auto cancelling = fill([&](std::size_t) { return std::ldexp(any_finite<T>(bits), -20); });
  for (std::size_t i = 0; i + 1 < n; i += 2) cancelling[i + 1] = -cancelling[i];
  if (n > 0) cancelling[0] = limits::denorm_min();
  std::vector<exact_case<T>> cases{
      {"uniform", fill([&](std::size_t) { return unit(bits); })},
      {"normal", fill([&](std::size_t) { return normal(bits); })},
      {"all bits", wide},
      {"cancelling", shuffled(cancelling)},
      {"alternating", fill([](std::size_t i) { return (i % 2 == 0 ? 1.0 : -1.0) * (i + 0.1); })},
      {"subnormal", fill([&](std::size_t) { return any_finite<T>(bits) * limits::denorm_min(); })},
      {"zeros", fill([](std::size_t i) { return i % 3 == 0 ? -0.0 : 0.0; })},
      {"minus zeros", fill([](std::size_t) { return -0.0; })},
      {"equal", fill([](std::size_t) { return 0.1; })},
      {"greatest", fill([](std::size_t i) { return i % 5 < 3 ? limits::max() : -limits::max(); })},
      {"powers", fill([&](std::size_t) {
         const int e = static_cast<int>(bits() % 250) - 125;
         return std::ldexp(T{1}, sizeof(T) == 4 ? e : 8 * e) * (bits() % 2 == 0 ? 1 : -1);
       })}};
  for (T& v : cases[5].values) v = std::fmod(v, limits::min());
  // One and a half units in the last place of 1 and less: rounding twice goes wrong.
  const T half = limits::epsilon() / 2;
  for (const T tail : {limits::denorm_min(), -limits::denorm_min(), T{0}}) {
    for (const T lead : {T{1}, T{1} + limits::epsilon()}) {
      std::vector<T> values(n, 0);
      if (n >= 8) values[n - 1] = lead, values[n / 2] = half, values[1] = tail;
      if (n >= 8) values[2] = limits::max() / 4, values[3] = -limits::max() / 4;
      cases.push_back({"halfway", shuffled(values)});
    }
  }
  // The border to infinity, reached and not.
  const T last = std::ldexp(T{1}, limits::max_exponent - limits::digits - 1);
  for (const T tail : {T{0}, limits::denorm_min(), -limits::denorm_min()}) {
    std::vector<T> values(n, 0);
    if (n >= 8) values[0] = limits::max(), values[n / 2] = last, values[n - 1] = tail;
    cases.push_back({"border", shuffled(values)});
  }
  for (const T special : {limits::infinity(), -limits::infinity(), limits::quiet_NaN()}) {
    auto values = wide;
    if (n > 0) values[n / 3] = special;
    cases.push_back({"special", values});
    if (n > 0) values[n - 1] = limits::infinity();
    cases.push_back({"specials", values});
  }
  return cases;
}

/// To the bit, except that all NaNs are one.
template <class T>
bool same_value(T a, T b) {
  return std::isnan(a) ? std::isnan(b)
                       : std::bit_cast<bits_type<T>>(a) == std::bit_cast<bits_type<T>>(b);
}

}  // namespace warpfold::tests
