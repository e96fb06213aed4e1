// What reductions with more than one result return, and what each member means.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpfold/language.hpp"

namespace warpfold {

/// The smallest and the greatest value. Both are NaN if any value is.
template <class T>
struct min_max {
  T min;  ///< The smallest value.
  T max;  ///< The greatest value.

  /// Whether both pairs are equal.
  friend bool operator==(const min_max&, const min_max&) = default;
};

/// A value and where it stands, counted from 0: the first NaN if there is one, else the first of
/// the values that are the smallest (or greatest). -0 and +0 are equal.
template <class T>
struct position {
  T value;              ///< The value.
  std::uint64_t index;  ///< Its place, from 0.

  /// Whether value and place are equal.
  friend bool operator==(const position&, const position&) = default;
};

/// All from one read of the data. The variance is the population's: the mean of the squared
/// distances from the mean; times count / (count - 1) it is the sample's. Sum, mean and variance
/// are accumulated in f64, the squares as distances from the mean of a part of the values, so that
/// a mean far from 0 costs the variance nothing. A NaN makes all three NaN; an infinity makes the
/// variance NaN.
template <class T>
struct summary {
  std::uint64_t count;  ///< How many values.
  double sum;           ///< Of all values.
  double mean;          ///< sum / count
  double variance;      ///< The population's.
  position<T> min;      ///< The smallest value and its place.
  position<T> max;      ///< The greatest value and its place.
};

}  // namespace warpfold
