// Folds one value per lane with the hardware's own instruction where it has one: 32-bit integers,
// every operator but the product. All else goes by shuffles. Cost: two instructions, or
// warp_reduce. Valid in lane 0. All 32 lanes must call. The operator must be associative and
// commutative.
#pragma once

#include "warpfold/operators.hpp"
#include "warpfold/warp/reduce.cuh"
#include "warpfold/warp/scan.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {

template <class T, class Op>
inline constexpr bool folds_in_hardware =
    std::is_integral_v<T> && sizeof(T) == 4 &&
    (std::is_same_v<Op, plus> || std::is_same_v<Op, minimum> || std::is_same_v<Op, maximum> ||
     std::is_same_v<Op, bit_and> || std::is_same_v<Op, bit_or> || std::is_same_v<Op, bit_xor>);

template <class T, class Op>
__device__ __forceinline__ T warp_redux(T value, Op op) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  return warp_reduce(value, op);
#else
  if constexpr (!folds_in_hardware<T, Op>) {
    return warp_reduce(value, op);
  } else if constexpr (std::is_same_v<Op, plus>) {
    return static_cast<T>(__reduce_add_sync(all_lanes, static_cast<unsigned>(value)));
  } else if constexpr (std::is_same_v<Op, minimum>) {
    return static_cast<T>(__reduce_min_sync(
        all_lanes, static_cast<std::conditional_t<std::is_signed_v<T>, int, unsigned>>(value)));
  } else if constexpr (std::is_same_v<Op, maximum>) {
    return static_cast<T>(__reduce_max_sync(
        all_lanes, static_cast<std::conditional_t<std::is_signed_v<T>, int, unsigned>>(value)));
  } else if constexpr (std::is_same_v<Op, bit_and>) {
    return static_cast<T>(__reduce_and_sync(all_lanes, static_cast<unsigned>(value)));
  } else if constexpr (std::is_same_v<Op, bit_or>) {
    return static_cast<T>(__reduce_or_sync(all_lanes, static_cast<unsigned>(value)));
  } else {
    return static_cast<T>(__reduce_xor_sync(all_lanes, static_cast<unsigned>(value)));
  }
#endif
}

/// The same for any associative operator: from left to right unless it commutes.
template <class T, class Op>
__device__ __forceinline__ T warp_fold(T value, Op op) {
  if constexpr (is_commutative<Op>) {
    return warp_redux(value, op);
  } else {
    return warp_ordered_reduce(value, op);
  }
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
