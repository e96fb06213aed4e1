// The reductions of a CUDA device. Each call has two forms:
//
//   x = reduce(device.on(stream), values, init, op)            waits for the result; throws
//   reduce_into(device.on(stream).with(memory), values, out, init, op)
//                                                              returns at once; returns a status
//
// The second form never synchronises; with a workspace (reduce_workspace_bytes) it allocates
// nothing, and it can be captured in a graph either way. `values` is device memory, or
// `device_sized` of it; `out` is device memory. No values: the result is init. Reads every value
// once. Results are the same from run to run; at determinism::gpu_to_gpu sums to f32 and f64 are
// exact (docs/exact.md), in a workspace of exact_workspace_bytes<Acc>(): all terms, of type Acc,
// and init are added and rounded once. Other operators combine the values in the canonical order
// (docs/canonical.md) there, in a workspace of canonical_workspace_bytes<T, Acc>(n).
#pragma once

#include <type_traits>

#include "warpfold/device/canonical.cuh"
#include "warpfold/device/detail/device_buffer.cuh"
#include "warpfold/device/detail/refused_calls.cuh"
#include "warpfold/device/detail/requirements.hpp"
#include "warpfold/device/detail/scratch.cuh"
#include "warpfold/device/exact/kernel.cuh"
#include "warpfold/device/reduce/dispatch.cuh"
#include "warpfold/device/reduce/extremes.cuh"
#include "warpfold/device/sized.cuh"
#include "warpfold/ranges.hpp"
#include "warpfold/same_bits.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

namespace detail {
/// What a result is reduced in.
template <class Result>
struct reduced_in {
  using type = Result;
};
template <class T>
struct reduced_in<summary<T>> {
  using type = moments<T>;
};
}  // namespace detail

/// Bytes of workspace for any reduction to a value of type Acc, whatever its size: a position<T>
/// for argmin, a min_max<T> for minmax, a summary<T> for statistics.
template <class Acc>
constexpr std::size_t reduce_workspace_bytes() {
  return detail::reduce_bytes<typename detail::reduced_in<Acc>::type>;
}

namespace detail {

template <sized_values Given, class Acc, class Op, class Map>
status transform_reduce_into(const work_place& where, const Given& given, Acc* out, const Acc& init,
                             Op op, Map map) {
  const auto in = given_values<Given>::most(given);
  return launch_reduction(
      where,
      reduction<given_value_of<Given>, Acc, Op, Map>{in.data(), in.size(), out, init, op, map},
      given_values<Given>::size(given));
}

}  // namespace detail

/// Leaves op(init, map(values[0]), map(values[1]), …) in `*out`, accumulated in its type.
template <device_place Where, sized_values Range, class Acc, class Op, class Map>
status transform_reduce_into(const Where& where, const Range& range, Acc* out,
                             std::type_identity_t<Acc> init, Op op, Map map) {
  if constexpr (!detail::can_run<Map>() || !detail::can_reduce<Op, Acc>()) {
    return {};
  } else if constexpr (detail::sums_exactly<Where, Acc, Op>) {
    using given = detail::given_values<Range>;
    const auto in = given::most(range);
    return detail::launch_exact(
        detail::for_cleared(where),
        detail::value_terms<given_value_of<Range>, Acc, Map>{in.data(), in.size(), map},
        {.out = out, .init = init, .has_init = true}, given::size(range));
  } else if constexpr (!detail::is_canonical<Where, Op, Acc>) {
    return detail::transform_reduce_into(detail::for_cleared(where), range, out, Acc(init), op,
                                         map);
  } else if constexpr (detail::has_host_size<Range>()) {
    return detail::canonical_reduce(detail::for_cleared(where), detail::device_view(range), out,
                                    Acc(init), op, map);
  } else {
    return {};
  }
}

/// Leaves op(init, values[0], values[1], …) in `*out`, accumulated in its type.
template <device_place Where, sized_values Range, class Acc, class Op = plus>
status reduce_into(const Where& where, const Range& range, Acc* out,
                   std::type_identity_t<Acc> init = {}, Op op = {}) {
  return transform_reduce_into(where, range, out, init, op, detail::convert<Acc>{});
}

namespace detail {

/// The number of values, at most.
template <sized_values Given>
std::size_t most_of(const Given& given) {
  return given_values<Given>::count(given).n;
}
/// The number of values. Waits for it where it is the device's; throws device_error.
template <device_place Where, sized_values Given>
std::size_t number_of(const Where& where, const Given& given) {
  const value_count count = given_values<Given>::count(given);
  if (count.on_device == nullptr) return count.n;
  std::size_t number = 0;
  status state = copy_async(&number, count.on_device, sizeof number, where.stream());
  if (state.ok()) state = wait_for(where.stream());
  state.throw_if_failed("the number of at most ", count.n, " values");
  return at_most(number, count.n);
}

/// Memory for a result on the device, and its copy on the host. The memory is given back before the
/// wait, while the kernel may still run.
template <class Acc, device_place Where, class Call>
Acc result_of(const Where& where, const char* name, std::size_t n, Call call) {
  device_buffer<Acc> out;
  Acc result{};
  out.allocate(1, where.stream()).throw_if_failed(name, " of ", n, " values, the result's memory");
  status state;
  // No kernel writes a struct's padding, yet all of it is copied: a sanitizer would report that.
  if constexpr (!std::is_arithmetic_v<Acc>) state = out.zero();
  if (state.ok()) state = call(out.data());
  if (state.ok()) state = copy_async(&result, out.data(), sizeof(Acc), where.stream());
  const status freed = out.release();
  if (state.ok()) state = freed;
  if (state.ok()) state = wait_for(where.stream());
  state.throw_if_failed(name, " of ", n, " values");
  return result;
}

}  // namespace detail

/// op(init, map(values[0]), map(values[1]), …), accumulated in init's type. Throws device_error.
/// The order of the values is kept unless the operator is declared commutative.
template <device_place Where, sized_values Range, class Acc, class Op, class Map>
Acc transform_reduce(const Where& where, const Range& range, Acc init, Op op, Map map) {
  return detail::result_of<Acc>(where, "transform_reduce", detail::most_of(range), [&](Acc* out) {
    return transform_reduce_into(where, range, out, init, op, map);
  });
}

/// op(init, values[0], values[1], …), accumulated in init's type: integers wrap in it. For f16 and
/// bf16 pass a float.
template <device_place Where, sized_values Range, class Acc, class Op = plus>
Acc reduce(const Where& where, const Range& range, Acc init, Op op = {}) {
  return detail::result_of<Acc>(where, "reduce", detail::most_of(range),
                                [&](Acc* out) { return reduce_into(where, range, out, init, op); });
}
/// The sum, in the type of the values; f16 and bf16 are summed in f32.
template <device_place Where, sized_values Range>
given_value_of<Range> reduce(const Where& where, const Range& range) {
  return static_cast<given_value_of<Range>>(
      reduce(where, range, accumulator_for<given_value_of<Range>>{}));
}

/// Leaves the smallest and the largest value in `*out`; NaN if any is. No values: +inf and -inf, or
/// the type's largest and smallest value.
template <device_place Where, sized_values Range, class T = accumulator_for<given_value_of<Range>>>
status min_max_into(const Where& where, const Range& range, min_max<T>* out) {
  using op = detail::min_max_op<T>;
  return detail::transform_reduce_into(detail::for_cleared(where), range, out,
                                       op::template identity<T>(), op{}, detail::to_min_max<T>{});
}
/// The smallest and the largest value, likewise. Waits for the result; throws device_error.
template <device_place Where, sized_values Range>
min_max<accumulator_for<given_value_of<Range>>> minmax(const Where& where, const Range& range) {
  using T = accumulator_for<given_value_of<Range>>;
  return detail::result_of<min_max<T>>(where, "minmax", detail::most_of(range),
                                       [&](auto* out) { return min_max_into(where, range, out); });
}
/// The smallest value; NaN if any is. Of no values the type's largest, or +infinity.
template <device_place Where, sized_values Range>
given_value_of<Range> min(const Where& where, const Range& range) {
  return static_cast<given_value_of<Range>>(
      reduce(where, range, detail::highest<accumulator_for<given_value_of<Range>>>, minimum{}));
}
/// The largest value; NaN if any is. Of no values the type's smallest, or -infinity.
template <device_place Where, sized_values Range>
given_value_of<Range> max(const Where& where, const Range& range) {
  return static_cast<given_value_of<Range>>(
      reduce(where, range, detail::lowest<accumulator_for<given_value_of<Range>>>, maximum{}));
}

/// Leaves in `*out` the smallest value and its index: the first NaN, else the first of equal ones.
/// No values: `*out` gets index 2^64 - 1; the form that returns the result throws usage_error.
template <device_place Where, sized_values Range, class T = given_value_of<Range>>
status argmin_into(const Where& where, const Range& range, position<T>* out) {
  using op = detail::position_op<T, minimum>;
  return detail::transform_reduce_into(detail::for_cleared(where), range, out,
                                       op::template identity<T>(), op{},
                                       detail::to_position<T, minimum>{});
}
/// The same for the largest value.
template <device_place Where, sized_values Range, class T = given_value_of<Range>>
status argmax_into(const Where& where, const Range& range, position<T>* out) {
  using op = detail::position_op<T, maximum>;
  return detail::transform_reduce_into(detail::for_cleared(where), range, out,
                                       op::template identity<T>(), op{},
                                       detail::to_position<T, maximum>{});
}

namespace detail {
inline void require_values(const char* name, std::size_t n) {
  if (n == 0) throw usage_error(name, " of no values: ask only where there are some");
}
}  // namespace detail

/// The smallest value and its index: the first NaN, else the first of equal ones. Throws
/// usage_error for no values, device_error.
template <device_place Where, sized_values Range>
position<given_value_of<Range>> argmin(const Where& where, const Range& range) {
  detail::require_values("argmin", detail::number_of(where, range));
  return detail::result_of<position<given_value_of<Range>>>(
      where, "argmin", detail::most_of(range),
      [&](auto* out) { return argmin_into(where, range, out); });
}
/// The same for the largest value.
template <device_place Where, sized_values Range>
position<given_value_of<Range>> argmax(const Where& where, const Range& range) {
  detail::require_values("argmax", detail::number_of(where, range));
  return detail::result_of<position<given_value_of<Range>>>(
      where, "argmax", detail::most_of(range),
      [&](auto* out) { return argmax_into(where, range, out); });
}

/// The arithmetic mean, accumulated in f64, at determinism::gpu_to_gpu exactly; throws usage_error
/// for no values.
template <device_place Where, sized_values Range>
double mean(const Where& where, const Range& range) {
  const std::size_t n = detail::number_of(where, range);
  detail::require_values("mean", n);
  return reduce(where, range, 0.0) / static_cast<double>(n);
}

namespace detail {
template <class Where, values Range>
summary<value_of<Range>> summarise_in_tree(const Where& where, const Range& range) {
  const std::size_t n = std::ranges::size(range);
  const auto m = result_of<tree_moments>(where, "statistics", n, [&](tree_moments* out) {
    return canonical_reduce(for_cleared(where), device_view(range), out, tree_moments{0, 0, 0},
                            join_tree_moments{}, to_tree_moments{});
  });
  return {
      n, m.sum, m.sum / m.count, m.squares / m.count, argmin(where, range), argmax(where, range)};
}
}  // namespace detail

/// Count, sum, mean, variance, and minimum and maximum with their indices, in one read of the
/// values; at determinism::gpu_to_gpu in three.
template <device_place Where, sized_values Range>
summary<given_value_of<Range>> statistics(const Where& where, const Range& range) {
  using T = given_value_of<Range>;
  using op = detail::moments_op<T>;
  detail::require_values("statistics", detail::number_of(where, range));
  if constexpr (detail::is_gpu_to_gpu<Where>) {
    if constexpr (detail::has_host_size<Range>()) return detail::summarise_in_tree(where, range);
  }
  return detail::summarise(detail::result_of<detail::moments<T>>(
      where, "statistics", detail::most_of(range), [&](auto* out) {
        return detail::transform_reduce_into(detail::for_cleared(where), range, out,
                                             op::template identity<T>(), op{},
                                             detail::to_moments<T>{});
      }));
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
