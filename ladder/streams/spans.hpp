// A summary of the work of a rung's engines.
#pragma once

#include <span>

#include "simt/timeline.hpp"

namespace warpfold::ladder::streams_ladder {

/// Microseconds in which something was copied in or out, something was summed, and both at once.
struct occupation {
  double copying = 0, summing = 0, both = 0;

  /// How much of the shorter of the two ran beside the longer, in percent.
  [[nodiscard]] double overlap_percent() const {
    const double shorter = copying < summing ? copying : summing;
    return shorter > 0 ? 100 * both / shorter : 0;
  }
};

occupation occupation_of(std::span<const simt::timeline_span> spans);

/// From the first beginning to the last end.
double extent_of(std::span<const simt::timeline_span> spans);

}  // namespace warpfold::ladder::streams_ladder
