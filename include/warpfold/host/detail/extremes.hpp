// The smallest or the greatest of many values, and its index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "warpfold/error.hpp"
#include "warpfold/host/detail/parallel.hpp"
#include "warpfold/host/detail/reduce_chunk.hpp"
#include "warpfold/results.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace host_detail {

inline void require_values(const char* call, std::size_t n) {
  if (n > 0) return;
  throw usage_error("warpfold::", call,
                    "(host, range) of no values: call it only where there are some");
}

/// The best value of `part`, with the index of the part's first value: `located` finds its own.
template <class Op, class T>
position<T> best_of(std::span<const T> all, std::span<const T> part) {
  return {reduce_chunk<T>(part, Op{}), static_cast<std::uint64_t>(part.data() - all.data())};
}
/// The best value's own index: reads the one part that holds it, up to there.
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
  return located(in, reduce_chunks<position<T>>(where, in, better<Op>{}, best_of_part));
}

}  // namespace host_detail

}  // namespace warpfold::inline WARPFOLD_MACHINE
