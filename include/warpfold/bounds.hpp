// Limits of a number. The standard header `algorithm` has the same; it takes half a second to
// compile, more than all of our own headers for a reduction.
#pragma once

#include "warpfold/platform.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

template <class T>
constexpr T at_most(T value, T limit) {
  return limit < value ? limit : value;
}
template <class T>
constexpr T at_least(T value, T limit) {
  return value < limit ? limit : value;
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
