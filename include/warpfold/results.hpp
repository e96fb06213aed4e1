// What reductions with more than one result return, what each member means, and how the results of
// two parts of the data become those of both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "warpfold/operators.hpp"

namespace warpfold {

/// The smallest and the greatest value. Both are NaN if any value is.
template <class T>
struct min_max {
  T min;  ///< The smallest value.
  T max;  ///< The greatest value.

  /// Whether both pairs are equal.
  friend bool operator==(const min_max&, const min_max&) = default;
};

/// A value and its index, counted from 0: the first NaN if there is one, else the first of
/// the values that are the smallest (or greatest). -0 and +0 are equal.
template <class T>
struct position {
  T value;              ///< The value.
  std::uint64_t index;  ///< Its index, from 0.

  /// Whether value and index are equal.
  friend bool operator==(const position&, const position&) = default;
};

/// All from one read of the data. The variance is the population's: the mean of the squared
/// distances from the mean; multiply it by count / (count - 1) for the sample variance. Sum, mean
/// and variance are accumulated in f64, the squares as distances from the mean of a part of the
/// values, so that a mean far from 0 does not make the variance less accurate. A NaN makes all
/// three NaN; an infinity makes the variance NaN.
template <class T>
struct summary {
  std::uint64_t count;  ///< How many values.
  double sum;           ///< Of all values.
  double mean;          ///< sum / count
  double variance;      ///< The population's.
  position<T> min;      ///< The smallest value and its index.
  position<T> max;      ///< The greatest value and its index.
};

inline namespace WARPFOLD_MACHINE {
namespace detail {

template <class T>
__host__ __device__ constexpr bool is_nan(const T& value) {
  return value != value;  // NOLINT(misc-redundant-expression)
}

/// The index of a position that holds no value.
inline constexpr std::uint64_t nowhere = ~std::uint64_t{0};

/// Chan, Golub and LeVeque's rule: the squared distances from the mean of all values, from those of
/// two parts, n values each, from their own means.
__host__ __device__ constexpr double joined_squares(double n_a, double mean_a, double squares_a,
                                                    double n_b, double mean_b, double squares_b) {
  const double apart = mean_b - mean_a;
  return squares_a + squares_b + apart * apart * (n_a * (n_b / (n_a + n_b)));
}

/// A product with a rounding of its own: no compiler contracts it with a sum.
__host__ __device__ inline double rounded_product(double a, double b) {
#if defined(__CUDA_ARCH__) && !defined(__SIMT__)
  return __dmul_rn(a, b);
#else
  double product = a * b;
#if defined(__GNUC__) && !defined(__clang__)  // clang contracts within an expression only
#if defined(__x86_64__)
  asm("" : "+x"(product));
#elif defined(__aarch64__)
  asm("" : "+w"(product));
#endif
#endif
  return product;
#endif
}

/// Of a node of the canonical tree (docs/canonical.md): how many values it has, their sum, and
/// their squared distances from their mean.
struct tree_moments {
  double count, sum, squares;
};
struct join_tree_moments {
  __host__ __device__ tree_moments operator()(const tree_moments& a, const tree_moments& b) const {
    if (a.count == 0) return b;  // an init of no values
    const double count = a.count + b.count;
    double more;
    if (a.count == b.count) {  // a power of two
      const double apart = b.sum - a.sum;
      more = rounded_product(apart, apart) / count;
    } else {
      const double apart = b.sum / b.count - a.sum / a.count;
      more = rounded_product(rounded_product(apart, apart), a.count * (b.count / count));
    }
    return {count, a.sum + b.sum, a.squares + b.squares + more};
  }
};

/// A value as words of 4 bytes: what is made of these has no padding, which no thread would write
/// and shuffles read.
template <class T>
struct as_words_of {
  static constexpr std::size_t words = (sizeof(T) + 3) / 4;
  std::uint32_t word[words];

  as_words_of() = default;
  __host__ __device__ explicit as_words_of(const T& value) {
    word[words - 1] = 0;
    memcpy(static_cast<void*>(word), static_cast<const void*>(&value), sizeof(T));
  }
  __host__ __device__ T value() const {
    T result;
    memcpy(static_cast<void*>(&result), static_cast<const void*>(word), sizeof(T));
    return result;
  }
};

/// A position without padding.
template <class V>
struct position_words {
  as_words_of<V> value;
  as_words_of<std::uint64_t> index;

  __host__ __device__ static position_words of(const position<V>& p) {
    return {as_words_of<V>(p.value), as_words_of<std::uint64_t>(p.index)};
  }
  __host__ __device__ position<V> get() const { return {value.value(), index.value()}; }
  __host__ __device__ explicit operator position<V>() const { return get(); }
};

struct to_tree_moments {
  template <class T>
  __host__ __device__ tree_moments operator()(const T& value) const {
    return {1, static_cast<double>(value), 0};
  }
};

}  // namespace detail

/// The better of two positions, for `Extreme` either minimum or maximum: the first NaN if there is
/// one, else the first of the smallest, or greatest, values.
template <class Extreme>
struct better {
  /// The positions may meet in any order.
  static constexpr bool commutative = true;

  /// Whether value a is better than b, wherever they stand.
  template <class T>
  static __host__ __device__ bool beats(const T& a, const T& b) {
    const bool before = std::is_same_v<Extreme, minimum> ? a < b : b < a;
    return before || (detail::is_nan(a) && !detail::is_nan(b));
  }
  /// a or b
  template <class T>
  __host__ __device__ position<T> operator()(const position<T>& a, const position<T>& b) const {
    return wins(b, a) ? b : a;
  }

 private:
  template <class T>
  static __host__ __device__ bool wins(const position<T>& b, const position<T>& a) {
    if (a.index == detail::nowhere || b.index == detail::nowhere) return b.index < a.index;
    if (beats(b.value, a.value)) return true;
    if (beats(a.value, b.value)) return false;
    return b.index < a.index;
  }
};

/// The summary of the values of both. Neither may be of no values.
template <class T>
summary<T> combine(const summary<T>& a, const summary<T>& b) {
  const auto n_a = static_cast<double>(a.count), n_b = static_cast<double>(b.count);
  const double count = n_a + n_b, sum = a.sum + b.sum;
  const double squares =
      detail::joined_squares(n_a, a.mean, a.variance * n_a, n_b, b.mean, b.variance * n_b);
  return {a.count + b.count,
          sum,
          sum / count,
          squares / count,
          better<minimum>{}(a.min, b.min),
          better<maximum>{}(a.max, b.max)};
}

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold
