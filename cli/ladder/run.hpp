// The commands `warpfold ladder reduce, scan, sort, histogram, select`.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "cli/ladder/request.hpp"
#include "ladder/ladder.hpp"
#include "ladder/run/driver.hpp"
#include "measure/measurement.hpp"

namespace warpfold::cli {

using run_function = std::function<std::vector<measure::measurement>(
    ladder::machine&, std::span<const ladder::rung* const>, const data::array& input,
    unsigned block, unsigned samples, const ladder::report_progress&)>;

/// Runs the command: --list, or the machine, the rungs, the input, the run, and its table and
/// JSON. Returns the exit code.
int run_ladder(const ladder::ladder_entry& here, const ladder_command& what,
               const ladder_options& o, const random_source& random, const run_function& run);

}  // namespace warpfold::cli
