// One scan, as the kernels of pipelined.cuh and single_wave.cuh take it.
#pragma once

#include <cstddef>

#include "warpfold/platform.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// One scan of `n` values of T, accumulated as Acc. Where values move 16 bytes at a time, `in` and
/// `out` both stand `shift` values after a 16-byte boundary.
template <class T, class Acc, class Op>
struct scan_problem {
  const T* in;
  T* out;
  std::size_t n;
  unsigned shift;
  Acc init;  // before the first value
  bool exclusive;
  Op op;
};

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
