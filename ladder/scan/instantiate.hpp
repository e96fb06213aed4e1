// Turns a rung of the scan ladder into its record: every type and operator, behind one call.
#pragma once

#include "ladder/instantiate.hpp"
#include "ladder/scan/launching.cuh"

namespace warpfold::ladder::scan_ladder {
inline namespace WARPFOLD_MACHINE {

template <class Rung, class T, class Op>
unsigned launch_as(const launch_request& r) {
  return Rung::template run<T, Op>({.in = static_cast<const T*>(r.in),
                                    .out = static_cast<T*>(r.out),
                                    .n = r.shape.n,
                                    .exclusive = r.exclusive,
                                    .shape = r.shape,
                                    .scratch = r.scratch,
                                    .stream = static_cast<stream_type>(r.stream)});
}

template <class Rung, instances Which>
unsigned launch_rung(const launch_request& r) {
  if constexpr (Which == instances::one) {
    require_first(r.type == value_type::i32 &&
                  (r.op == operation::sum || r.op == operation::longest_chain));
    if (r.op == operation::longest_chain) return launch_as<Rung, std::int32_t, longest_chain>(r);
    return launch_as<Rung, std::int32_t, counting_operator<plus, Rung>>(r);
  } else {
    if (r.op == operation::longest_chain) {
      if (r.type == value_type::i32) return launch_as<Rung, std::int32_t, longest_chain>(r);
      return launch_as<Rung, std::int64_t, longest_chain>(r);
    }
    return with_kernel_type(r.type, [&]<class T>() {
      return with_operator<T>(
          r.op, [&]<class Op>() { return launch_as<Rung, T, counting_operator<Op, Rung>>(r); });
    });
  }
}

template <class Rung, instances Which>
constexpr rung make_rung() {
  return rung_of_arrays<Rung>(launch_rung<Rung, Which>);
}

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::scan_ladder
