// Turns a rung of the select ladder into its record: every type of values behind one call.
#pragma once

#include "ladder/instantiate.hpp"
#include "ladder/select/launching.cuh"

namespace warpfold::ladder::select_ladder {
inline namespace WARPFOLD_MACHINE {

template <class Rung, class T>
unsigned launch_as(const launch_request& r) {
  return Rung::run(pass<T>{.in = static_cast<const T*>(r.in),
                           .out = static_cast<T*>(r.out),
                           .kept = static_cast<kept_count*>(r.kept),
                           .n = r.shape.n,
                           .shape = r.shape,
                           .scratch = r.scratch,
                           .stream = static_cast<stream_type>(r.stream)},
                   counting_keep<Rung>{});
}

template <class Rung, instances Which>
unsigned launch_rung(const launch_request& r) {
  if constexpr (Which == instances::one) {
    require_first(r.type == value_type::i32);
    return launch_as<Rung, std::int32_t>(r);
  } else {
    return with_kernel_type(r.type, [&]<class T>() { return launch_as<Rung, T>(r); });
  }
}

template <class Rung, instances Which>
constexpr rung make_rung() {
  rung r = rung_of_arrays<Rung>(launch_rung<Rung, Which>);
  r.any_order = requires { Rung::any_order; };
  return r;
}

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::select_ladder
