// The operators of a reduction, each with its true identity: op(identity, x) == x for every x.
// Below them are the declarations for user-defined operators.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "warpfold/platform.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

namespace detail {

template <class T>
inline constexpr T highest = std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity()
                                                         : std::numeric_limits<T>::max();
template <class T>
inline constexpr T lowest = std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity()
                                                        : std::numeric_limits<T>::lowest();

template <class T>
inline constexpr bool is_float = std::is_floating_point_v<T> && (sizeof(T) == 4 || sizeof(T) == 8);

/// The smaller of a and b, or the larger; NaN if either is.
template <bool Smaller, class T>
__host__ __device__ T extreme(T a, T b) {
#ifndef __SIMT__
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if constexpr (std::is_same_v<T, float>) {
    float result;
    if constexpr (Smaller) {
      asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    } else {
      asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    }
    return result;
  }
#endif
#endif
  if constexpr (is_float<T>) {
    if (a == b) {  // they can differ in the sign of zero only
      using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
      bits x, y;
      memcpy(&x, &a, sizeof a);
      memcpy(&y, &b, sizeof b);
      x = Smaller ? x | y : x & y;
      memcpy(&a, &x, sizeof a);
      return a;
    }
  }
  // NOLINTNEXTLINE(misc-redundant-expression): a != a asks whether a is NaN
  return (Smaller ? a < b : b < a) || a != a ? a : b;
}

}  // namespace detail

/// a + b. Integers wrap.
struct plus {
  /// The values may be combined in any order.
  static constexpr bool commutative = true;
  /// a + b
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      using wrapping = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<wrapping>(a) + static_cast<wrapping>(b));
    } else {
      return a + b;
    }
  }
  /// The identity: 0.
  template <class T>
  __host__ __device__ static constexpr T identity() {
    return T{0};
  }
};

/// a + b. At determinism::gpu_to_gpu its sum is not exact, unlike that of plus: the values are
/// combined in the canonical order (docs/canonical.md), which costs less and also has the same bits
/// on any machine.
struct pairwise_plus : plus {};

/// a * b. Integers wrap.
struct multiplies {
  /// The values may be combined in any order.
  static constexpr bool commutative = true;
  /// a * b
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      // 16-bit factors would be multiplied as int, which they can overflow.
      using wide = std::conditional_t<(sizeof(T) < sizeof(unsigned)), unsigned, T>;
      using wrapping = std::make_unsigned_t<wide>;
      return static_cast<T>(static_cast<wrapping>(a) * static_cast<wrapping>(b));
    } else {
      return a * b;
    }
  }
  /// The identity: 1.
  template <class T>
  __host__ __device__ static constexpr T identity() {
    return T{1};
  }
};

/// The smaller of a and b; NaN if either is. -0 is smaller than +0 (IEEE 754-2019's minimum).
struct minimum {
  /// The values may be combined in any order.
  static constexpr bool commutative = true;
  /// a or b
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return detail::extreme<true>(a, b);
  }
  /// The identity: the largest value, or +infinity.
  template <class T>
  __host__ __device__ static constexpr T identity() {
    return detail::highest<T>;
  }
};

/// The larger of a and b; NaN if either is. +0 is larger than -0 (IEEE 754-2019's maximum).
struct maximum {
  /// The values may be combined in any order.
  static constexpr bool commutative = true;
  /// a or b
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return detail::extreme<false>(a, b);
  }
  /// The identity: the smallest value, or -infinity.
  template <class T>
  __host__ __device__ static constexpr T identity() {
    return detail::lowest<T>;
  }
};

/// a & b, of integers.
struct bit_and {
  /// The values may be combined in any order.
  static constexpr bool commutative = true;
  /// a & b
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return a & b;
  }
  /// The identity: all bits.
  template <class T>
  __host__ __device__ static constexpr T identity() {
    return static_cast<T>(~T{0});
  }
};

/// a | b, of integers.
struct bit_or {
  /// The values may be combined in any order.
  static constexpr bool commutative = true;
  /// a | b
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return a | b;
  }
  /// The identity: 0.
  template <class T>
  __host__ __device__ static constexpr T identity() {
    return T{0};
  }
};

/// a ^ b, of integers.
struct bit_xor {
  /// The values may be combined in any order.
  static constexpr bool commutative = true;
  /// a ^ b
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return a ^ b;
  }
  /// The identity: 0.
  template <class T>
  __host__ __device__ static constexpr T identity() {
    return T{0};
  }
};

/// Whether a equals b: the default comparison of keys and of values. A NaN equals nothing.
struct equal_to {
  /// a == b
  template <class T>
  __host__ __device__ bool operator()(const T& a, const T& b) const {
    return a == b;
  }
};

/// True if `Op` declares `static constexpr bool commutative = true;`. All others are assumed to be
/// only associative: the library keeps the order of the values, at some cost.
template <class Op>
inline constexpr bool is_commutative = [] {
  if constexpr (requires { Op::commutative; }) {
    return static_cast<bool>(Op::commutative);
  } else {
    return false;
  }
}();

/// Whether `Op` declares an identity among values of T.
template <class Op, class T>
concept has_identity = requires(const Op& op) { op.template identity<T>(); };

/// An operator with its identity: `with_identity([](a, b) {…}, e)`.
template <class Op, class Value>
struct op_with_identity {
  /// As the operator declares.
  static constexpr bool commutative = is_commutative<Op>;
  Op op;          ///< The operator.
  Value neutral;  ///< The identity.

  /// op(a, b)
  template <class T>
  __host__ __device__ T operator()(const T& a, const T& b) const {
    return op(a, b);
  }
  /// The identity.
  template <class T>
  __host__ __device__ T identity() const {
    return neutral;
  }
};
/// `op` with the identity `neutral`: the result of a reduction of no values, and the value with
/// which a device fills gaps.
template <class Op, class Value>
op_with_identity<Op, Value> with_identity(Op op, Value neutral) {
  return {op, neutral};
}

/// The same operator, declared commutative: `as_commutative([](a, b) {…})`.
template <class Op>
struct commutative_op : Op {
  /// The values may be combined in any order.
  static constexpr bool commutative = true;
};
/// Declares that `op` may combine the values in any order.
template <class Op>
commutative_op<Op> as_commutative(Op op) {
  return {op};
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
