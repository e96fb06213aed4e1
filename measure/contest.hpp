// Measurements of a library beside its peers, over sizes: what `warpfold bench` shows.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "measure/columns.hpp"
#include "measure/measurement.hpp"
#include "measure/table.hpp"

namespace warpfold::measure {

/// A line for each type, n and way of calling, in the order of the rows: the time of the row that
/// is no reference with its quartiles, GB/s and share of the ceiling; the time of each reference
/// and how many times as long it took; whether all of them were right. Wrong results get no time.
std::vector<column> contest_columns(std::span<const measurement> rows);

/// The same with a title, and a line below that says what was measured. Empty without rows.
std::string contest_table(std::span<const measurement> rows, table_style style = {});

}  // namespace warpfold::measure
