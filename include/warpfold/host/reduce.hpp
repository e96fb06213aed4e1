// Reductions on the host's threads: reduce, transform_reduce, min, max, minmax, argmin, argmax and
// mean; host/statistics.hpp, which this includes, has statistics.
//
// Each call reads the values once. The grouping of the values depends only on their number and
// type: the result has the same bits for any number of threads and in every call. Operators must be
// associative. Commutative ones (is_commutative) combine the values in any order; all others keep
// their order, at some cost in speed. An operator is copied into the call and used by several
// threads at the same time, so its operator() is const. Its exceptions leave the call; some values
// may not have been visited then. At determinism::gpu_to_gpu all operators combine the values in
// the canonical order (docs/canonical.md), and plus sums exactly.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include "warpfold/error.hpp"
#include "warpfold/host/detail/exact_accumulate.hpp"
#include "warpfold/host/detail/extremes.hpp"
#include "warpfold/host/detail/parallel.hpp"
#include "warpfold/host/detail/reduce_chunk.hpp"
#include "warpfold/host/detail/tree.hpp"
#include "warpfold/host/statistics.hpp"
#include "warpfold/operators.hpp"
#include "warpfold/ranges.hpp"
#include "warpfold/results.hpp"
#include "warpfold/same_bits.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

/// init and all map(value), reduced by op as values of init's type (so an `int` 0 sums floats in
/// int, as in std). init if there are no values; it comes first where the order counts.
template <host_place Where, values Range, class Acc, class Op, class Map>
  requires std::regular_invocable<const Op&, Acc, Acc> &&
           std::regular_invocable<const Map&, const value_of<Range>&>
Acc transform_reduce(Where where, const Range& range, Acc init, Op op, Map map) {
  const auto in = view(range);
  if constexpr (detail::sums_exactly<Where, Acc, Op>) {
    auto sum = host_detail::accumulate_exactly<Acc>(where, in, map);
    sum.add(init);
    return sum.round();
  }
  if (in.empty()) return init;
  if constexpr (detail::is_canonical<Where, Op, Acc>) {
    const auto in_tree = host_detail::tree_operator(op);
    return op(std::move(init), host_detail::reduce_in_tree<Acc>(where, in, in_tree, map));
  }
  return op(std::move(init), host_detail::reduce_chunks<Acc>(
                                 where, in, op, [&](std::span<const value_of<Range>> part) {
                                   return host_detail::reduce_chunk<Acc>(part, op, map);
                                 }));
}

/// init and all values, reduced by op as values of init's type.
template <host_place Where, values Range, class Acc, class Op = plus>
  requires std::regular_invocable<const Op&, Acc, Acc> &&
           std::constructible_from<Acc, const value_of<Range>&>
Acc reduce(Where where, const Range& range, Acc init, Op op = {}) {
  return transform_reduce(where, range, std::move(init), std::move(op),
                          host_detail::convert_to<Acc>{});
}

/// The sum of all values in their own type, in which integers wrap; T{} if there are none.
template <host_place Where, values Range>
value_of<Range> reduce(Where where, const Range& range) {
  return reduce(where, range, value_of<Range>{});
}

/// out[i] = op(init, values of row i …) for `rows` rows of `columns` values each, one after another
/// in `range`, accumulated in init's type. Rows of no values give init. Throws usage_error when
/// `range` has other than rows * columns values, or `out` fewer than `rows`.
template <host_place Where, values Range, values Out, class Acc = value_of<Out>, class Op = plus>
void reduce_rows(Where where, const Range& range, std::size_t rows, std::size_t columns, Out&& out,
                 std::type_identity_t<Acc> init = {}, Op op = {}) {
  constexpr bool canonical = detail::is_canonical<Where, Op, Acc>;
  const auto in = view(range);
  if (!holds_rows(in.size(), rows, columns)) {
    throw usage_error("reduce_rows got ", in.size(), " values for ", rows, " rows of ", columns);
  }
  if (std::ranges::size(out) < rows) {
    throw usage_error("reduce_rows has room for ", std::ranges::size(out), " results of ", rows);
  }
  auto* const to = std::ranges::data(out);
  const auto row = [&](std::size_t i) { return in.subspan(i * columns, columns); };
  constexpr std::size_t chunk =
      host_detail::items_in<value_of<Range>>(host_detail::tuning_of<Where>::reduce_chunk_bytes);
  if (columns > chunk) {  // enough work in each for all threads
    for (std::size_t i = 0; i < rows; ++i) {
      if constexpr (canonical) {
        to[i] =
            op(init, host_detail::reduce_in_tree<Acc>(where, row(i), host_detail::tree_operator(op),
                                                      host_detail::convert_to<Acc>{}));
      } else {
        to[i] = reduce(where, row(i), init, op);
      }
    }
    return;
  }
  const auto reduce_row = [&](std::size_t i) -> Acc {
    if constexpr (canonical) {
      return host_detail::tree_node<Acc>(row(i).data(), columns, host_detail::tree_operator(op),
                                         host_detail::convert_to<Acc>{});
    } else {
      return host_detail::reduce_chunk<Acc>(row(i), op);
    }
  };
  const std::size_t rows_at_once = chunk / std::max<std::size_t>(columns, 1);
  host_detail::run_on(where, [&] {
    host_detail::for_each_index((rows + rows_at_once - 1) / rows_at_once, [&](std::size_t c) {
      const std::size_t end = std::min(rows, (c + 1) * rows_at_once);
      for (std::size_t i = c * rows_at_once; i < end; ++i) {
        to[i] = columns == 0 ? init : op(init, reduce_row(i));
      }
    });
  });
}

/// The smallest value; NaN if any is; of no values the greatest value of the type, +inf for
/// floating point.
template <host_place Where, values Range>
  requires std::is_arithmetic_v<value_of<Range>>
value_of<Range> min(Where where, const Range& range) {
  return reduce(where, range, minimum::identity<value_of<Range>>(), minimum{});
}

/// The greatest value; NaN if any is; of no values the smallest value of the type, -inf for
/// floating point.
template <host_place Where, values Range>
  requires std::is_arithmetic_v<value_of<Range>>
value_of<Range> max(Where where, const Range& range) {
  return reduce(where, range, maximum::identity<value_of<Range>>(), maximum{});
}

/// Both.
template <host_place Where, values Range>
  requires std::is_arithmetic_v<value_of<Range>>
min_max<value_of<Range>> minmax(Where where, const Range& range) {
  using T = value_of<Range>;
  const auto in = view(range);
  if (in.empty()) return {minimum::identity<T>(), maximum::identity<T>()};
  const auto join = [](const min_max<T>& a, const min_max<T>& b) -> min_max<T> {
    return {minimum{}(a.min, b.min), maximum{}(a.max, b.max)};
  };
  return host_detail::reduce_chunks<min_max<T>>(
      where, in, join, [](std::span<const T> part) -> min_max<T> {
        return {host_detail::reduce_chunk<T>(part, minimum{}),
                host_detail::reduce_chunk<T>(part, maximum{})};
      });
}

/// The first NaN, else the first of the smallest values, and its index. Throws usage_error if there
/// are no values.
template <host_place Where, values Range>
  requires std::is_arithmetic_v<value_of<Range>>
position<value_of<Range>> argmin(Where where, const Range& range) {
  return host_detail::find_best<minimum>("argmin", where, view(range));
}

/// The first NaN, else the first of the greatest values, and its index. Throws usage_error if there
/// are no values.
template <host_place Where, values Range>
  requires std::is_arithmetic_v<value_of<Range>>
position<value_of<Range>> argmax(Where where, const Range& range) {
  return host_detail::find_best<maximum>("argmax", where, view(range));
}

/// The arithmetic mean, accumulated in f64, at determinism::gpu_to_gpu exactly. Throws usage_error
/// if there are no values.
template <host_place Where, values Range>
  requires std::is_arithmetic_v<value_of<Range>>
double mean(Where where, const Range& range) {
  const std::size_t n = view(range).size();
  host_detail::require_values("mean", n);
  return reduce(where, range, 0.0) / static_cast<double>(n);
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
