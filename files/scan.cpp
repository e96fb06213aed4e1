#include "files/scan.hpp"

#include <string>

#include "data/array.hpp"
#include "files/algorithms.hpp"
#include "warpfold/error.hpp"

namespace warpfold::files {

std::vector<value_type> scan_types(value_type in, reduction op) {
  switch (op) {
    case reduction::sum:
    case reduction::product: break;
    case reduction::min:
    case reduction::max: return {in};
    case reduction::bit_and:
    case reduction::bit_or:
    case reduction::bit_xor:
      if (!is_floating(in)) return {in};
      throw usage_error("--op " + std::string(name_of(op)) +
                        " is for integers, and the values are " + std::string(name_of(in)));
    default:
      throw usage_error("--op " + std::string(name_of(op)) +
                        ": a scan takes sum, product, min, max, and, or, xor");
  }
  switch (in) {
    case value_type::u8:
    case value_type::u32: return {value_type::u64, in};
    case value_type::i32: return {value_type::i64, in};
    case value_type::f32: return {in, value_type::f64};
    default: return {in};
  }
}

std::uint64_t scan_all(data::number_input& in, reduction op, bool exclusive, value_type out,
                       data::output& to, std::uint64_t begin, const run_options& o) {
  check_memory(o);
  if (o.on_device) require_device();
  const scan_request request{op, exclusive, out, to, begin};
  const auto count = visit_type(in.type(), [&]<class T>(std::type_identity<T>) {
    return o.on_device ? device_algorithms<T>::scan(in, request, o)
                       : host_algorithms<T>::scan(in, request, o);
  });
  if (o.ranks != nullptr) in.require_unchanged();
  return count;
}

}  // namespace warpfold::files
