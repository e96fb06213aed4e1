// Runs rungs of the streams ladder side by side: on a GPU against the clock, and on the CPU machine
// as a schedule of engines with given speeds. Results are real, and checked, on both.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ladder/reference/reduce.hpp"
#include "ladder/streams/rung.hpp"
#include "measure/measurement.hpp"
#include "simt/timeline.hpp"

namespace warpfold::ladder {

using streams_rung = streams_ladder::rung;

struct streams_problem {
  host_values values;
  unsigned chunks = 8;    // 1 to most_chunks
  unsigned passes = 1;    // how often the kernel goes over each chunk
  unsigned samples = 10;  // timed runs of each rung on a GPU
  bool on_gpu = false;
  simt::engine_speeds speeds{};  // of the schedule; a GPU has its own
};
inline constexpr unsigned most_chunks = 256;

struct streams_row {
  measure::measurement record;
  std::vector<simt::timeline_span> spans;  // of one more run, with events; microseconds
};

struct streams_result {
  simt::engine_speeds speeds;  // of the schedule, or as measured
  std::string device;
  std::vector<streams_row> rows;
};

/// Counters of a record, besides.
namespace streams_counters {
inline constexpr std::string_view copying = "ladder__copying_us";
inline constexpr std::string_view summing = "ladder__summing_us";
inline constexpr std::string_view overlap = "ladder__overlap.pct";
inline constexpr std::string_view link = "ladder__link_gbs";
}  // namespace streams_counters

/// The rungs of either machine: their descriptions are the same.
std::span<const streams_rung* const> streams_rungs(bool on_gpu);

/// Throws usage_error for numbers that make no sense.
void check_streams_problem(const streams_problem& p);

/// A row for each rung. Throws usage_error likewise, device_error for lack of a device or of
/// memory.
streams_result run_streams_ladder(const streams_problem& p,
                                  std::span<const streams_rung* const> rungs);

}  // namespace warpfold::ladder
