// Values into exact sums, on the host's threads: what host/exact.hpp's calls are made of, and
// `reduce` at determinism::gpu_to_gpu.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>

#include "warpfold/exact/accumulator.hpp"
#include "warpfold/exact/product.hpp"
#include "warpfold/host/detail/parallel.hpp"
#include "warpfold/host/detail/reduce_chunk.hpp"
#include "warpfold/operators.hpp"
#include "warpfold/same_bits.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace host_detail {

struct merge_exact {
  template <class State>
  State operator()(State a, const State& b) const {
    a.merge(b);
    return a;
  }
};

/// The sum of map(value), of terms of type T.
template <class T, class Where, class In, class Map = convert_to<T>>
exact_accumulator<T> accumulate_exactly(const Where& where, std::span<const In> in, Map map = {}) {
  if (in.empty()) return {};
  constexpr std::size_t bytes = tuning_of<Where>::exact_chunk_bytes;
  return reduce_chunks_of<exact_accumulator<T>, bytes>(
      where, in, merge_exact{}, [&](std::span<const In> part) {
        exact_accumulator<T> sum;
        if constexpr (std::is_same_v<In, T> && std::is_same_v<Map, convert_to<T>>) {
          sum.add(part);
        } else {
          T term[detail::batch_values];
          for (std::size_t i = 0; i < part.size(); i += std::size(term)) {
            const std::size_t now = std::min(std::size(term), part.size() - i);
            for (std::size_t k = 0; k < now; ++k) term[k] = static_cast<T>(map(part[i + k]));
            sum.add(std::span<const T>(term, now));
          }
        }
        return sum;
      });
}

/// The sum of a[i] * b[i]; there are as many of both, and some.
template <class T, class Where>
detail::product_state<T> accumulate_products(const Where& where, std::span<const T> a,
                                             std::span<const T> b) {
  using state = detail::product_state<T>;
  return reduce_chunks_of<state, tuning_of<Where>::exact_chunk_bytes>(
      where, a, merge_exact{}, [&](std::span<const T> part) {
        state sum;
        detail::add_products(sum, part.data(), b.data() + (part.data() - a.data()), part.size());
        return sum;
      });
}

}  // namespace host_detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
