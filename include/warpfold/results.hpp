// What reductions with more than one result return.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpfold {

/// NaN if any value is.
template <class T>
struct min_max {
  T min, max;
};

/// The first NaN, else the first of the values that are the smallest (or largest).
template <class T>
struct position {
  T value;
  std::uint64_t index;
};

/// One read of the data. The mean and the variance (of the population: M2 / count) are accumulated
/// in f64. Where the values are few: count 0 leaves everything else unspecified.
template <class T>
struct summary {
  std::uint64_t count;
  double sum, mean, variance;
  position<T> min, max;
};

}  // namespace warpfold
