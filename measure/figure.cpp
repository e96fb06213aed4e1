#include "measure/figure.hpp"

#include <cmath>
#include <initializer_list>

#include "measure/measurement.hpp"
#include "measure/text.hpp"

namespace warpfold::measure {
namespace {

/// The sum of those counters that the row carries.
double counted(const measurement& row, std::initializer_list<std::string_view> names) {
  double sum = none;
  for (const std::string_view name : names) {
    const double* const value = row.find(name);
    if (value != nullptr) sum = std::isnan(sum) ? *value : sum + *value;
  }
  return sum;
}

double median_of(const measurement& row) {
  const double us = row.timing ? row.timing->median() : none;
  return us > 0 ? us : none;
}

/// Bulk copies pass the sectors by.
double bytes_moved(const measurement& row) {
  const double bulk = value_of(row, figure::bulk_bytes);
  return counted(row, {counters::load_sectors, counters::store_sectors}) * 32 +
         (std::isnan(bulk) ? 0 : bulk);
}

}  // namespace

std::string_view header_of(figure f) {
  switch (f) {
    case figure::none: return "";
    case figure::time: return "time";
    case figure::launches: return "launches";
    case figure::operator_uses: return "operator\nuses";
    case figure::depth: return "depth";
    case figure::load_requests: return "load\nrequests";
    case figure::sectors_per_request: return "sectors/\nrequest";
    case figure::load_efficiency: return "% load\nefficiency";
    case figure::store_requests: return "store\nrequests";
    case figure::shared_requests: return "shared\nrequests";
    case figure::bank_conflicts: return "bank\nconflicts";
    case figure::branch_uniformity: return "% uniform\nbranches";
    case figure::active_lanes: return "active\nlanes";
    case figure::steps_per_warp: return "steps/\nwarp";
    case figure::barriers: return "barriers";
    case figure::atomics: return "atomics";
    case figure::atomic_sectors: return "atomic\nsectors";
    case figure::atomic_conflicts: return "atomic\nconflicts";
    case figure::bulk_bytes: return "bulk\nbytes";
    case figure::occupancy: return "%\noccupancy";
    case figure::bytes_moved: return "bytes\nmoved";
  }
  return "";
}

std::string name_of(figure f) { return unbroken(header_of(f)); }

double value_of(const measurement& row, figure f) {
  if (!row.skipped.empty()) return none;
  switch (f) {
    case figure::none: return none;
    case figure::time: return median_of(row);
    case figure::launches: return row.launches > 0 ? row.launches : none;
    case figure::operator_uses: return counted(row, {counters::applications});
    case figure::depth: return counted(row, {counters::depth});
    case figure::load_requests: return counted(row, {counters::load_requests});
    case figure::sectors_per_request:
      return counted(row, {counters::load_sectors}) / counted(row, {counters::load_requests});
    case figure::load_efficiency: return counted(row, {counters::load_efficiency});
    case figure::store_requests: return counted(row, {counters::store_requests});
    case figure::shared_requests:
      return counted(row, {counters::shared_load_requests, counters::shared_store_requests});
    case figure::bank_conflicts:
      return counted(row, {counters::shared_load_conflicts, counters::shared_store_conflicts});
    case figure::branch_uniformity: return counted(row, {counters::branch_uniformity});
    case figure::active_lanes: return counted(row, {counters::active_lanes});
    case figure::steps_per_warp: return counted(row, {counters::steps_per_warp});
    case figure::barriers: return counted(row, {counters::barriers});
    case figure::atomics: return counted(row, {counters::global_atomics, counters::shared_atomics});
    case figure::atomic_sectors: return counted(row, {counters::global_atomic_sectors});
    case figure::atomic_conflicts: return counted(row, {counters::shared_atomic_conflicts});
    case figure::bulk_bytes: return counted(row, {counters::bulk_bytes});
    case figure::occupancy: return counted(row, {counters::occupancy});
    case figure::bytes_moved: return bytes_moved(row);
  }
  return none;
}

}  // namespace warpfold::measure
