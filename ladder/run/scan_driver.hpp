// Runs rungs of the scan ladder side by side on one problem: each result checked value by value,
// each rung measured.
#pragma once

#include <span>
#include <vector>

#include "ladder/reference/reduce.hpp"
#include "ladder/run/driver.hpp"

namespace warpfold::ladder {

struct scan_problem {
  host_values values;
  operation op = operation::sum;
  bool exclusive = false;
  unsigned block = 256;   // threads per block: 32, 64, … 1024
  unsigned samples = 30;  // timed runs of each rung, where times mean something
};

/// The host reference (rung 00), then every rung of `rungs` that the machine can run; the others
/// are listed with the reason. Each row carries its depth: the most operator applications that
/// follow one another on the way to one result, measured by running the rung itself with an
/// operator that counts them. A result that is wrong is a row that says so, not an error.
/// Throws usage_error for a problem that makes no sense, device_error for lack of memory.
std::vector<measure::measurement> run_scan_ladder(const scan_problem& what, machine& where,
                                                  std::span<const rung* const> rungs,
                                                  const report_progress& report = {});

/// Rung 00.
std::span<const description> scan_rungs_of_host();

}  // namespace warpfold::ladder
