// The reference result of a histogram, computed on the host.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ladder/reference/reduce.hpp"

namespace warpfold::ladder {

class histogram_reference {
 public:
  histogram_reference(const host_values& values, unsigned bins);

  /// Judges the counts of all bins. The verdict shows the first wrong one with its bin.
  [[nodiscard]] measure::verdict judge(const std::uint32_t* counts) const;

 private:
  std::vector<std::uint32_t> counts_;
};

/// Rung 00: counts[k] becomes the number of the values that are k. Values are integers.
void count_serial(const host_values& values, std::span<std::uint32_t> counts);

}  // namespace warpfold::ladder
