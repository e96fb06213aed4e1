// Runs rungs of the select ladder side by side on one problem: each kept value checked, each rung
// measured.
#pragma once

#include <span>
#include <vector>

#include "ladder/reference/reduce.hpp"
#include "ladder/run/driver.hpp"

namespace warpfold::ladder {

struct select_problem {
  host_values values;     // those that are not 0 are kept
  unsigned block = 256;   // threads per block: 32, 64, … 1024
  unsigned samples = 30;  // timed runs of each rung, where times mean something
};

/// The rung of the host (00), then every rung of `rungs` that the machine can run; the others are
/// listed with the reason. Rungs that say so are right in any order, the others in that of the
/// input. A result that is wrong is a row that says so.
/// Throws usage_error for a problem that makes no sense, device_error for lack of memory.
std::vector<measure::measurement> run_select_ladder(const select_problem& what, machine& where,
                                                    std::span<const rung* const> rungs,
                                                    const report_progress& report = {});

/// The rung of the host.
std::span<const description> select_rungs_of_host();

}  // namespace warpfold::ladder
