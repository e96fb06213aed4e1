// What one load reads of the values, and the map that only converts them.
#pragma once

#include <cstdint>
#include <type_traits>

#include "warpfold/platform.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// Values per vector: 16 bytes where these hold a whole number of values, else one value.
template <class T>
inline constexpr unsigned items_per_vector = 16 % sizeof(T) == 0 ? 16 / sizeof(T) : 1;

/// What one load reads.
template <class T>
using vector_type = std::conditional_t<items_per_vector<T> == 1 && sizeof(T) != 16, T, uint4>;

/// A map that converts, and does nothing else.
template <class Acc>
struct convert {
  template <class T>
  __host__ __device__ Acc operator()(const T& value) const {
    return static_cast<Acc>(value);
  }
};

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
