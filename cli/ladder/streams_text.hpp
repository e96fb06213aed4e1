// The streams ladder as text: its table's columns, and for each rung who worked when.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ladder/streams/run.hpp"
#include "measure/columns.hpp"

namespace warpfold::cli {

/// Time, speed, share of the link's, overlap; on a terminal the result, in a document the idea.
std::vector<measure::column> streams_columns(std::span<const measure::measurement> rows,
                                             measure::view where);

/// "streams · sum of 16,777,216 i32 · 8 chunks · NVIDIA H100".
std::string streams_title(std::span<const measure::measurement> rows);

/// "in 54 GB/s, out 55, …".
std::string speeds_text(const simt::engine_speeds& speeds);

/// "04 depth-first · 1,274 µs · 52.7 GB/s".
std::string rung_text(const measure::measurement& row);

/// The rung's heading and a line for each engine, in which a chunk is its number: 0 to 9, a to z,
/// and from the start again. The width is that of the time from the first call to the result.
std::string timeline_text(const ladder::streams_row& row, std::size_t width = 80);

/// What the signs in the host's line mean.
inline constexpr const char* timeline_legend =
    "0-9 a-z: chunks, *: none; the host: = copies into pinned memory, # adds, ? polls, . waits\n";

}  // namespace warpfold::cli
