// The operators and maps behind min_max, argmin, argmax and statistics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "warpfold/operators.hpp"
#include "warpfold/results.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

template <class T>
struct min_max_op {
  static constexpr bool commutative = true;
  template <class>
  __host__ __device__ static constexpr min_max<T> identity() {
    return {highest<T>, lowest<T>};
  }
  __host__ __device__ min_max<T> operator()(const min_max<T>& a, const min_max<T>& b) const {
    return {minimum{}(a.min, b.min), maximum{}(a.max, b.max)};
  }
};
template <class T>
struct to_min_max {
  template <class In>
  __host__ __device__ min_max<T> operator()(const In& value) const {
    return {static_cast<T>(value), static_cast<T>(value)};
  }
};

inline constexpr std::uint64_t nowhere = ~std::uint64_t{0};

template <class T>
__host__ __device__ constexpr bool is_nan(const T& value) {
  // NOLINTNEXTLINE(misc-redundant-expression)
  return value != value;
}

/// The better of two positions: NaN before all else, then as `Less` says, then the first. A place
/// `nowhere` loses to every other.
template <class T, class Better>
struct position_op {
  static constexpr bool commutative = true;
  template <class>
  __host__ __device__ static constexpr position<T> identity() {
    return {T{}, nowhere};
  }
  __host__ __device__ position<T> operator()(const position<T>& a, const position<T>& b) const {
    return wins(b, a) ? b : a;
  }
  static __host__ __device__ bool wins(const position<T>& b, const position<T>& a) {
    if (a.index == nowhere || b.index == nowhere) return b.index < a.index;
    if (Better{}(b.value, a.value)) return true;
    if (Better{}(a.value, b.value)) return false;
    return b.index < a.index;
  }
};
struct smaller {
  template <class T>
  __host__ __device__ bool operator()(const T& a, const T& b) const {
    return a < b || (is_nan(a) && !is_nan(b));
  }
};
struct larger {
  template <class T>
  __host__ __device__ bool operator()(const T& a, const T& b) const {
    return b < a || (is_nan(a) && !is_nan(b));
  }
};

/// A thread begins with a value that stands nowhere behind its loads, and meets these from left to
/// right: only a better one replaces the one it has. Single values come in any order.
template <class T, class Better>
struct to_position {
  using fold = std::conditional_t<std::is_same_v<Better, smaller>, minimum, maximum>;

  __device__ void begin(position<T>& best, const T& value, std::size_t index) const {
    best = {value, index};
  }
  template <std::size_t Count>
  __device__ void accumulate(position<T>& best, const T (&value)[Count], std::size_t index) const {
    T extreme = value[0];
#pragma unroll
    for (std::size_t k = 1; k < Count; ++k) extreme = fold{}(extreme, value[k]);
    // NaN if any is. It is better than the best so far only rarely.
    if (Count == 1 || Better{}(extreme, best.value)) take(best, value, index);
  }
  template <std::size_t Count>
  static __device__ void take(position<T>& best, const T (&value)[Count], std::size_t index) {
    if constexpr (Count == 1) {
      best = position_op<T, Better>{}(best, {value[0], index});
    } else {
#pragma unroll
      for (std::size_t k = 0; k < Count; ++k) {
        if (Better{}(value[k], best.value)) best = {value[k], index + k};
      }
    }
  }
};

/// A thread counts deviations from the value it begins with; `finish` turns them into the sum of
/// its values and the squared deviations from their mean (M2).
template <class T>
struct moments {
  std::uint64_t count;
  double sum, squares, shift;
  position<T> min, max;
};

template <class T>
struct to_moments {
  __device__ void begin(moments<T>& m, const T& value, std::size_t index) const {
    const auto x = static_cast<double>(value);
    m.shift = x - x == 0 ? x : 0;  // 0 for an infinity or NaN
    m.min = m.max = {value, index};
  }
  template <std::size_t Count>
  __device__ void accumulate(moments<T>& m, const T (&value)[Count], std::size_t index) const {
    m.count += Count;
    T least = value[0], most = value[0];
#pragma unroll
    for (std::size_t k = 0; k < Count; ++k) {
      const double d = static_cast<double>(value[k]) - m.shift;
      m.sum += d;
      m.squares += d * d;
      least = minimum{}(least, value[k]);
      most = maximum{}(most, value[k]);
    }
    // One branch for both, and one comparison each: a new extreme is rare. NaN is none of these.
    if (Count == 1 || !(least >= m.min.value && most <= m.max.value)) {
      to_position<T, smaller>::take(m.min, value, index);
      to_position<T, larger>::take(m.max, value, index);
    }
  }
  __host__ __device__ void finish(moments<T>& m) const {
    if (m.count == 0) return;
    const auto count = static_cast<double>(m.count);
    m.squares -= m.sum * (m.sum / count);
    m.sum += m.shift * count;
  }
};

/// Chan, Golub and LeVeque's merge of two finished parts.
template <class T>
struct moments_op {
  static constexpr bool commutative = true;
  template <class>
  __host__ __device__ static constexpr moments<T> identity() {
    return {0, 0, 0, 0, {T{}, nowhere}, {T{}, nowhere}};
  }
  __host__ __device__ moments<T> operator()(const moments<T>& a, const moments<T>& b) const {
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    const auto in_a = static_cast<double>(a.count), in_b = static_cast<double>(b.count);
    const double apart = b.sum / in_b - a.sum / in_a;
    return {a.count + b.count,
            a.sum + b.sum,
            a.squares + b.squares + apart * apart * (in_a * (in_b / (in_a + in_b))),
            0,
            position_op<T, smaller>{}(a.min, b.min),
            position_op<T, larger>{}(a.max, b.max)};
  }
};

template <class T>
summary<T> summarise(const moments<T>& m) {
  const auto count = static_cast<double>(m.count);
  return {m.count, m.sum, m.sum / count, m.squares / count, m.min, m.max};
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
