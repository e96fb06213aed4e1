// What the pages say of building: tables from the JSON of bench/building in bench/results.
#pragma once

#include <string>

#include "measure/json.hpp"

/// A line for each command in the order of a first visit: what it took when all before it had run.
std::string build_stages_table(const warpfold::measure::json& results);
/// The targets that take a second or more, and the ten most expensive files.
std::string build_targets_table(const warpfold::measure::json& results);
/// One call of the library beside CUB's and Thrust's: what it takes to compile, and its object.
std::string build_calls_table(const warpfold::measure::json& results);
