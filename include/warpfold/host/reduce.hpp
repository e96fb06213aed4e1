// Reductions on the host's threads: reduce, transform_reduce, min, max, minmax, argmin, argmax,
// mean; statistics are in host/statistics.hpp, which this includes.
//
// Each call reads the values once. Which values are folded with which depends on their number and
// type alone: the result has the same bits whatever the number of threads, and from call to call.
// Operators must be associative. Those that are known to commute (is_commutative) meet the values
// in any order; all others keep their order, at some cost in speed. An operator is copied into the
// call and called by several threads at the same time, so its operator() is const. What it throws
// comes out of the call; some values may not have been visited then.
#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <type_traits>

#include "warpfold/error.hpp"
#include "warpfold/host/fold.hpp"
#include "warpfold/host/parallel.hpp"
#include "warpfold/operators.hpp"
#include "warpfold/range.hpp"
#include "warpfold/results.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

/// init and all map(value), folded by op as values of init's type (so an `int` 0 sums floats in
/// int, as in std). init if there are no values; it comes first where the order counts.
template <host_place Where, contiguous_values R, class Acc, class Op, class Map>
  requires std::regular_invocable<const Op&, Acc, Acc> &&
           std::regular_invocable<const Map&, const value_of<const R>&>
Acc transform_reduce(Where where, const R& values, Acc init, Op op, Map map) {
  using In = value_of<const R>;
  const std::span<const In> in(values);
  if (in.empty()) return init;
  const std::size_t chunk =
      host_detail::items_in<In>(host_detail::tuning_of<Where>::reduce_chunk_bytes);
  return op(std::move(init), host_detail::fold_chunks<Acc>(
                                 where, in.size(), chunk,
                                 [&](std::size_t begin, std::size_t count) {
                                   return host_detail::fold<Acc>(in.data() + begin, count, op, map);
                                 },
                                 op));
}

/// init and all values, folded by op as values of init's type.
template <host_place Where, contiguous_values R, class Acc, class Op>
  requires std::regular_invocable<const Op&, Acc, Acc> &&
           std::constructible_from<Acc, const value_of<const R>&>
Acc reduce(Where where, const R& values, Acc init, Op op) {
  return transform_reduce(where, values, std::move(init), std::move(op),
                          host_detail::convert_to<Acc>{});
}

/// The sum of init and all values, in init's type; integers wrap.
template <host_place Where, contiguous_values R, class Acc>
  requires std::constructible_from<Acc, const value_of<const R>&>
Acc reduce(Where where, const R& values, Acc init) {
  return reduce(where, values, std::move(init), plus{});
}

/// The sum of all values in their own type; T{} if there are none.
template <host_place Where, contiguous_values R>
value_of<const R> reduce(Where where, const R& values) {
  return reduce(where, values, value_of<const R>{});
}

namespace host_detail {

inline void require_values(const char* call, std::size_t n) {
  if (n > 0) return;
  throw usage_error(std::string("warpfold::") + call +
                    "(host, range): the range is empty, so there is no such value; ask for its "
                    "size first, or give reduce an init and the operator minimum or maximum");
}

template <class T, class Op, class Where>
T fold_all(const Where& where, std::span<const T> in, const Op& op) {
  const std::size_t chunk = items_in<T>(tuning_of<Where>::reduce_chunk_bytes);
  return fold_chunks<T>(
      where, in.size(), chunk,
      [&](std::size_t begin, std::size_t count) { return fold<T>(&in[begin], count, op); }, op);
}

template <class T>
bool is_nan(const T& value) {
  if constexpr (std::is_floating_point_v<T>) {
    return value != value;  // NOLINT(misc-redundant-expression)
  } else {
    return false;
  }
}

/// Whether `now` takes the place of `best`, which came before it.
template <class Op, class T>
bool replaces(const T& now, const T& best) {
  if (is_nan(best)) return false;
  if (is_nan(now)) return true;
  return std::is_same_v<Op, minimum> ? now < best : best < now;
}

/// The best value of a chunk; it stands in that chunk, which begins at `index`.
template <class Op, class T>
position<T> best_of(std::span<const T> in, std::size_t begin, std::size_t count) {
  return {fold<T>(&in[begin], count, Op{}), begin};
}
template <class Op>
struct better_position {
  template <class T>
  position<T> operator()(const position<T>& a, const position<T>& b) const {
    return replaces<Op>(b.value, a.value) ? b : a;
  }
};
/// Its exact place: the one chunk is read again.
template <class T>
position<T> located(std::span<const T> in, position<T> best) {
  while (!(is_nan(best.value) ? is_nan(in[best.index]) : in[best.index] == best.value)) {
    ++best.index;
  }
  return {in[best.index], best.index};
}

template <class Op, class Where, class T>
position<T> find_best(const Where& where, std::span<const T> in) {
  const std::size_t chunk = items_in<T>(tuning_of<Where>::reduce_chunk_bytes);
  return located(in, fold_chunks<position<T>>(
                         where, in.size(), chunk,
                         [&](std::size_t begin, std::size_t count) {
                           return best_of<Op>(in, begin, count);
                         },
                         better_position<Op>{}));
}

}  // namespace host_detail

/// The smallest value; NaN if any is. Throws usage_error if there are no values.
template <host_place Where, contiguous_values R>
value_of<const R> min(Where where, const R& values) {
  const std::span<const value_of<const R>> in(values);
  host_detail::require_values("min", in.size());
  return host_detail::fold_all(where, in, minimum{});
}

/// The greatest value; NaN if any is. Throws usage_error if there are no values.
template <host_place Where, contiguous_values R>
value_of<const R> max(Where where, const R& values) {
  const std::span<const value_of<const R>> in(values);
  host_detail::require_values("max", in.size());
  return host_detail::fold_all(where, in, maximum{});
}

/// The smallest and the greatest value. Throws usage_error if there are no values.
template <host_place Where, contiguous_values R>
min_max<value_of<const R>> minmax(Where where, const R& values) {
  using T = value_of<const R>;
  const std::span<const T> in(values);
  host_detail::require_values("minmax", in.size());
  return host_detail::fold_chunks<min_max<T>>(
      where, in.size(),
      host_detail::items_in<T>(host_detail::tuning_of<Where>::reduce_chunk_bytes),
      [&](std::size_t begin, std::size_t count) -> min_max<T> {
        return {host_detail::fold<T>(&in[begin], count, minimum{}),
                host_detail::fold<T>(&in[begin], count, maximum{})};
      },
      [](const min_max<T>& a, const min_max<T>& b) -> min_max<T> {
        return {minimum{}(a.min, b.min), maximum{}(a.max, b.max)};
      });
}

/// The first NaN, else the first of the smallest values, and its index. Throws usage_error if there
/// are no values.
template <host_place Where, contiguous_values R>
position<value_of<const R>> argmin(Where where, const R& values) {
  const std::span<const value_of<const R>> in(values);
  host_detail::require_values("argmin", in.size());
  return host_detail::find_best<minimum>(where, in);
}

/// The first NaN, else the first of the greatest values, and its index. Throws usage_error if there
/// are no values.
template <host_place Where, contiguous_values R>
position<value_of<const R>> argmax(Where where, const R& values) {
  const std::span<const value_of<const R>> in(values);
  host_detail::require_values("argmax", in.size());
  return host_detail::find_best<maximum>(where, in);
}

/// The arithmetic mean, summed in f64; NaN if there are no values.
template <host_place Where, contiguous_values R>
  requires std::is_arithmetic_v<value_of<const R>>
double mean(Where where, const R& values) {
  const std::size_t n = std::span(values).size();
  if (n == 0) return std::numeric_limits<double>::quiet_NaN();
  return reduce(where, values, 0.0) / static_cast<double>(n);
}

// The same with a pair of pointers (or contiguous iterators) for the range.

template <host_place Where, std::contiguous_iterator It, class... More>
auto transform_reduce(Where where, It first, It last, More... more) {
  return transform_reduce(where, std::span(first, last), std::move(more)...);
}
template <host_place Where, std::contiguous_iterator It, class... More>
auto reduce(Where where, It first, It last, More... more) {
  return reduce(where, std::span(first, last), std::move(more)...);
}
template <host_place Where, std::contiguous_iterator It>
auto min(Where where, It first, It last) {
  return min(where, std::span(first, last));
}
template <host_place Where, std::contiguous_iterator It>
auto max(Where where, It first, It last) {
  return max(where, std::span(first, last));
}
template <host_place Where, std::contiguous_iterator It>
auto minmax(Where where, It first, It last) {
  return minmax(where, std::span(first, last));
}
template <host_place Where, std::contiguous_iterator It>
auto argmin(Where where, It first, It last) {
  return argmin(where, std::span(first, last));
}
template <host_place Where, std::contiguous_iterator It>
auto argmax(Where where, It first, It last) {
  return argmax(where, std::span(first, last));
}
template <host_place Where, std::contiguous_iterator It>
auto mean(Where where, It first, It last) {
  return mean(where, std::span(first, last));
}

}  // namespace warpfold::inline WARPFOLD_MACHINE

#include "warpfold/host/statistics.hpp"
