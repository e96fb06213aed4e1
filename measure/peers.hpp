// Measurements of a library beside its peers, which did the same: `warpfold bench` and the docs.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "measure/columns.hpp"
#include "measure/measurement.hpp"
#include "measure/table.hpp"

namespace warpfold::measure {

/// A line for each type, n and way of calling, in the order of the rows: the time of the row that
/// is no reference with its quartiles, GB/s and share of the ceiling; the time of each reference
/// and how many times as long it took; whether all of them were right. Wrong results get no time.
std::vector<column> peer_columns(std::span<const measurement> rows);

/// The same with a title, and a line below that says what was measured. Empty without rows.
std::string peer_table(std::span<const measurement> rows, table_style style = {});

/// A line for each row, in their order, for many cases with different peers: the case, the peer,
/// the time with its quartiles, GB/s, the share of the read bandwidth, and the time as a multiple
/// of that of `ours`. Wrong results get no time.
std::vector<column> case_columns(std::span<const measurement> rows, std::string_view ours);

}  // namespace warpfold::measure
