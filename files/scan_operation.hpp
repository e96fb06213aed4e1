// From an operation and the type to write to the scan that does it.
#pragma once

#include <type_traits>

#include "data/array.hpp"
#include "files/algorithms.hpp"
#include "files/reductions.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace reductions {

/// The write stage of a scan: the prefixes of c's elements of T, the first of which is the
/// `first`-th of all, to their place in the output.
template <class T, class Out>
void write_prefixes(const files::scan_request& request, std::uint64_t first,
                    const pipeline::chunk& c, const Out* prefixes) {
  const std::size_t count = c.bytes.size() / sizeof(T);
  request.to.write(request.begin + first * sizeof(Out), std::as_bytes(std::span(prefixes, count)));
}

/// Engine::scan<Reduction, Out>(in, request, o) for T: the number of elements.
template <class Engine, class T>
std::uint64_t scan_with(data::number_input& in, const files::scan_request& request,
                        const files::run_options& o) {
  const auto go = [&]<class Reduction, class Out>(Reduction, std::type_identity<Out>) {
    return Engine::template scan<Reduction, Out>(in, request, o);
  };
  const bool widen = request.out != data::type_of<T>();
  const auto sums = [&]<class Op>(Op) {
    using sum = reduce_by<T, Op, wide<T>>;
    return widen ? go(sum{}, std::type_identity<wide<T>>{}) : go(sum{}, std::type_identity<T>{});
  };
  const auto plain = [&]<class Op>(Op) {
    return go(reduce_by<T, Op, T>{}, std::type_identity<T>{});
  };
  switch (request.op) {
    case reduction::sum: return sums(plus{});
    case reduction::product: return sums(multiplies{});
    case reduction::min: return plain(minimum{});
    case reduction::max: return plain(maximum{});
    default: break;
  }
  if constexpr (std::is_integral_v<T>) {
    switch (request.op) {
      case reduction::bit_and: return plain(bit_and{});
      case reduction::bit_or: return plain(bit_or{});
      case reduction::bit_xor: return plain(bit_xor{});
      default: break;
    }
  }
  throw error("scan_with: an operation that scan_types refuses");
}

}  // namespace reductions
}  // namespace warpfold::inline WARPFOLD_MACHINE
