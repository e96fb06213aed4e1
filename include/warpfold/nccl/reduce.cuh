// Reductions across GPUs: each rank reduces its part, one all-gather exchanges the partials, and
// one thread combines them in the order of the ranks, the same way on every GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "warpfold/device/exact.cuh"
#include "warpfold/device/reduce.cuh"
#include "warpfold/device/reduce/rows.cuh"
#include "warpfold/nccl/communicator.cuh"
#include "warpfold/ranks/counted.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace nccl_detail {

template <class Acc, class Op>
struct join_in_order {
  Acc init;
  Op op;
  Acc* out;
  __device__ void operator()(const Acc* all, unsigned ranks) const {
    Acc result = init;
    for (unsigned r = 0; r < ranks; ++r) result = op(result, all[r]);
    *out = result;
  }
};

/// Rounds the sum of all, of `init` too, if there is one.
template <class T>
struct round_sum {
  T* out;
  T init{};
  bool has_init = false;
  __device__ void operator()(const exact_accumulator<T>* all, unsigned ranks) const {
    exact_accumulator<T> sum = all[0];
    for (unsigned r = 1; r < ranks; ++r) sum.merge(all[r]);
    if (has_init) sum.add(init);
    *out = sum.round();
  }
};

using ranks_detail::counted, ranks_detail::require_values;

/// The best of all positions, where each rank counts from its own first value.
template <class T, class Extreme>
struct join_positions {
  position<T>* out;
  __device__ void operator()(const counted<position<T>>* all, unsigned ranks) const {
    const ranks_detail::join_counted<ranks_detail::join_positions<Extreme>> join{};
    counted<position<T>> best{0, detail::position_op<T, Extreme>::template identity<T>()};
    for (unsigned r = 0; r < ranks; ++r) {
      if (all[r].count > 0) best = best.count > 0 ? join(best, all[r]) : all[r];
    }
    *out = best.value;
  }
};
template <class T>
struct join_moments {
  detail::moments<T>* out;
  __device__ void operator()(const detail::moments<T>* all, unsigned ranks) const {
    const detail::moments_op<T> op;
    detail::moments<T> result = op.template identity<T>();
    for (unsigned r = 0; r < ranks; ++r) {
      detail::moments<T> next = all[r];
      if (next.count == 0) continue;
      next.min.index += result.count;
      next.max.index += result.count;
      result = op(result, next);
    }
    *out = result;
  }
};

/// A sum and how many values it is of.
template <class Sum>
struct join_sums {
  counted<Sum>* out;
  __device__ void operator()(const counted<Sum>* all, unsigned ranks) const {
    counted<Sum> total = all[0];
    for (unsigned r = 1; r < ranks; ++r) {
      if constexpr (requires { total.value.merge(all[r].value); }) {
        total.value.merge(all[r].value);
      } else {
        total.value = total.value + all[r].value;
      }
      total.count += all[r].count;
    }
    *out = total;
  }
};

/// local(Partial*) and the number of this rank's values, joined by finish into a Result that the
/// host waits for.
template <class Partial, class Result, class Where, class Local, class Finish>
Result of_counted(const across_gpus<Where>& place, const char* name, std::size_t n,
                  const Local& local, const Finish& finish) {
  return detail::result_of<Result>(place.here(), name, n, [&](Result* out) {
    return gather_and_finish<counted<Partial>>(
        place,
        [&](counted<Partial>* mine) {
          const status s =
              store(&mine->count, static_cast<std::uint64_t>(n), place.here().stream());
          return s.ok() ? local(&mine->value) : s;
        },
        finish(out));
  });
}

}  // namespace nccl_detail

/// Leaves init and all map(value) of all ranks, in the order of the ranks, in every rank's `*out`.
template <device_place Where, values Range, class Acc, class Op, class Map>
status transform_reduce_into(const across_gpus<Where>& place, const Range& range, Acc* out,
                             std::type_identity_t<Acc> init, Op op, Map map) {
  using namespace nccl_detail;
  if constexpr (!detail::can_run<Map>() || !detail::can_reduce<Op, Acc>()) {
    return {};
  } else if constexpr (detail::sums_exactly<Where, Acc, Op>) {
    const auto in = detail::device_view(range);
    using terms = detail::value_terms<value_of<Range>, Acc, Map>;
    return gather_and_finish<exact_accumulator<Acc>>(
        place,
        [&](auto* mine) {
          return detail::launch_exact(detail::for_cleared(place.here()),
                                      terms{in.data(), in.size(), map}, {.sum = mine});
        },
        round_sum<Acc>{out, init, true});
  } else {
    return gather_and_finish<Acc>(
        place,
        [&](Acc* mine) {
          return transform_reduce_into(place.here(), range, mine, op.template identity<Acc>(), op,
                                       map);
        },
        join_in_order<Acc, Op>{init, op, out});
  }
}

/// Leaves init and all values of all ranks, reduced by op, in every rank's `*out`.
template <device_place Where, values Range, class Acc, class Op = plus>
status reduce_into(const across_gpus<Where>& place, const Range& range, Acc* out,
                   std::type_identity_t<Acc> init = {}, Op op = {}) {
  return transform_reduce_into(place, range, out, init, op, detail::convert<Acc>{});
}
/// The same, returned. Waits for the result; throws device_error.
template <device_place Where, values Range, class Acc, class Op, class Map>
Acc transform_reduce(const across_gpus<Where>& place, const Range& range, Acc init, Op op,
                     Map map) {
  return detail::result_of<Acc>(
      place.here(), "transform_reduce", std::ranges::size(range),
      [&](Acc* out) { return transform_reduce_into(place, range, out, init, op, map); });
}
/// init and all values of all ranks, reduced by op as values of init's type.
template <device_place Where, values Range, class Acc, class Op = plus>
Acc reduce(const across_gpus<Where>& place, const Range& range, Acc init, Op op = {}) {
  return transform_reduce(place, range, init, op, detail::convert<Acc>{});
}
/// The sum, in the type of the values; f16 and bf16 are summed in f32.
template <device_place Where, values Range>
value_of<Range> reduce(const across_gpus<Where>& place, const Range& range) {
  return static_cast<value_of<Range>>(reduce(place, range, accumulator_of<Range>{}));
}

/// The rows that this rank has, by its own GPU: they are whole there, so none meets another's.
template <device_place Where, values Range, values Out, class Acc = value_of<Out>, class Op = plus>
status reduce_rows(const across_gpus<Where>& place, const Range& range, std::size_t rows,
                   std::size_t columns, Out&& out, std::type_identity_t<Acc> init = {},
                   Op op = {}) {
  return reduce_rows(place.here(), range, rows, columns, out, init, op);
}

/// Leaves the smallest and the largest value of all ranks in every rank's `*out`.
template <device_place Where, values Range, class T = accumulator_of<Range>>
status min_max_into(const across_gpus<Where>& place, const Range& range, min_max<T>* out) {
  using op = detail::min_max_op<T>;
  return nccl_detail::gather_and_finish<min_max<T>>(
      place, [&](min_max<T>* mine) { return min_max_into(place.here(), range, mine); },
      nccl_detail::join_in_order<min_max<T>, op>{op::template identity<T>(), {}, out});
}
/// The smallest and the largest value of all ranks.
template <device_place Where, values Range>
min_max<accumulator_of<Range>> minmax(const across_gpus<Where>& place, const Range& range) {
  using result = min_max<accumulator_of<Range>>;
  return detail::result_of<result>(place.here(), "minmax", std::ranges::size(range),
                                   [&](result* out) { return min_max_into(place, range, out); });
}
/// The smallest value of all ranks; NaN if any is.
template <device_place Where, values Range>
value_of<Range> min(const across_gpus<Where>& place, const Range& range) {
  return static_cast<value_of<Range>>(
      reduce(place, range, detail::highest<accumulator_of<Range>>, minimum{}));
}
/// The largest value of all ranks; NaN if any is.
template <device_place Where, values Range>
value_of<Range> max(const across_gpus<Where>& place, const Range& range) {
  return static_cast<value_of<Range>>(
      reduce(place, range, detail::lowest<accumulator_of<Range>>, maximum{}));
}

/// The first NaN, else the first of the smallest values, and its index among all ranks' values.
/// Throws usage_error if no rank has any.
template <device_place Where, values Range>
position<value_of<Range>> argmin(const across_gpus<Where>& place, const Range& range) {
  using result = position<value_of<Range>>;
  const result best = nccl_detail::of_counted<result, result>(
      place, "argmin", std::ranges::size(range),
      [&](result* mine) { return argmin_into(place.here(), range, mine); },
      [](result* out) { return nccl_detail::join_positions<value_of<Range>, minimum>{out}; });
  nccl_detail::require_values("argmin", best.index != detail::nowhere);
  return best;
}
/// The first NaN, else the first of the largest values, likewise.
template <device_place Where, values Range>
position<value_of<Range>> argmax(const across_gpus<Where>& place, const Range& range) {
  using result = position<value_of<Range>>;
  const result best = nccl_detail::of_counted<result, result>(
      place, "argmax", std::ranges::size(range),
      [&](result* mine) { return argmax_into(place.here(), range, mine); },
      [](result* out) { return nccl_detail::join_positions<value_of<Range>, maximum>{out}; });
  nccl_detail::require_values("argmax", best.index != detail::nowhere);
  return best;
}

/// The arithmetic mean, accumulated in f64, at determinism::gpu_to_gpu exactly. Throws usage_error
/// if no rank has values.
template <device_place Where, values Range>
double mean(const across_gpus<Where>& place, const Range& range) {
  using namespace nccl_detail;
  constexpr bool exact = detail::is_gpu_to_gpu<Where>;
  using sum = std::conditional_t<exact, exact_accumulator<double>, double>;
  using map = detail::convert<double>;
  const auto in = detail::device_view(range);
  auto all = of_counted<sum, counted<sum>>(
      place, "mean", in.size(),
      [&](sum* mine) {
        if constexpr (exact) {
          return detail::launch_exact(
              detail::for_cleared(place.here()),
              detail::value_terms<value_of<Range>, double, map>{in.data(), in.size(), {}},
              {.sum = mine});
        } else {
          return reduce_into(place.here(), range, mine);
        }
      },
      [](counted<sum>* out) { return join_sums<sum>{out}; });
  require_values("mean", all.count > 0);
  if constexpr (exact) {
    all.value.add(0);  // as on one GPU: -0's alone come to +0
    return all.value.round() / static_cast<double>(all.count);
  } else {
    return all.value / static_cast<double>(all.count);
  }
}

/// Count, sum, mean, variance, and minimum and maximum with their indices among all ranks' values.
template <device_place Where, values Range>
summary<value_of<Range>> statistics(const across_gpus<Where>& place, const Range& range) {
  using T = value_of<Range>;
  using op = detail::moments_op<T>;
  detail::require_same_bits<Where, op, detail::moments<T>>();
  const auto all = detail::result_of<detail::moments<T>>(
      place.here(), "statistics", std::ranges::size(range), [&](auto* out) {
        return nccl_detail::gather_and_finish<detail::moments<T>>(
            place,
            [&](auto* mine) {
              return detail::transform_reduce_into(detail::for_cleared(place.here()), view(range),
                                                   mine, op::template identity<T>(), op{},
                                                   detail::to_moments<T>{});
            },
            nccl_detail::join_moments<T>{out});
      });
  nccl_detail::require_values("statistics", all.count > 0);
  return detail::summarise(all);
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
