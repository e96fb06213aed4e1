// The figures that tables, rungs and docs show of a measurement, under one name each.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace warpfold::measure {

struct measurement;

/// What a measurement does not carry.
inline constexpr double none = std::numeric_limits<double>::quiet_NaN();

enum class figure : std::uint8_t {
  none,
  time,
  launches,
  operator_uses,
  depth,
  load_requests,
  sectors_per_request,
  load_efficiency,
  store_requests,
  shared_requests,
  bank_conflicts,
  branch_uniformity,
  active_lanes,
  steps_per_warp,
  barriers,
  atomics,
  atomic_sectors,
  atomic_conflicts,
  bulk_bytes,
  occupancy,
  bytes_moved
};

/// The head of its column, of one line or two: "load\nrequests".
std::string_view header_of(figure f);
/// The same on one line: "load requests", "sectors/request".
std::string name_of(figure f);

/// NaN where the measurement does not carry it; the median of `time`, in microseconds.
double value_of(const measurement& row, figure f);

}  // namespace warpfold::measure
