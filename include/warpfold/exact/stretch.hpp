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
#include "warpfold/unrolled.hpp"

#if defined(__FAST_MATH__)
#error "exact sums need IEEE arithmetic: compile without -ffast-math"
#endif

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// Values that are summed before their sums are moved to the digits.
inline constexpr std::size_t batch_values = 1024;
inline constexpr std::size_t batch_step = 16;  // what vectors take is a multiple of so many

/// Sums of f64 side by side: in vectors of `Bytes`, which the machine has, since g++ makes single
/// steps of longer ones, and in so many that an addition seldom waits for the one before.
template <std::size_t Bytes>
struct batch_shape {
  static constexpr std::size_t lanes = Bytes / sizeof(double);
  static constexpr std::size_t sets = at_most<std::size_t>(batch_step / lanes, 4);
  static constexpr std::size_t step = lanes * sets;
  static constexpr int adds = step == 16 ? 6 : 7;  // log2 of those in a lane
  static_assert(batch_step % step == 0 && batch_values / step <= std::size_t{1} << adds);
};

template <class T, std::size_t Lanes>
struct vector_of {
  using type [[gnu::vector_size(Lanes * sizeof(T))]] = T;
};
template <class T, std::size_t Lanes>
using vector = typename vector_of<T, Lanes>::type;

/// For each line of a stretch, asks for one of the four stretches that come after the four that
/// this one belongs to: in four streams at once, for which memory answers faster than for one.
template <class T>
class prefetch_ahead {
 public:
  explicit prefetch_ahead(const T* in) {
    const auto at = reinterpret_cast<std::uintptr_t>(in) / bytes % streams;
    first_ = reinterpret_cast<const char*>(in) + (streams - at) * bytes + at * (bytes / streams);
  }
  /// For the `count` values from the i-th on.
  [[gnu::always_inline]] void operator()(std::size_t i, std::size_t count) const {
    for (std::size_t at = i * sizeof(T); at < (i + count) * sizeof(T); at += line_bytes) {
      const std::size_t line = at / line_bytes;
      __builtin_prefetch(first_ + line % streams * bytes + line / streams * line_bytes);
    }
  }

 private:
  static constexpr std::size_t streams = 4, line_bytes = 64, bytes = batch_values * sizeof(T);
  const char* first_;
};

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

/// The whole numbers of 2^unit that the values come to, part by part.
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

/// The same for f32 values of so few binades that plain f64 sums of them are exact. n is at most
/// `batch_values` and a multiple of `batch_step`.
template <std::size_t Bytes>
[[gnu::always_inline]] inline void sum_narrow_range(const float* in, std::size_t n,
                                                    level_sums<1>& result) {
  using shape = batch_shape<Bytes>;
  using wide = vector<double, shape::lanes>;
  using narrow = vector<float, shape::lanes>;
  using bits = vector<std::uint32_t, 2 * shape::lanes>;
  wide sum[shape::sets] = {};
  bits most[shape::sets / 2] = {}, least[shape::sets / 2] = {};
  for (bits& l : least) l -= 1;  // the least of sizes less 1, so that zero is the greatest
  const prefetch_ahead<float> fetch(in);
  for (std::size_t i = 0; i < n; i += shape::step) {
    fetch(i, shape::step);
    unrolled<shape::sets>([&](auto k) __attribute__((always_inline)) {
      narrow values;
      memcpy(&values, in + i + k * shape::lanes, sizeof values);
      sum[k] += __builtin_convertvector(values, wide);
    });
    // After the values, which clang would otherwise make of the sizes, one by one.
    unrolled<shape::sets / 2>([&](auto k) __attribute__((always_inline)) {
      bits size;
      memcpy(&size, in + i + k * 2 * shape::lanes, sizeof size);
      size &= 0x7fffffff;
      most[k] = size > most[k] ? size : most[k];
      size -= 1;
      least[k] = size < least[k] ? size : least[k];
    });
  }
  std::uint32_t high = 0, low = ~std::uint32_t{0};
  unrolled<shape::sets / 2>([&](auto k) __attribute__((always_inline)) {
    for (std::size_t j = 0; j < 2 * shape::lanes; ++j) high = at_least(high, most[k][j]);
    for (std::size_t j = 0; j < 2 * shape::lanes; ++j) low = at_most(low, least[k][j]);
  });
  const int top = static_cast<int>(high >> 23),
            bottom = at_least(static_cast<int>((low + 1) >> 23), 1);
  result.exact = high != 0 && top != 255 && top + 1 + shape::adds - (bottom - 23) <= 53;
  if (!result.exact) return;
  result.unit[0] = bottom - 150;
  const double scale = from_bits<double>(std::uint64_t(1023 + 150 - bottom) << 52);
  result.units[0] = 0;
  unrolled<shape::sets>([&](auto k) __attribute__((always_inline)) {
    for (std::size_t j = 0; j < shape::lanes; ++j) {
      result.units[0] += static_cast<std::int64_t>(sum[k][j] * scale);
    }
  });
}

struct narrow_range {
  static constexpr unsigned levels = 1;
  template <std::size_t Bytes, class T>
  [[gnu::always_inline]] static void sum(const T* in, std::size_t n, level_sums<1>& result) {
    sum_narrow_range<Bytes>(in, n, result);
  }
};
template <unsigned Levels>
struct multi_level {
  static constexpr unsigned levels = Levels;
  template <std::size_t Bytes, class T>
  [[gnu::always_inline]] static void sum(const T* in, std::size_t n, level_sums<Levels>& result) {
    sum_levels<Bytes>(in, n, result);
  }
};

#if defined(__x86_64__) && !defined(__CUDACC__)
template <class Way, class T>
[[gnu::target("avx2")]] void sum_avx2(const T* in, std::size_t n, level_sums<Way::levels>& s) {
  Way::template sum<32>(in, n, s);
}
template <class Way, class T>
[[gnu::target("avx512f,avx512dq,avx512vl")]] void sum_avx512(const T* in, std::size_t n,
                                                             level_sums<Way::levels>& s) {
  Way::template sum<64>(in, n, s);
}
#endif

/// Adds n values (a multiple of `batch_step`) to the sum, or returns false and leaves it as it
/// was.
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
    Way::template sum<16>(in, n, sums);
  }
#else
  Way::template sum<16>(in, n, sums);
#endif
  if (!sums.exact) return false;
  for (unsigned l = 0; l < Way::levels; ++l) {
    // Below the digits' unit there are only whole multiples of it.
    const int at = sums.unit[l] - State::sum_type::base;
    if (sums.units[l] != 0)
      state.sum.add(at < 0 ? sums.units[l] >> -at : sums.units[l], at < 0 ? 0 : at);
  }
  state.seen |= term_flag::number;
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
  typename bins::flags flags[sets];
  std::size_t i = 0;
  for (; i + sets <= n; i += sets) {
    for (unsigned k = 0; k < sets; ++k) bins::template add<sets>(flags[k], word + k, in[i + k]);
  }
  for (; i < n; ++i) bins::template add<sets>(flags[0], word, in[i]);
  for (const auto& f : flags) state.seen |= bins::seen_by(f);
  if (state.sum.adds_since_carry >= state.sum.most_adds / 2) state.sum.carry();
  for (unsigned b = 0; b < bins::count; ++b) {
    for (unsigned k = 0; k < sets; ++k) {
      state.seen |= bins::seen_in(word[b * sets + k]);
      const digit_pair pair = bins::digits_of(word[b * sets + k], b);
      state.sum.digit[lift + b / bins::per_digit] += pair.low;
      state.sum.digit[lift + b / bins::per_digit + 1] += pair.high;
    }
  }
  state.sum.adds_since_carry += 1U << 10;          // the greatest of the pairs are as 2^6 terms
  if (n > 0) state.seen |= term_flag::minus_zero;  // unless a number was seen, all were
}

/// Values that go by fields, once vectors failed: the table is worth its cost from `few_values` on.
inline constexpr std::size_t few_values = bins_values, many_values = std::size_t{1} << 17;

template <class T, class State>
void add_batches(State& state, const T* in, std::size_t n) {
  for (std::size_t i = 0; i < n;) {
    std::size_t now = at_most(batch_values, (n - i) / batch_step * batch_step);
    bool done = false;
    if constexpr (sizeof(T) == 4) done = now > 0 && add_vectors<narrow_range>(state, in + i, now);
    done = done || (now > 0 && add_vectors<multi_level<2>>(state, in + i, now));
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
