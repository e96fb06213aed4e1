// From the names of a type and an operator to their C++ types: every ladder's instantiate.hpp uses
// this to turn its rungs into records.
#pragma once

#include "ladder/rung.hpp"
#include "warpfold/error.hpp"
#include "warpfold/operators.hpp"

namespace warpfold::ladder {
inline namespace WARPFOLD_MACHINE {

/// Calls `f.template operator()<T>()` with one of the kernel types.
template <class F>
auto with_kernel_type(value_type type, F&& f) {
  switch (type) {
    case value_type::i32: return f.template operator()<std::int32_t>();
    case value_type::i64: return f.template operator()<std::int64_t>();
    case value_type::f32: return f.template operator()<float>();
    case value_type::f64: return f.template operator()<double>();
    default: throw usage_error("the ladder's kernels take i32, i64, f32 and f64");
  }
}

/// Calls `f.template operator()<Op>()` with the operator that `op` names for values of T.
template <class T, class F>
auto with_operator(operation op, F&& f) {
  switch (op) {
    case operation::sum:
    case operation::mean: return f.template operator()<plus>();
    case operation::product: return f.template operator()<multiplies>();
    case operation::min: return f.template operator()<minimum>();
    case operation::max: return f.template operator()<maximum>();
    default: break;
  }
  if constexpr (std::is_integral_v<T>) {
    switch (op) {
      case operation::bit_and: return f.template operator()<bit_and>();
      case operation::bit_or: return f.template operator()<bit_or>();
      case operation::bit_xor: return f.template operator()<bit_xor>();
      default: break;
    }
  }
  throw usage_error("this operator needs an integer type");
}

/// Of a program that holds the default's instances alone: it starts the other program before it
/// launches anything else.
inline void require_first(bool is_first) {
  if (!is_first) throw error("this program holds the instances of the default table alone");
}

/// The record of a rung that is launched once; its result has as many values as its input.
template <class Rung>
constexpr rung rung_of_arrays(unsigned (*launch)(const launch_request&)) {
  rung r{.about = Rung::about,
         .grid = [](const shape& s) { return Rung::grid(s); },
         .partials = [](const shape& s) { return s.n; },
         .scratch_bytes = [](const shape& s) { return Rung::scratch_bytes(s); },
         .launch = launch};
  if constexpr (requires(const shape& s) { Rung::depth_limit(s); }) {
    r.depth_limit = [](const shape& s) { return Rung::depth_limit(s); };
  }
  if constexpr (requires(const shape& s) { Rung::work(s); }) {
    r.work = [](const shape& s) { return Rung::work(s); };
  }
  if constexpr (requires { Rung::textbook; }) r.textbook = Rung::textbook;
  return r;
}

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder
