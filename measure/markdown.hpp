// Measurements as a table in a document.
#pragma once

#include <span>
#include <string>

#include "measure/columns.hpp"
#include "measure/measurement.hpp"

namespace warpfold::measure {

/// Timed rows: idea, time, speed, speedups, and a column for each machine that a source published
/// figures of. Rows of the CPU machine: their counters. Empty when there are no rows.
std::string markdown_table(std::span<const measurement> rows);

/// Any columns; there must be one at least.
std::string markdown_table(std::span<const column> columns);

}  // namespace warpfold::measure
