// A loop whose count the compiler knows as so many copies of its body: vectors in arrays stay in
// registers whatever the compiler thinks of unrolling.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "warpfold/platform.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// f(0), f(1), …, f(N - 1), each with a std::integral_constant.
template <std::size_t N, class F>
[[gnu::always_inline]] inline void unrolled(F f) {
  [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
    (f(std::integral_constant<std::size_t, I>{}), ...);
  }
  (std::make_index_sequence<N>{});
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
