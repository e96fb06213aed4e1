// Folds one value per lane with the hardware's own instruction where it has one: 32-bit integers,
// every operator but the product. All else goes by shuffles. Cost: two instructions, or
// warp_reduce. Valid in lane 0. All 32 lanes must call. The operator must be associative and
// commutative.
#pragma once

#include "warpfold/operators.hpp"
#include "warpfold/warp/reduce.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {

template <class T, class Op>
__device__ __forceinline__ T warp_redux(T value, Op op) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  return warp_reduce(value, op);
#else
  constexpr bool word = std::is_integral_v<T> && sizeof(T) == 4;
  using bits = std::conditional_t<std::is_signed_v<T>, int, unsigned>;
  if constexpr (word && std::is_same_v<Op, plus>) {
    return static_cast<T>(__reduce_add_sync(all_lanes, static_cast<unsigned>(value)));
  } else if constexpr (word && std::is_same_v<Op, minimum>) {
    return static_cast<T>(__reduce_min_sync(all_lanes, static_cast<bits>(value)));
  } else if constexpr (word && std::is_same_v<Op, maximum>) {
    return static_cast<T>(__reduce_max_sync(all_lanes, static_cast<bits>(value)));
  } else if constexpr (word && std::is_same_v<Op, bit_and>) {
    return static_cast<T>(__reduce_and_sync(all_lanes, static_cast<unsigned>(value)));
  } else if constexpr (word && std::is_same_v<Op, bit_or>) {
    return static_cast<T>(__reduce_or_sync(all_lanes, static_cast<unsigned>(value)));
  } else if constexpr (word && std::is_same_v<Op, bit_xor>) {
    return static_cast<T>(__reduce_xor_sync(all_lanes, static_cast<unsigned>(value)));
  } else {
    return warp_reduce(value, op);
  }
#endif
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
