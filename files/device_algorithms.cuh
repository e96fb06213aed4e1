// Bodies of device_algorithms.
#pragma once

#include "files/algorithms.hpp"
#include "files/device_engine.cuh"

namespace warpfold::files {

template <class T>
reduced device_algorithms<T>::reduce(data::number_input& in, reduction op, const run_options& o,
                                     const exact_request& exact) {
  return reductions::reduce_with<reductions::device_engine, T>(in, op, o, exact);
}
template <class T>
std::uint64_t device_algorithms<T>::scan(data::number_input& in, const scan_request& request,
                                         const run_options& o) {
  return reductions::scan_with<reductions::device_scan, T>(in, request, o);
}

}  // namespace warpfold::files
