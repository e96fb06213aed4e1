// The algorithms of one element type, each compiled in a file of its own.
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

template <class T>
reduced reduce_on_host(data::number_input& in, reduction op, const run_options& o,
                       const exact_request& exact);
template <class T>
reduced_axis reduce_axis_on_host(data::number_input& in, reduction op, unsigned axis,
                                 const run_options& o);
template <class T>
std::uint64_t scan_on_host(data::number_input& in, const scan_request& request,
                           const run_options& o);

template <class T>
reduced reduce_on_device(data::number_input& in, reduction op, const run_options& o,
                         const exact_request& exact);
template <class T>
std::uint64_t scan_on_device(data::number_input& in, const scan_request& request,
                             const run_options& o);

}  // namespace warpfold::files
