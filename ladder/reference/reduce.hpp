// The reference result of a reduction, computed on the host in wider arithmetic than the kernels
// have, and the allowed error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "ladder/rung.hpp"
#include "measure/measurement.hpp"

namespace warpfold::ladder {

/// The values to reduce, in host memory.
struct host_values {
  value_type type;
  const void* data;
  std::size_t n;
};

/// One value of one of the kernel types.
struct scalar {
  value_type type;
  std::int64_t whole = 0;  // when the type is an integer
  double real = 0;         // when it is not
};

std::string to_text(const scalar& value);
scalar load_scalar(value_type type, const void* from);

/// The identity of the operator.
scalar identity_of(operation op, value_type type);

/// Divides a sum by n, in f64 for integers.
scalar mean_of(const scalar& sum, std::size_t n);

class reference {
 public:
  /// Throws usage_error for the mean of nothing and for a bitwise operator on a floating type.
  reference(const host_values& values, operation op);

  /// Judges a result that was computed with at most `depth` roundings from any value to it.
  /// Integers, minimum and maximum must be exact.
  [[nodiscard]] measure::verdict judge(const scalar& result, double depth) const;

 private:
  operation op_;
  value_type type_;
  std::size_t n_;
  scalar exact_;               // integers, minimum, maximum
  long double value_ = 0;      // sums and products of floating-point values
  long double magnitude_ = 0;  // sum of |x|, or |product|
};

/// Rung 00: a loop, in the kernels' own arithmetic.
scalar reduce_serial(const host_values& values, operation op);

/// Rung 00: interleaved pairs on the CPU (document 001), any n.
scalar reduce_recursive(const host_values& values, operation op);

}  // namespace warpfold::ladder
