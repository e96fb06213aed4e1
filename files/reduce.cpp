#include "files/reduce.hpp"

#include <fmt/format.h>

#include "files/algorithms.hpp"
#include "warpfold/error.hpp"

namespace warpfold::files {

std::string text_of(const number& value) {
  // The sign of a NaN means nothing, and depends on the machine.
  return std::visit([](auto v) { return v == v ? fmt::format("{}", v) : "nan"; }, value);
}

reduced reduce_all(data::number_input& in, reduction op, const run_options& o,
                   const exact_request& exact) {
  check_memory(o);
  if (o.on_device) require_device();
  auto result = visit_type(in.type(), [&]<class T>(std::type_identity<T>) {
    return o.on_device ? device_algorithms<T>::reduce(in, op, o, exact)
                       : host_algorithms<T>::reduce(in, op, o, exact);
  });
  if (o.ranks != nullptr) in.require_unchanged();
  return result;
}

reduced_axis reduce_axis(data::number_input& in, reduction op, unsigned axis,
                         const run_options& o) {
  check_memory(o);
  if (in.shape().size() != 2 || axis > 1) {
    throw usage_error(
        fmt::format("--axis {}: {} has {} dimension{}; axes 0 and 1 are those of a 2-D .npy file",
                    axis, in.name(), in.shape().size(), in.shape().size() == 1 ? "" : "s"));
  }
  return visit_type(in.type(), [&]<class T>(std::type_identity<T>) {
    return host_algorithms<T>::reduce_axis(in, op, axis, o);
  });
}

}  // namespace warpfold::files
