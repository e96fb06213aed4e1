// The operators of a reduction, each with its true identity: op(identity, x) == x for every x.
#pragma once

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

}  // namespace detail

/// a + b. Integers wrap.
struct plus {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      using wrapping = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<wrapping>(a) + static_cast<wrapping>(b));
    } else {
      return a + b;
    }
  }
  template <class T>
  __host__ __device__ static constexpr T identity() {
    return T{0};
  }
};

/// a * b. Integers wrap.
struct multiplies {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      using wrapping = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<wrapping>(a) * static_cast<wrapping>(b));
    } else {
      return a * b;
    }
  }
  template <class T>
  __host__ __device__ static constexpr T identity() {
    return T{1};
  }
};

/// The smaller of a and b; NaN if either is.
struct minimum {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    // NOLINTNEXTLINE(misc-redundant-expression): a != a asks whether a is NaN
    return a < b || a != a ? a : b;
  }
  template <class T>
  __host__ __device__ static constexpr T identity() {
    return detail::highest<T>;
  }
};

/// The larger of a and b; NaN if either is.
struct maximum {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    // NOLINTNEXTLINE(misc-redundant-expression): a != a asks whether a is NaN
    return b < a || a != a ? a : b;
  }
  template <class T>
  __host__ __device__ static constexpr T identity() {
    return detail::lowest<T>;
  }
};

struct bit_and {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return a & b;
  }
  template <class T>
  __host__ __device__ static constexpr T identity() {
    return static_cast<T>(~T{0});
  }
};

struct bit_or {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return a | b;
  }
  template <class T>
  __host__ __device__ static constexpr T identity() {
    return T{0};
  }
};

struct bit_xor {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return a ^ b;
  }
  template <class T>
  __host__ __device__ static constexpr T identity() {
    return T{0};
  }
};

}  // namespace warpfold::inline WARPFOLD_MACHINE
