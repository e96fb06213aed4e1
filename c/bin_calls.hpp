// Histograms, with types that are known at run time: what Python calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "c/warpfold.h"

namespace warpfold::erased {

/// Bins between the bounds `edges`, of the values' type; or `even` bins, from edges[0] to edges[1],
/// which are f64, or i64 or u64 for integers of that kind.
struct bins {
  wf_type type;  // of the edges
  const void* edges;
  std::size_t edge_count, even;
};

/// What values add to their bins: u64, f32 or f64, and so the sums.
struct bin_weights {
  wf_type type;
  const void* weights;
  void* sums;
};

/// Of one type T of values; all run on the host.
struct bin_calls {
  void (*histogram)(const void* values, std::size_t n, const bins&,
                    std::span<std::uint64_t> counts) = nullptr;
  void (*weighted_histogram)(const void* values, std::size_t n, const bins&,
                             const bin_weights&) = nullptr;
  /// Null where T is no integer.
  std::vector<std::uint64_t> (*bincount)(const void* values, std::size_t n,
                                         std::size_t minimum) = nullptr;
};

}  // namespace warpfold::erased
