// The first keys and order statistics, with types that are known at run time: what Python calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "warpfold/interpolation.hpp"

namespace warpfold::erased {

/// Values in rows, one after another, and which of each row are its first: the k largest or
/// smallest, in that order or in the input's.
struct first_of_rows {
  const void* values;
  std::size_t rows, columns, k;
  bool largest, sorted;
};

/// Of one type T of values; all run on the host.
struct order_calls {
  /// k values of T for each row.
  void (*top_k)(const first_of_rows&, void* out) = nullptr;
  /// Their indices, counted from the row's beginning.
  void (*argtop_k)(const first_of_rows&, std::uint64_t* indices) = nullptr;
  /// One value of T.
  void (*nth_element)(const void* values, std::size_t n, std::size_t nth, void* out) = nullptr;
  void (*quantiles)(const void* values, std::size_t n, std::span<const double> q, interpolation how,
                    double* out) = nullptr;
};

}  // namespace warpfold::erased
