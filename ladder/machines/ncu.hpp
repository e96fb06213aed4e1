// Counters of a GPU run, read by Nsight Compute from the same rungs run once more.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "measure/measurement.hpp"

namespace warpfold::ladder {

/// Runs `ncu` over this program with the arguments `command`, which run each rung once without
/// timing, and adds the counters of each rung's launches to its row. Throws device_error with the
/// reason and what to do when ncu is missing or may not read the counters.
void add_ncu_counters(std::vector<measure::measurement>& rows,
                      const std::vector<std::string>& command);

/// The part of it that reads what ncu printed: CSV of its raw page. Kernels are known by
/// the tag of their rung.
void add_counters_from_csv(std::vector<measure::measurement>& rows, std::string_view csv);

}  // namespace warpfold::ladder
