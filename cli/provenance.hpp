// Where and how a measurement was taken.
#pragma once

#include <string>
#include <vector>

#include "ladder/machines/machine.hpp"
#include "measure/json.hpp"

namespace warpfold::cli {

measure::run_info provenance(const ladder::machine& where);
/// The same of a device, driver and toolkit: with the commit and the command line.
measure::run_info provenance(measure::run_info where);

/// This process's command line.
std::vector<std::string> arguments();

}  // namespace warpfold::cli
