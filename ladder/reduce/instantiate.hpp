// Turns a rung of the reduce ladder into its record: every type and operator, behind one call.
#pragma once

#include "ladder/counting_operator.cuh"
#include "ladder/instantiate.hpp"
#include "ladder/reduce/launching.cuh"

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

template <class Rung, instances Which>
unsigned launch_rung(const launch_request& r) {
  if constexpr (Which == instances::one) {
    require_first(r.type == value_type::i32 && r.op == operation::sum);
    launch_as<Rung, std::int32_t, counting_operator<plus, Rung>>(r);
  } else if (r.op == operation::longest_chain) {
    launch_as<Rung, std::int32_t, longest_chain>(r);
  } else {
    with_kernel_type(r.type, [&]<class T>() {
      with_operator<T>(r.op,
                       [&]<class Op>() { launch_as<Rung, T, counting_operator<Op, Rung>>(r); });
    });
  }
  return 1;
}

template <class Rung, instances Which>
constexpr rung make_rung() {
  return {.about = Rung::about,
          .grid = [](const shape& s) { return Rung::grid(s); },
          .partials = [](const shape& s) { return Rung::partials(s); },
          .scratch_bytes = [](const shape& s) { return Rung::scratch_bytes(s); },
          .launch = launch_rung<Rung, Which>,
          .textbook = work_formulas::tree,
          .work = [](const shape& s) { return Rung::work(s); }};
}

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::reduce_ladder
