// What the pages say of warpfold beside packages from PyPI: tables from the JSON of bench/python in
// bench/results.
#pragma once

#include <string>

#include "measure/json.hpp"

/// The calls on values in memory: a line for each job and size, a column for each program; below it
/// who is faster than warpfold, and what was called.
std::string python_calls_table(const warpfold::measure::json& results);
/// The jobs on a file: a line for each program, with the way its memory is limited and its peak
/// memory.
std::string python_files_table(const warpfold::measure::json& results);
