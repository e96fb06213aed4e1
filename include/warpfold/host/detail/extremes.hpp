// Which value of many is the smallest or the greatest, and where it stands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "warpfold/error.hpp"
#include "warpfold/host/detail/fold.hpp"
#include "warpfold/host/detail/parallel.hpp"
#include "warpfold/results.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace host_detail {

inline void require_values(const char* call, std::size_t n) {
  if (n > 0) return;
  throw usage_error("warpfold::", call,
                    "(host, range) of no values: call it only where there are some");
}

/// The best value of `part` and, for now, the index of the part's first value.
template <class Op, class T>
position<T> best_of(std::span<const T> all, std::span<const T> part) {
  return {fold<T>(part, Op{}), static_cast<std::uint64_t>(part.data() - all.data())};
}
/// Finds the exact place: reads up to it in the one part where the best value stands.
template <class T>
position<T> located(std::span<const T> all, position<T> best) {
  const auto is_it = [&](T value) {
    return detail::is_nan(best.value) ? detail::is_nan(value) : value == best.value;
  };
  while (!is_it(all[best.index])) ++best.index;
  return {all[best.index], best.index};
}

template <class Op, class Where, class T>
position<T> find_best(const char* call, const Where& where, std::span<const T> in) {
  require_values(call, in.size());
  const auto best_of_part = [&](std::span<const T> part) { return best_of<Op>(in, part); };
  return located(in, fold_chunks<position<T>>(where, in, better<Op>{}, best_of_part));
}

}  // namespace host_detail

}  // namespace warpfold::inline WARPFOLD_MACHINE
