// Count, sum, mean, variance, minimum and maximum with their places, from one read of the data.
#pragma once

#include <cstddef>
#include <iterator>
#include <limits>
#include <span>
#include <type_traits>

#include "warpfold/host/reduce.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace host_detail {

/// Of one part of the values; `squares` are the squared distances from this part's mean.
template <class T>
struct moments {
  double count, sum, squares;
  position<T> min, max;

  [[nodiscard]] double mean() const { return sum / count; }
};

/// Three passes over a chunk, which comes from memory once and then from the cache.
template <class T>
moments<T> moments_of(std::span<const T> in, std::size_t begin, std::size_t count) {
  moments<T> m{.count = static_cast<double>(count),
               .sum = fold<double>(&in[begin], count, plus{}),
               .squares = 0,
               .min = best_of<minimum>(in, begin, count),
               .max = best_of<maximum>(in, begin, count)};
  m.squares = fold<double>(&in[begin], count, plus{}, [mean = m.mean()](const T& value) {
    const double distance = static_cast<double>(value) - mean;
    return distance * distance;
  });
  return m;
}

/// Chan, Golub and LeVeque's rule for two parts.
struct join_moments {
  template <class T>
  moments<T> operator()(const moments<T>& a, const moments<T>& b) const {
    const double apart = b.mean() - a.mean();
    const double count = a.count + b.count;
    return {.count = count,
            .sum = a.sum + b.sum,
            .squares = a.squares + b.squares + apart * apart * (a.count * (b.count / count)),
            .min = better_position<minimum>{}(a.min, b.min),
            .max = better_position<maximum>{}(a.max, b.max)};
  }
};

}  // namespace host_detail

/// See `summary` in warpfold/results.hpp. Of no values: count 0, no exception.
template <host_place Where, contiguous_values R>
  requires std::is_arithmetic_v<value_of<const R>>
summary<value_of<const R>> statistics(Where where, const R& values) {
  using T = value_of<const R>;
  const std::span<const T> in(values);
  if (in.empty()) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    return {.count = 0, .sum = 0, .mean = none, .variance = none, .min = {}, .max = {}};
  }
  const auto m = host_detail::fold_chunks<host_detail::moments<T>>(
      where, in.size(),
      host_detail::items_in<T>(host_detail::tuning_of<Where>::reduce_chunk_bytes),
      [&](std::size_t begin, std::size_t count) {
        return host_detail::moments_of(in, begin, count);
      },
      host_detail::join_moments{});
  return {.count = in.size(),
          .sum = m.sum,
          .mean = m.mean(),
          .variance = m.squares / m.count,
          .min = host_detail::located(in, m.min),
          .max = host_detail::located(in, m.max)};
}

template <host_place Where, std::contiguous_iterator It>
auto statistics(Where where, It first, It last) {
  return statistics(where, std::span(first, last));
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
