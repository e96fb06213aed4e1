// The algorithms of one element type on each machine, which few files instantiate.
#pragma once

#include "data/output.hpp"
#include "files/reduce.hpp"

namespace warpfold::files {

struct scan_request {
  reduction op;
  bool exclusive;
  value_type out;  // one of scan_types
  data::output& to;
  std::uint64_t begin;  // of the elements, in the output
};

/// Instantiated in host_integers.cpp and host_floats.cpp.
template <class T>
struct host_algorithms {
  static reduced reduce(data::number_input& in, reduction op, const run_options& o,
                        const exact_request& exact);
  static reduced_axis reduce_axis(data::number_input& in, reduction op, unsigned axis,
                                  const run_options& o);
  static std::uint64_t scan(data::number_input& in, const scan_request& request,
                            const run_options& o);
};

/// Instantiated in device_integers.cu and device_floats.cu, or, without CUDA, in no_device.cpp.
template <class T>
struct device_algorithms {
  static reduced reduce(data::number_input& in, reduction op, const run_options& o,
                        const exact_request& exact);
  static std::uint64_t scan(data::number_input& in, const scan_request& request,
                            const run_options& o);
};

}  // namespace warpfold::files
