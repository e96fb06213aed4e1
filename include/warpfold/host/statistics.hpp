// Count, sum, mean, variance, minimum and maximum with their indices, from one read of the data.
#pragma once

#include <span>
#include <type_traits>

#include "warpfold/host/detail/extremes.hpp"
#include "warpfold/host/detail/parallel.hpp"
#include "warpfold/host/detail/reduce_chunk.hpp"
#include "warpfold/host/detail/tree.hpp"
#include "warpfold/operators.hpp"
#include "warpfold/ranges.hpp"
#include "warpfold/results.hpp"
#include "warpfold/same_bits.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace host_detail {

/// Of one part of the values; `squares` are the squared distances from this part's mean.
template <class T>
struct moments {
  double count, sum, squares;
  position<T> min, max;

  [[nodiscard]] double mean() const { return sum / count; }
};

/// Four passes over a part, which comes from memory once and then from the cache.
template <class T>
moments<T> moments_of(std::span<const T> all, std::span<const T> part) {
  moments<T> m{.count = static_cast<double>(part.size()),
               .sum = reduce_chunk<double>(part, plus{}),
               .squares = 0,
               .min = best_of<minimum>(all, part),
               .max = best_of<maximum>(all, part)};
  m.squares = reduce_chunk<double>(part, plus{}, [mean = m.mean()](T value) {
    const double distance = static_cast<double>(value) - mean;
    return distance * distance;
  });
  return m;
}

struct join_moments {
  template <class T>
  moments<T> operator()(const moments<T>& a, const moments<T>& b) const {
    return {.count = a.count + b.count,
            .sum = a.sum + b.sum,
            .squares =
                detail::joined_squares(a.count, a.mean(), a.squares, b.count, b.mean(), b.squares),
            .min = better<minimum>{}(a.min, b.min),
            .max = better<maximum>{}(a.max, b.max)};
  }
};

template <class Where, class T>
summary<T> summarise_in_tree(const Where& where, std::span<const T> in) {
  const detail::tree_moments m = reduce_in_tree<detail::tree_moments>(
      where, in, detail::join_tree_moments{}, detail::to_tree_moments{});
  return {.count = in.size(),
          .sum = m.sum,
          .mean = m.sum / m.count,
          .variance = m.squares / m.count,
          .min = find_best<minimum>("statistics", where, in),
          .max = find_best<maximum>("statistics", where, in)};
}

}  // namespace host_detail

/// See `summary` in warpfold/results.hpp. Throws usage_error if there are no values.
template <host_place Where, values Range>
  requires std::is_arithmetic_v<value_of<Range>>
summary<value_of<Range>> statistics(Where where, const Range& range) {
  using T = value_of<Range>;
  const auto in = view(range);
  host_detail::require_values("statistics", in.size());
  if constexpr (detail::is_gpu_to_gpu<Where>) {
    return host_detail::summarise_in_tree(where, in);
  } else {
    const auto moments = host_detail::reduce_chunks<host_detail::moments<T>>(
        where, in, host_detail::join_moments{},
        [&](std::span<const T> part) { return host_detail::moments_of(in, part); });
    return {.count = in.size(),
            .sum = moments.sum,
            .mean = moments.mean(),
            .variance = moments.squares / moments.count,
            .min = host_detail::located(in, moments.min),
            .max = host_detail::located(in, moments.max)};
  }
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
