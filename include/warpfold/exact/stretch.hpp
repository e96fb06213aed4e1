// A stretch of values into an exact sum, by vectors. A sum in f64 that starts at 1.5 * 2^(52 + e)
// takes from each value what is a multiple of 2^e, without an error; what is left of the value goes
// to the next sum, which starts 45 binades lower. If nothing is left after the last one (that is
// tested), the sums are exact. If something is, the values go to bins instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "warpfold/bounds.hpp"
#include "warpfold/exact/bins.hpp"
#include "warpfold/exact/fields.hpp"

#if defined(__FAST_MATH__)
#error "exact sums need IEEE arithmetic: compile without -ffast-math"
#endif

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// Values that are summed before their sums are moved to the digits.
inline constexpr std::size_t stretch_values = 1024;
inline constexpr std::size_t stretch_lanes = 8;  // of f64: 64 bytes, in as many vectors as it takes

/// For each line of a stretch, asks for one of the four stretches that come after the four that
/// this one belongs to: in four places at once, for which memory answers faster than for one.
template <class T>
class fetch_ahead {
 public:
  explicit fetch_ahead(const T* in) {
    const auto at = reinterpret_cast<std::uintptr_t>(in) / bytes % places;
    first_ = reinterpret_cast<const char*>(in) + (places - at) * bytes + at * (bytes / places);
  }
  [[gnu::always_inline]] void operator()(std::size_t i) const {
    const std::size_t line = i * sizeof(T) / line_bytes;
    __builtin_prefetch(first_ + line % places * bytes + line / places * line_bytes);
  }

 private:
  static constexpr std::size_t places = 4, line_bytes = 64, bytes = stretch_values * sizeof(T);
  const char* first_;
};

/// The greatest size of the values; NaN may be left out. n is a multiple of 64 bytes.
template <class T>
[[gnu::always_inline]] inline double greatest(const T* in, std::size_t n) {
  constexpr std::size_t lanes = 64 / sizeof(T);
  using bits_type = typename format<T>::bits_type;
  using vector [[gnu::vector_size(64)]] = T;
  using bits [[gnu::vector_size(64)]] = bits_type;
  vector most = {};
  for (std::size_t i = 0; i < n; i += lanes) {
    bits size;
    memcpy(&size, in + i, sizeof size);
    size &= ~(bits_type{1} << (sizeof(T) * 8 - 1));
    most = (vector)size > most ? (vector)size : most;
  }
  double all = 0;
  for (std::size_t j = 0; j < lanes; ++j) all = most[j] > all ? static_cast<double>(most[j]) : all;
  return all;
}

/// The whole numbers of 2^unit that the values come to, part by part.
template <unsigned Levels>
struct level_sums {
  std::int64_t units[Levels];
  int unit[Levels];
  bool exact;
};

template <unsigned Levels, class T>
[[gnu::always_inline]] inline void sum_levels(const T* in, std::size_t n,
                                              level_sums<Levels>& result) {
  constexpr int adds = 7;  // log2 of those in a lane
  static_assert(stretch_values / stretch_lanes <= std::size_t{1} << adds);
  using wide [[gnu::vector_size(64)]] = double;
  using bits [[gnu::vector_size(64)]] = std::int64_t;
  using narrow [[gnu::vector_size(stretch_lanes * sizeof(T))]] = T;
  const parts<double> top(greatest(in, n));
  const int lead = top.exponent() + 52;  // all are less than 2^(lead + 1)
  result.exact = top.units != 0 && lead + adds + 3 <= 1023;
  if (!result.exact) return;
  wide sum[Levels];
  std::int64_t start[Levels];
  for (unsigned l = 0; l < Levels; ++l) {
    const int at = at_least(lead + adds + 2 - static_cast<int>(l) * 45, -1022);
    start[l] = std::int64_t{at + 1023} << 52 | std::int64_t{1} << 51;
    sum[l] = wide{} + from_bits<double>(static_cast<std::uint64_t>(start[l]));
    result.unit[l] = at - 52;
  }
  bits left = {};
  const fetch_ahead<T> fetch(in);
  for (std::size_t i = 0; i < n; i += stretch_lanes) {
    narrow values;
    memcpy(&values, in + i, sizeof values);
    fetch(i);
    wide rest = __builtin_convertvector(values, wide);
    for (unsigned l = 0; l < Levels; ++l) {
      const wide next = sum[l] + rest;
      rest -= next - sum[l];
      sum[l] = next;
    }
    left |= (bits)rest;
  }
  std::int64_t any = 0;
  for (unsigned l = 0; l < Levels; ++l) result.units[l] = 0;
  for (std::size_t j = 0; j < stretch_lanes; ++j) {
    any |= left[j];
    for (unsigned l = 0; l < Levels; ++l) {
      result.units[l] +=
          static_cast<std::int64_t>(bits_of(static_cast<double>(sum[l][j]))) - start[l];
    }
  }
  result.exact = (any & INT64_MAX) == 0;
}

/// The same for f32 values of so few binades that plain f64 sums of them are exact. n is at most
/// `stretch_values` and a multiple of 16.
[[gnu::always_inline]] inline void sum_alike(const float* in, std::size_t n,
                                             level_sums<1>& result) {
  constexpr std::size_t lanes = 2 * stretch_lanes;
  constexpr int adds = 6;  // log2 of those in a lane
  static_assert(stretch_values / lanes <= std::size_t{1} << adds);
  using wide [[gnu::vector_size(64)]] = double;
  using bits [[gnu::vector_size(64)]] = std::uint32_t;
  using narrow [[gnu::vector_size(stretch_lanes * sizeof(float))]] = float;
  wide sum[2] = {};
  bits most = {}, least = {};
  least -= 1;  // the least of sizes less 1, so that zero is the greatest
  const fetch_ahead<float> fetch(in);
  for (std::size_t i = 0; i < n; i += lanes) {
    bits size;
    narrow value[2];
    memcpy(&size, in + i, sizeof size);
    memcpy(value, in + i, sizeof value);
    fetch(i);
    size &= 0x7fffffff;
    most = size > most ? size : most;
    size -= 1;
    least = size < least ? size : least;
    for (unsigned k = 0; k < 2; ++k) sum[k] += __builtin_convertvector(value[k], wide);
  }
  std::uint32_t high = 0, low = ~std::uint32_t{0};
  for (std::size_t j = 0; j < lanes; ++j) high = at_least(high, most[j]);
  for (std::size_t j = 0; j < lanes; ++j) low = at_most(low, least[j]);
  const int top = static_cast<int>(high >> 23),
            bottom = at_least(static_cast<int>((low + 1) >> 23), 1);
  result.exact = high != 0 && top != 255 && top + 1 + adds - (bottom - 23) <= 53;
  if (!result.exact) return;
  result.unit[0] = bottom - 150;
  const double scale = from_bits<double>(std::uint64_t(1023 + 150 - bottom) << 52);
  result.units[0] = 0;
  for (std::size_t j = 0; j < stretch_lanes; ++j) {
    result.units[0] +=
        static_cast<std::int64_t>(sum[0][j] * scale) + static_cast<std::int64_t>(sum[1][j] * scale);
  }
}

struct alike {
  static constexpr unsigned levels = 1;
  template <class T>
  [[gnu::always_inline]] static void sum(const T* in, std::size_t n, level_sums<1>& result) {
    sum_alike(in, n, result);
  }
};
template <unsigned Levels>
struct by_levels {
  static constexpr unsigned levels = Levels;
  template <class T>
  [[gnu::always_inline]] static void sum(const T* in, std::size_t n, level_sums<Levels>& result) {
    sum_levels(in, n, result);
  }
};

#if defined(__x86_64__) && !defined(__CUDACC__)
template <class Way, class T>
[[gnu::target("avx2")]] void sum_avx2(const T* in, std::size_t n, level_sums<Way::levels>& s) {
  Way::sum(in, n, s);
}
template <class Way, class T>
[[gnu::target("avx512f,avx512dq,avx512vl")]] void sum_avx512(const T* in, std::size_t n,
                                                             level_sums<Way::levels>& s) {
  Way::sum(in, n, s);
}
#endif

/// Adds n values (a multiple of 64 bytes) to the sum, or returns false and leaves it as it was.
template <class Way, class T, class State>
bool add_vectors(State& state, const T* in, std::size_t n) {
  level_sums<Way::levels> sums;
#if defined(__x86_64__) && !defined(__CUDACC__)
  static const bool has_512 =
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  static const bool has_2 = __builtin_cpu_supports("avx2");
  if (has_512) {
    sum_avx512<Way>(in, n, sums);
  } else if (has_2) {
    sum_avx2<Way>(in, n, sums);
  } else {
    Way::sum(in, n, sums);
  }
#else
  Way::sum(in, n, sums);
#endif
  if (!sums.exact) return false;
  for (unsigned l = 0; l < Way::levels; ++l) {
    // Below the digits' unit there are only whole multiples of it.
    const int at = sums.unit[l] - State::sum_type::base;
    if (sums.units[l] != 0)
      state.sum.add(at < 0 ? sums.units[l] >> -at : sums.units[l], at < 0 ? 0 : at);
  }
  state.terms |= seen::number;
  return true;
}

/// Any values, n at most `bins_values`.
inline constexpr std::size_t bins_values = 4096;
template <class T, class State>
void add_by_bins(State& state, const T* in, std::size_t n) {
  using bins = exact_bins<T>;
  constexpr unsigned sets = 4;  // so that an addition seldom waits for the one before
  static_assert(bins_values / sets <= bins::most_adds);
  constexpr unsigned lift = (format<T>::sum_type::base - State::sum_type::base) / 32;
  typename bins::word word[bins::count * sets];
  for (auto& w : word) w = bins::empty;
  typename bins::rest rest[sets];
  std::size_t i = 0;
  for (; i + sets <= n; i += sets) {
    for (unsigned k = 0; k < sets; ++k) bins::template add<sets>(rest[k], word + k, in[i + k]);
  }
  for (; i < n; ++i) bins::template add<sets>(rest[0], word, in[i]);
  for (const auto& r : rest) state.terms |= bins::seen_by(r);
  if (state.sum.terms >= state.sum.most_terms / 2) state.sum.carry();
  for (unsigned b = 0; b < bins::count; ++b) {
    for (unsigned k = 0; k < sets; ++k) {
      state.terms |= bins::seen_in(word[b * sets + k]);
      const digit_pair pair = bins::digits_of(word[b * sets + k], b);
      state.sum.digit[lift + b / bins::per_digit] += pair.low;
      state.sum.digit[lift + b / bins::per_digit + 1] += pair.high;
    }
  }
  state.sum.terms += 1U << 10;                 // the greatest of the pairs are as 2^6 terms
  if (n > 0) state.terms |= seen::minus_zero;  // unless a number was seen, all were
}

/// Values that go by fields, once vectors failed: the table is worth its cost from `few_values` on.
inline constexpr std::size_t few_values = bins_values, many_values = std::size_t{1} << 17;

template <class T, class State>
void add_stretch(State& state, const T* in, std::size_t n) {
  constexpr std::size_t lanes = 64 / sizeof(T);
  for (std::size_t i = 0; i < n;) {
    std::size_t now = at_most(stretch_values, (n - i) / lanes * lanes);
    bool done = false;
    if constexpr (sizeof(T) == 4) done = now > 0 && add_vectors<alike>(state, in + i, now);
    done = done || (now > 0 && add_vectors<by_levels<2>>(state, in + i, now));
    if (!done && n - i > few_values) {
      now = at_most(many_values, n - i);
      add_by_fields(state, in + i, now);
    } else if (!done) {
      now = at_most(bins_values, n - i);
      add_by_bins(state, in + i, now);
    }
    i += now;
  }
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
