// Runs of equal neighbours and selections, with types and operators that are known at run time:
// what Python calls. Where a run begins is a byte of 1 for each value, of others 0; the first
// value's does not matter.
#pragma once

#include <cstddef>
#include <cstdint>

#include "c/warpfold.h"

namespace warpfold::erased {

/// Of one type T of values; all run on the host, at the level of the place.
struct run_calls {
  /// Marks each value that is first, or not equal to the one before it. Each NaN is.
  void (*begins)(const void* values, std::size_t n, std::uint8_t* begins) = nullptr;
  /// One value for each run that begins, of T. `op` as reduce's, without `wide`.
  void (*reduce)(const wf_place&, wf_op, const std::uint8_t* begins, const void* values,
                 std::size_t n, std::size_t runs, void* out) = nullptr;
  /// `init` is what an exclusive scan starts each run with; null: the identity.
  void (*scan)(const wf_place&, wf_op, const std::uint8_t* begins, const void* values,
               std::size_t n, bool exclusive, const void* init, void* out) = nullptr;
};

/// Copies the values, of `size` bytes (1, 2, 4 or 8), whose flag is not 0: `count` of them.
void copy_flagged(const void* values, const std::uint8_t* flags, std::size_t n, std::size_t size,
                  std::size_t count, void* out);
/// The length of each of the runs.
void run_lengths(const std::uint8_t* begins, std::size_t n, std::size_t runs,
                 std::uint64_t* lengths);

}  // namespace warpfold::erased
