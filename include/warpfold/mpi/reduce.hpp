// Reductions across ranks: each rank passes its part, every rank gets the result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "warpfold/mpi/combine.hpp"
#include "warpfold/mpi/partials.hpp"
#include "warpfold/ranges.hpp"
#include "warpfold/ranks/counted.hpp"
#include "warpfold/results.hpp"
#include "warpfold/same_bits.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace mpi_detail {

/// Whether a call meets the values of all ranks in the canonical order; on the host alone.
template <class Where, class Op, class Acc>
constexpr bool in_canonical_order() {
  if constexpr (!host_place<Where>) detail::require_same_bits<Where, Op, Acc>();
  return detail::is_canonical<Where, Op, Acc>;
}

/// map(values) of all ranks in the canonical order; none if there are none.
template <class Acc, class Where, class In, class Op, class Map>
std::optional<Acc> reduce_in_tree(const across_ranks<Where>& place, std::span<const In> in,
                                  const Op& op, const Map& map) {
  const auto begin = values_before(place, in.size());
  return reduce_ranks<host_detail::tree_part<Acc>>(
             place,
             [&] { return host_detail::part_of_tree<Acc>(place.here(), begin, in, op, map); },
             host_detail::join_parts<Op>{op})
      ->root(op);
}

}  // namespace mpi_detail

/// init and all map(value) of all ranks, in the order of the ranks, reduced by op as values of
/// init's type, which ranks exchange as bytes. All pass the same init.
template <class Where, values Range, class Acc, class Op, class Map>
Acc transform_reduce(const across_ranks<Where>& place, const Range& range, Acc init, Op op,
                     Map map) {
  using namespace mpi_detail;
  // Values as they are have one name, on the host and on devices.
  using conversion_type = decltype(conversion<Acc>(place.here()));
  using map_type = std::conditional_t<std::is_same_v<Map, conversion_type>, Acc, Map>;
  require_same_call<value_of<Range>, Acc, Op, map_type>(place, "transform_reduce", init);
  const auto in = view(range);
  if constexpr (!can_reduce<Where, Op, Acc, Map>()) {
    return init;
  } else if constexpr (detail::sums_exactly<Where, Acc, Op>) {
    const auto bytes = reduce_ranks<sum_bytes<Acc>>(
        place, [&] { return to_bytes(exact_partial<Acc>(place.here(), in, map)); },
        merge_bytes<Acc>{});
    auto sum = sum_of<Acc>(bytes);
    sum.add(init);
    return sum.round();
  } else if constexpr (in_canonical_order<Where, Op, Acc>()) {
    const auto all = reduce_in_tree<Acc>(place, in, host_detail::tree_operator(op), map);
    return all ? op(std::move(init), *all) : init;
  } else {
    const auto all = reduce_ranks<Acc>(
        place,
        [&]() -> std::optional<Acc> {
          if (in.empty()) return {};
          return partial<Acc>(place.here(), in, op, map);
        },
        op);
    return all ? op(std::move(init), *all) : init;
  }
}

/// init and all values of all ranks, reduced by op as values of init's type.
template <class Where, values Range, class Acc, class Op = plus>
Acc reduce(const across_ranks<Where>& place, const Range& range, Acc init, Op op = {}) {
  return transform_reduce(place, range, std::move(init), std::move(op),
                          mpi_detail::conversion<Acc>(place.here()));
}

/// The sum of all values in their own type, in which integers wrap.
template <class Where, values Range>
value_of<Range> reduce(const across_ranks<Where>& place, const Range& range) {
  return static_cast<value_of<Range>>(reduce(place, range, accumulator_of<Range>{}));
}

/// Reduces the rows that this rank has (see reduce_rows of its place): rows are whole on a rank, so
/// none meets another's. The results are this rank's.
template <class Where, values Range, values Out, class Acc = value_of<Out>, class Op = plus>
void reduce_rows(const across_ranks<Where>& place, const Range& range, std::size_t rows,
                 std::size_t columns, Out&& out, std::type_identity_t<Acc> init = {}, Op op = {}) {
  mpi_detail::require_same_call<value_of<Range>, Acc, Op>(place, "reduce_rows", columns, init);
#if WARPFOLD_HAS_DEVICE
  if constexpr (device_place<Where>) {
    reduce_rows(place.here(), range, rows, columns, out, init, op)
        .throw_if_failed("reduce_rows of ", rows, " rows of ", columns, " values");
  } else
#endif
    reduce_rows(place.here(), range, rows, columns, out, init, op);
}

/// The smallest value of all ranks; NaN if any is; of no values the greatest value of the type.
template <class Where, values Range>
value_of<Range> min(const across_ranks<Where>& place, const Range& range) {
  using Acc = accumulator_of<Range>;
  return static_cast<value_of<Range>>(reduce(place, range, detail::highest<Acc>, minimum{}));
}
/// The greatest value of all ranks; NaN if any is; of no values the smallest value of the type.
template <class Where, values Range>
value_of<Range> max(const across_ranks<Where>& place, const Range& range) {
  using Acc = accumulator_of<Range>;
  return static_cast<value_of<Range>>(reduce(place, range, detail::lowest<Acc>, maximum{}));
}

/// Both.
template <class Where, values Range>
auto minmax(const across_ranks<Where>& place, const Range& range) {
  using result = decltype(minmax(place.here(), range));
  mpi_detail::require_same_call<value_of<Range>>(place, "minmax");
  return *mpi_detail::reduce_ranks<result>(
      place, [&] { return minmax(place.here(), range); },
      [](const result& a, const result& b) -> result {
        return {minimum{}(a.min, b.min), maximum{}(a.max, b.max)};
      });
}

namespace mpi_detail {

/// What `call` gives for this rank's part, joined by join(a, b, values before b's part).
template <class Where, class Range, class Call, class Join>
auto of_counted(const across_ranks<Where>& place, const char* name, const Range& range,
                const Call& call, const Join& join) {
  using result = ranks_detail::counted<decltype(call(place.here(), range))>;
  require_same_call<value_of<Range>, result>(place, name);
  const std::size_t n = std::ranges::size(range);
  const auto all = reduce_ranks<result>(
      place,
      [&]() -> std::optional<result> {
        if (n == 0) return {};
        return result{n, call(place.here(), range)};
      },
      ranks_detail::join_counted<Join>{join});
  ranks_detail::require_values(name, all.has_value());
  return *all;
}

struct join_summaries {
  template <class T>
  summary<T> operator()(const summary<T>& a, summary<T> b, std::uint64_t before) const {
    b.min.index += before;
    b.max.index += before;
    return combine(a, b);
  }
};

}  // namespace mpi_detail

/// The first NaN, else the first of the smallest values, and its index among all ranks' values, one
/// rank's behind the other's. Throws usage_error if no rank has any.
template <class Where, values Range>
position<value_of<Range>> argmin(const across_ranks<Where>& place, const Range& range) {
  return mpi_detail::of_counted(
             place, "argmin", range,
             [](const Where& where, const Range& part) { return argmin(where, part); },
             ranks_detail::join_positions<minimum>{})
      .value;
}
/// The first NaN, else the first of the greatest values, likewise.
template <class Where, values Range>
position<value_of<Range>> argmax(const across_ranks<Where>& place, const Range& range) {
  return mpi_detail::of_counted(
             place, "argmax", range,
             [](const Where& where, const Range& part) { return argmax(where, part); },
             ranks_detail::join_positions<maximum>{})
      .value;
}

/// The arithmetic mean, accumulated in f64, at determinism::gpu_to_gpu exactly. Throws usage_error
/// if no rank has values.
template <class Where, values Range>
double mean(const across_ranks<Where>& place, const Range& range) {
  using namespace mpi_detail;
  const auto convert = conversion<double>(place.here());
  if constexpr (detail::is_gpu_to_gpu<Where>) {
    const auto all = of_counted(
        place, "mean", range,
        [&](const Where& where, const Range& part) {
          return to_bytes(exact_partial<double>(where, view(part), convert));
        },
        [](const auto& a, const auto& b, std::uint64_t) { return merge_bytes<double>{}(a, b); });
    auto sum = exact_accumulator<double>::from_bytes(all.value);
    sum.add(0);  // as on one machine: -0's alone come to +0
    return sum.round() / static_cast<double>(all.count);
  } else {
    const auto all = of_counted(
        place, "mean", range,
        [&](const Where& where, const Range& part) {
          return partial<double>(where, view(part), plus{}, convert);
        },
        [](double a, double b, std::uint64_t) { return a + b; });
    return (0.0 + all.value) / static_cast<double>(all.count);
  }
}

/// See `summary` in warpfold/results.hpp; indices are among all ranks' values. Throws usage_error
/// if no rank has any.
template <class Where, values Range>
summary<value_of<Range>> statistics(const across_ranks<Where>& place, const Range& range) {
  using namespace mpi_detail;
  using join = detail::join_tree_moments;
  if constexpr (in_canonical_order<Where, join, detail::tree_moments>()) {
    const auto min = argmin(place, range), max = argmax(place, range);
    const auto m = *reduce_in_tree<detail::tree_moments>(place, view(range), join{},
                                                         detail::to_tree_moments{});
    return {
        static_cast<std::uint64_t>(m.count), m.sum, m.sum / m.count, m.squares / m.count, min, max};
  }
  return of_counted(
             place, "statistics", range,
             [](const Where& where, const Range& part) { return statistics(where, part); },
             join_summaries{})
      .value;
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
