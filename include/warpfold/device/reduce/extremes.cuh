// The operators and maps behind min_max, argmin, argmax and statistics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "warpfold/device/reduce/problem.cuh"
#include "warpfold/operators.hpp"
#include "warpfold/results.hpp"
#include "warpfold/warp/shuffle.cuh"

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

/// better<Extreme> as a kernel's operator.
template <class T, class Extreme>
struct position_op : better<Extreme> {
  template <class>
  __host__ __device__ static constexpr position<T> identity() {
    return {T{}, nowhere};
  }
};

/// A thread begins with a value whose index is not behind those of its vectors. It meets these from
/// left to right, so only a better value replaces the one it has. Single values come in any order.
/// All lanes of a warp meet several vectors together. They share the best value that any of them
/// has, so that soon hardly a warp finds a better one. A lane that does not have that value itself
/// keeps it with the index `nowhere`.
template <class T, class Extreme>
struct to_position {
  using order = better<Extreme>;

  __device__ void begin(position<T>& best, const T& value, std::size_t index) const {
    best = {value, index};
  }
  template <std::size_t Loads, std::size_t Count>
  __device__ void accumulate(position<T>& best, const T (&value)[Loads][Count], std::size_t index,
                             std::size_t step) const {
    T extreme = value[0][0];
    for_each_value(value,
                   [&](const T& v, std::size_t, std::size_t) { extreme = Extreme{}(extreme, v); });
    // NaN if any is.
    if (Loads * Count == 1 || any_takes<Loads>(order::beats(extreme, best.value))) {
      take(best, value, index, step);
    }
  }

  template <std::size_t Loads>
  static __device__ __forceinline__ bool any_takes(bool better) {
    return Loads > 1 ? __any_sync(all_lanes, better) != 0 : better;
  }
  template <std::size_t Loads, std::size_t Count>
  static __device__ void take(position<T>& best, const T (&value)[Loads][Count], std::size_t index,
                              std::size_t step) {
    if constexpr (Loads * Count == 1) {
      best = position_op<T, Extreme>{}(best, {value[0][0], index});
    } else {
#pragma unroll
      for (std::size_t l = 0; l < Loads; ++l) {
        T extreme = value[l][0];
#pragma unroll
        for (std::size_t k = 1; k < Count; ++k) extreme = Extreme{}(extreme, value[l][k]);
        if (!order::beats(extreme, best.value)) continue;
#pragma unroll
        for (std::size_t k = 0; k < Count; ++k) {
          if (order::beats(value[l][k], best.value)) best = {value[l][k], index + l * step + k};
        }
      }
    }
    if constexpr (Loads > 1) {
      T shared = best.value;
#pragma unroll
      for (unsigned mask = warp_size / 2; mask > 0; mask /= 2) {
        shared = Extreme{}(shared, shuffle_xor(shared, mask));
      }
      if (order::beats(shared, best.value)) best = {shared, nowhere};
    }
  }
};

/// The sum of the values, that of (value - shift), and of its square.
template <class T>
struct moments {
  std::uint64_t count;
  double total, sum, squares, shift;
  position<T> min, max;
};

/// A thread counts from the value it begins with, and at the end from its mean.
template <class T>
struct to_moments {
  __device__ void begin(moments<T>& m, const T& value, std::size_t index) const {
    const auto x = static_cast<double>(value);
    m.shift = x - x == 0 ? x : 0;  // 0 for an infinity or NaN
    m.min = m.max = {value, index};
  }
  template <std::size_t Loads, std::size_t Count>
  __device__ void accumulate(moments<T>& m, const T (&value)[Loads][Count], std::size_t index,
                             std::size_t step) const {
    m.count += Loads * Count;
    T least = value[0][0], most = value[0][0];
    double sum[2] = {0, 0}, squares[2] = {0, 0};  // two chains, each half as long
    for_each_value(value, [&](const T& v, std::size_t, std::size_t k) {
      const double d = static_cast<double>(v) - m.shift;
      sum[k % 2] += d;
      squares[k % 2] += d * d;
      least = minimum{}(least, v);
      most = maximum{}(most, v);
    });
    m.sum += sum[0] + sum[1];
    m.squares += squares[0] + squares[1];
    // One branch for both, and one comparison each: a new extreme is rare. NaN is none of these.
    using least_place = to_position<T, minimum>;
    using most_place = to_position<T, maximum>;
    const bool news = !(least >= m.min.value && most <= m.max.value);
    if (Loads * Count == 1 || least_place::template any_takes<Loads>(news)) {
      least_place::take(m.min, value, index, step);
      most_place::take(m.max, value, index, step);
    }
  }
  __host__ __device__ void finish(moments<T>& m) const {
    if (m.count == 0) return;
    const auto count = static_cast<double>(m.count);
    m.total = m.sum + m.shift * count;
    const double from_shift = m.sum / count;
    if (from_shift - from_shift != 0) return;  // an infinity or NaN
    m.squares -= m.sum * from_shift;
    m.sum = 0;
    m.shift += from_shift;
  }
};

/// Moves b's sums to a's shift. a's shift is the mean of n values, those of one thread. So the
/// squares are at most 1 + count / n times as large as from the mean of all values, and the
/// rounding error of f64 grows by this factor. There is no division: blocks join many of these, one
/// after another.
template <class T>
struct moments_op {
  static constexpr bool commutative = true;
  template <class>
  __host__ __device__ static constexpr moments<T> identity() {
    return {0, 0, 0, 0, 0, {T{}, nowhere}, {T{}, nowhere}};
  }
  __host__ __device__ moments<T> operator()(const moments<T>& a, const moments<T>& b) const {
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    const double apart = b.shift - a.shift;
    const double by_count = static_cast<double>(b.count) * apart;
    return {a.count + b.count,
            a.total + b.total,
            a.sum + (b.sum + by_count),
            a.squares + (b.squares + apart * (2 * b.sum + by_count)),
            a.shift,
            position_op<T, minimum>{}(a.min, b.min),
            position_op<T, maximum>{}(a.max, b.max)};
  }
};

template <class T>
summary<T> summarise(const moments<T>& m) {
  const auto count = static_cast<double>(m.count);
  const double squares = m.squares - m.sum * (m.sum / count);
  return {m.count, m.total, m.total / count, squares < 0 ? 0 : squares / count, m.min, m.max};
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
