// Runs rungs of the histogram ladder side by side on one problem: each count checked, each rung
// measured.
#pragma once

#include <span>
#include <vector>

#include "ladder/reference/reduce.hpp"
#include "ladder/run/driver.hpp"

namespace warpfold::ladder {

struct histogram_problem {
  host_values values;            // integers; bin k counts those that are k
  unsigned bins = default_bins;  // 1 to 2^24
  unsigned block = 256;          // threads per block: 32, 64, … 1024
  unsigned samples = 30;         // timed runs of each rung, where times mean something
};

/// The rung of the host (00), then every rung of `rungs` that the machine can run; the others are
/// listed with the reason. Each row carries its depth: the additions to one counter that follow one
/// another, if all values are equal. A result that is wrong is a row that says so.
/// Throws usage_error for a problem that makes no sense, device_error for lack of memory.
std::vector<measure::measurement> run_histogram_ladder(const histogram_problem& what,
                                                       machine& where,
                                                       std::span<const rung* const> rungs,
                                                       const report_progress& report = {});

/// The rung of the host.
std::span<const description> histogram_rungs_of_host();

}  // namespace warpfold::ladder
