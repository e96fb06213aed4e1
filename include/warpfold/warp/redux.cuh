// Reduces one value per lane with the hardware's own instruction where it has one: 32-bit integers,
// every operator but the product. All else goes by shuffles. Cost: two instructions, or
// warp_reduce. Valid in lane 0. All 32 lanes must call. The operator must be associative and
// commutative.
#pragma once

#include "warpfold/operators.hpp"
#include "warpfold/warp/reduce.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {

/// A policy of warp_reduce: the hardware's own instruction where there is one.
struct by_redux {};

/// Whether the hardware has an instruction for it.
template <class T, class Op>
inline constexpr bool has_redux =
    std::is_integral_v<T> && sizeof(T) == 4 &&
    (std::is_same_v<Op, plus> || std::is_same_v<Op, minimum> || std::is_same_v<Op, maximum> ||
     std::is_same_v<Op, bit_and> || std::is_same_v<Op, bit_or> || std::is_same_v<Op, bit_xor>);

/// Reduces one value per lane by `redux`, or by shuffles. Valid in lane 0.
template <class T, class Op>
__device__ __forceinline__ T warp_reduce(T value, Op op, by_redux) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  return warp_reduce(value, op);
#else
  if constexpr (!has_redux<T, Op>) {
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

/// How a warp reduces values of any associative operator: by redux where it commutes.
template <class Op>
using warp_policy = std::conditional_t<is_commutative<Op>, by_redux, in_lane_order>;

}  // namespace warpfold::inline WARPFOLD_MACHINE
