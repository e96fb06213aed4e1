// One scan, as the kernels of pipelined.cuh and single_wave.cuh take it.
#pragma once

#include <cstddef>

#include "warpfold/operators.hpp"
#include "warpfold/platform.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// An operator whose scan starts from what an earlier call leaves in device memory.
template <class Op, class Acc>
struct op_with_loaded_init {
  static constexpr bool commutative = is_commutative<Op>;
  Op op;

  __host__ __device__ Acc operator()(const Acc& a, const Acc& b) const { return op(a, b); }
  template <class>
  __host__ __device__ Acc identity() const {
    return op.template identity<Acc>();
  }
};
/// It, where it lies.
template <class Acc>
struct loaded_init {
  const Acc* at;
  __device__ operator Acc() const { return *at; }  // NOLINT(google-explicit-constructor)
};

template <class Acc, class Op>
struct init_of_scan {
  using type = Acc;
};
template <class Acc, class Op>
struct init_of_scan<Acc, op_with_loaded_init<Op, Acc>> {
  using type = loaded_init<Acc>;
};
template <class Acc, class Op>
using scan_init = typename init_of_scan<Acc, Op>::type;

/// One scan of `n` values of T, accumulated as Acc. Where values move 16 bytes at a time, `in` and
/// `out` both stand `shift` values after a 16-byte boundary.
template <class T, class Acc, class Op>
struct scan_problem {
  const T* in;
  T* out;
  std::size_t n;
  unsigned shift;
  scan_init<Acc, Op> init;  // before the first value
  bool exclusive;
  Op op;
};

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
