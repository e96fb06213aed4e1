// Turns a rung of the reduce ladder into its record: every type and operator, behind one call.
#pragma once

#include "ladder/reduce/launching.cuh"
#include "ladder/rung.hpp"
#include "warpfold/error.hpp"

namespace warpfold::ladder::reduce_ladder {
inline namespace WARPFOLD_MACHINE {

template <class Rung, class T, class Op>
void launch_as(const launch_request& r) {
  Rung::template run<T, Op>({.in = static_cast<T*>(r.in),
                             .out = static_cast<T*>(r.out),
                             .n = r.shape.n,
                             .grid = Rung::grid(r.shape),
                             .block = r.shape.block,
                             .scratch = r.scratch,
                             .stream = static_cast<stream_type>(r.stream)});
}

template <class Rung, class T>
void launch_type(const launch_request& r) {
  switch (r.op) {
    case operation::sum:
    case operation::mean: return launch_as<Rung, T, plus>(r);
    case operation::product: return launch_as<Rung, T, multiplies>(r);
    case operation::min: return launch_as<Rung, T, minimum>(r);
    case operation::max: return launch_as<Rung, T, maximum>(r);
    default: break;
  }
  if constexpr (std::is_integral_v<T>) {
    switch (r.op) {
      case operation::bit_and: return launch_as<Rung, T, bit_and>(r);
      case operation::bit_or: return launch_as<Rung, T, bit_or>(r);
      case operation::bit_xor: return launch_as<Rung, T, bit_xor>(r);
      default: break;
    }
  }
  throw usage_error("reduce ladder: this operator needs an integer type");
}

template <class Rung>
constexpr rung make_rung() {
  return {.about = Rung::about,
          .grid = [](const shape& s) { return Rung::grid(s); },
          .partials = [](const shape& s) { return Rung::partials(s); },
          .scratch_bytes = [](const shape& s) { return Rung::scratch_bytes(s); },
          .launch =
              [](const launch_request& r) {
                switch (r.type) {
                  case value_type::i32: return launch_type<Rung, std::int32_t>(r);
                  case value_type::i64: return launch_type<Rung, std::int64_t>(r);
                  case value_type::f32: return launch_type<Rung, float>(r);
                  case value_type::f64: return launch_type<Rung, double>(r);
                  default: throw usage_error("reduce ladder: kernels take i32, i64, f32 and f64");
                }
              }};
}

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::reduce_ladder
