// Bodies of host_algorithms.
#pragma once

#include "files/algorithms.hpp"
#include "files/axis.hpp"
#include "files/canonical.hpp"
#include "files/host_scan.hpp"

namespace warpfold::files {

template <class T>
reduced host_algorithms<T>::reduce(data::number_input& in, reduction op, const run_options& o,
                                   const exact_request& exact) {
  using reductions::host_engine;
  if (!o.gpu_to_gpu) return reductions::reduce_with<host_engine, T>(in, op, o, exact);
  return reductions::with_canonical_reduction<T>(op, [&]<class Reduction>(Reduction) {
    return reductions::reduce_as<host_engine, Reduction>(in, op, o, exact);
  });
}
template <class T>
reduced_axis host_algorithms<T>::reduce_axis(data::number_input& in, reduction op, unsigned axis,
                                             const run_options& o) {
  return reductions::reduce_axis_of<T>(in, op, axis, o);
}
template <class T>
std::uint64_t host_algorithms<T>::scan(data::number_input& in, const scan_request& request,
                                       const run_options& o) {
  return reductions::scan_with<reductions::host_scan, T>(in, request, o);
}

}  // namespace warpfold::files
