// Operators that measure a kernel. The CPU machine counts the applications of `counting_operator`,
// and its type puts the rung's name into the names of its kernels. A kernel that applies
// `longest_chain` to zeros computes how many applications follow one another.
#pragma once

#include "warpfold/operators.hpp"

namespace warpfold::ladder {
inline namespace WARPFOLD_MACHINE {

template <class Op, class Rung>
struct counting_operator {
  template <class T>
  __device__ __forceinline__ T operator()(T a, T b) const {
    detail::count_op_call();
    return Op{}(a, b);
  }
  template <class T>
  __host__ __device__ static constexpr T identity() {
    return Op::template identity<T>();
  }
};

/// The operator itself.
template <class Op>
struct uncounted {
  using type = Op;
};
template <class Op, class Rung>
struct uncounted<counting_operator<Op, Rung>> {
  using type = Op;
};

/// Not associative, and need not be: kernels apply operators without looking at the values.
struct longest_chain {
  template <class T>
  __device__ __forceinline__ T operator()(T a, T b) const {
    return (a < b ? b : a) + T{1};
  }
  template <class T>
  __host__ __device__ static constexpr T identity() {
    return T{0};
  }
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder
