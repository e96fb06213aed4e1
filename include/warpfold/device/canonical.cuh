// What reductions and scans in the canonical order need on a device (docs/canonical.md).
#pragma once

#include <cstddef>

#include "warpfold/device/canonical/pipelined.cuh"
#include "warpfold/device/canonical/reduce.cuh"
#include "warpfold/ranges.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

/// Bytes of workspace for a reduction or a scan of up to n values of T, accumulated as Acc, at
/// determinism::gpu_to_gpu; also for all rows of a reduce_rows together. An exact sum takes
/// exact_workspace_bytes.
template <class T, class Acc = accumulator_for<T>>
constexpr std::size_t canonical_workspace_bytes(std::size_t n) {
  const std::size_t reduced = detail::canonical_slots<T, Acc>(n);
  const std::size_t scanned = detail::canonical_scan_slots<T, Acc>(n);
  return detail::tile_status::bytes<Acc>(reduced > scanned ? reduced : scanned);
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
