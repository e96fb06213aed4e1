// Measurements of the same jobs by different hands, as a table in a document.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "measure/measurement.hpp"

namespace warpfold::measure {

/// A line for each row, in the order of the rows: the job (ladder, operator, form, type, n), who
/// did it, its median time and quartiles, GB/s, the share of the read bandwidth, and how many times
/// as long it took as `ours` took for the same job. Rows whose result is wrong get no time.
std::string side_by_side(std::span<const measurement> rows, std::string_view ours);

}  // namespace warpfold::measure
