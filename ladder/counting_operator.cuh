// Operators that tell about themselves: `tallied` has its applications counted by the CPU machine
// and bears the rung's name in the names of its kernels; `longest_chain` makes of zeros how many
// applications follow one another on the way to a result.
#pragma once

#include "warpfold/operators.hpp"

namespace warpfold::ladder {
inline namespace WARPFOLD_MACHINE {

template <class Op, class Rung>
struct tallied {
  template <class T>
  __device__ __forceinline__ T operator()(T a, T b) const {
    count_op_call();
    return Op{}(a, b);
  }
  template <class T>
  __host__ __device__ static constexpr T identity() {
    return Op::template identity<T>();
  }
};

/// The operator itself.
template <class Op>
struct untallied {
  using type = Op;
};
template <class Op, class Rung>
struct untallied<tallied<Op, Rung>> {
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
