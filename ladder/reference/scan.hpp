// The reference results of a scan, computed on the host in wider arithmetic than the kernels have,
// and the allowed error of each.
#pragma once

#include <cstddef>

#include "ladder/reference/reduce.hpp"

namespace warpfold::ladder {

class scan_reference {
 public:
  /// Keeps pointing at the values. Throws usage_error for the mean, which a scan has not, and for a
  /// bitwise operator on a floating type.
  scan_reference(const host_values& values, operation op, bool exclusive);

  /// Judges `results`, n values each of which was computed with at most `depth` roundings from any
  /// value to it. Integers, minimum and maximum must be exact. The verdict shows the first wrong
  /// result with its index, else the last result, and the error that comes nearest to its bound.
  [[nodiscard]] measure::verdict judge(const void* results, double depth) const;

 private:
  template <class T>
  [[nodiscard]] measure::verdict judge_exact(const T* results) const;
  template <class T>
  [[nodiscard]] measure::verdict judge_rounded(const T* results, double depth) const;

  host_values values_;
  operation op_;
  bool exclusive_;
};

/// Rung 00: a loop, in the kernels' own arithmetic.
void scan_serial(const host_values& values, operation op, bool exclusive, void* results);

}  // namespace warpfold::ladder
