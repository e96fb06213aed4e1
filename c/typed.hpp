// What the tables of the host and of a device share: from a number to an operator and its types.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>

#include "c/calls.hpp"
#include "warpfold/error.hpp"
#include "warpfold/operators.hpp"
#include "warpfold/results.hpp"
#include "warpfold/same_bits.hpp"

namespace warpfold::erased {

/// T's kind with 64 bits.
template <class T>
using wide_of =
    std::conditional_t<std::is_floating_point_v<T>, double,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;

/// f(operator, identity of the accumulator).
template <class T, class F>
void with_op(wf_op op, bool wide, const F& f) {
  const auto sum = [&]<class Op>(Op o) {
    if (wide)
      f(o, Op::template identity<wide_of<T>>());
    else
      f(o, Op::template identity<T>());
  };
  switch (op) {
    case WF_PLUS: return sum(plus{});
    case WF_MULTIPLIES: return sum(multiplies{});
    case WF_MINIMUM: return f(minimum{}, minimum::identity<T>());
    case WF_MAXIMUM: return f(maximum{}, maximum::identity<T>());
    default: break;
  }
  if constexpr (std::is_integral_v<T>) {
    switch (op) {
      case WF_BIT_AND: return f(bit_and{}, bit_and::identity<T>());
      case WF_BIT_OR: return f(bit_or{}, bit_or::identity<T>());
      case WF_BIT_XOR: return f(bit_xor{}, bit_xor::identity<T>());
      default: break;
    }
  }
  throw usage_error("the operator ", name_of(op),
                    " takes integers; for floats there are plus, multiplies, minimum and maximum");
}

/// Sums whose init, where none is given, is -0: a sum of -0's stays -0.
template <class Acc, class Op>
inline constexpr bool is_float_sum = std::is_floating_point_v<Acc> && std::is_same_v<Op, plus>;

/// f(place), at the level of `where` if the results of Op on values of Acc depend on it.
template <class Op, class Acc, class Place, class F>
auto at_level(const wf_place& where, const Place& place, const F& f) {
  if constexpr (!detail::is_order_free<Op, Acc>) {
    if (where.determinism == WF_GPU_TO_GPU) return f(place.with(determinism::gpu_to_gpu));
  }
  return f(place);
}

template <class T>
std::optional<T> value_at(const void* init) {
  return init != nullptr ? std::optional<T>(*static_cast<const T*>(init)) : std::nullopt;
}

template <class T>
wf_summary as_c(const summary<T>& s) {
  return {.count = s.count,
          .sum = s.sum,
          .mean = s.mean,
          .variance = s.variance,
          .argmin = s.min.index,
          .argmax = s.max.index,
          .min = static_cast<double>(s.min.value),
          .max = static_cast<double>(s.max.value)};
}

}  // namespace warpfold::erased
