// Where a quantile lies between two values, in NumPy's ways.
#pragma once

#include <cstddef>
#include <span>

#include "warpfold/order.hpp"
#include "warpfold/ranges.hpp"
#include "warpfold/results.hpp"
#include "warpfold/status.hpp"

namespace warpfold {

/// The value of a quantile q of n values if q (n - 1) is between two indices of sorted values.
enum class interpolation {
  linear,    ///< In proportion.
  lower,     ///< The lower value.
  higher,    ///< The higher value.
  nearest,   ///< The nearer value; the one with the even index if both are equally near.
  midpoint,  ///< The mean of both.
};

inline namespace WARPFOLD_MACHINE {

/// What has order statistics: arithmetic keys of 8 bytes at most.
template <class T>
concept has_order_statistics = arithmetic_key<T> && sizeof(T) <= 8;

namespace detail {

/// Two order statistics, counted from 0, and how far the quantile is from the first.
struct quantile_place {
  std::size_t low, high;
  double share;
};

__host__ __device__ inline quantile_place place_of_quantile(double q, std::size_t n,
                                                            interpolation how) {
  const double at = rounded_product(q, static_cast<double>(n - 1));
  const std::size_t low = at >= static_cast<double>(n - 1) ? n - 1 : static_cast<std::size_t>(at);
  const double share = at - static_cast<double>(low);
  if (share <= 0 || how == interpolation::lower) return {low, low, 0};
  const std::size_t high = low + 1 < n ? low + 1 : low;
  if (how == interpolation::higher) return {high, high, 0};
  if (how == interpolation::nearest) {
    const bool up = share > 0.5 || (share == 0.5 && low % 2 == 1);
    return up ? quantile_place{high, high, 0} : quantile_place{low, low, 0};
  }
  return {low, high, how == interpolation::midpoint ? 0.5 : share};
}

/// From the nearer end, so that the quantiles do not fall as their share grows.
__host__ __device__ constexpr double between(double low, double high, double share) {
  if (share == 0 || low == high) return low;
  return share < 0.5 ? low + (high - low) * share : high - (high - low) * (1 - share);
}

template <class K>
__host__ __device__ __forceinline__ double as_double(K key) {
  return static_cast<double>(static_cast<accumulator_for<K>>(key));
}

/// A share of the values, and values that have one.
inline status refuse_quantiles(std::span<const double> q, std::size_t n) {
  if (n == 0 && !q.empty())
    return {1, "no values have no quantiles: ask only where there are some"};
  for (const double share : q) {
    if (!(share >= 0 && share <= 1)) return {1, "a quantile's share lies between 0 and 1"};
  }
  return {};
}

}  // namespace detail
}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold
