// What reductions with more than one result return, and what each member means.
#pragma once

#include <cstdint>

namespace warpfold {

/// The smallest and the greatest value. Both are NaN if any value is.
template <class T>
struct min_max {
  T min, max;

  friend bool operator==(const min_max&, const min_max&) = default;
};

/// A value and where it stands, counted from 0. The smallest (or greatest) value's position is that
/// of the first NaN if there is one, else of the first of equals; -0 equals +0.
template <class T>
struct position {
  T value;
  std::uint64_t index;

  friend bool operator==(const position&, const position&) = default;
};

/// All from one read of the data. `variance` is the population's: the mean of the squared distances
/// from the mean; times count / (count - 1) it is the sample's. Sum, mean and variance are
/// accumulated in f64, the variance from each part's own mean, so that a large mean costs it
/// nothing. A NaN makes all of them NaN, an infinity makes the variance NaN.
/// Of no values: count and sum are 0, mean and variance NaN, min and max {T{}, 0}.
template <class T>
struct summary {
  std::uint64_t count;
  double sum, mean, variance;
  position<T> min, max;
};

}  // namespace warpfold
