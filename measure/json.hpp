// Measurements as JSON, and back. Keys keep the order of the record; NaN and infinities, which
// JSON can't hold, are null (and read as NaN). Durations are in microseconds.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "measure/measurement.hpp"

namespace warpfold::measure {

using json = nlohmann::ordered_json;

/// Where and how the measurements were taken; what is empty is left out of the document.
struct run_info {
  std::string device, driver, toolkit, commit, command;
};

/// "right" is true, false, or null for a rung that was skipped.
json to_json(const measurement& row);

/// Throws data_error where a key that it needs is missing or one holds another type; unknown keys
/// are ignored. What stored results leave out is empty, or the run's.
measurement from_json(const json& j);

/// {"schema": 2, "run": {...}, "measurements": [...]}, one measurement a line; behind them the keys
/// of `more`.
std::string json_document(std::span<const measurement> rows, const run_info& run,
                          const json& more = json::object());

struct document {
  run_info run;
  std::vector<measurement> measurements;
};

/// Reads what json_document wrote; throws data_error for anything else.
document parse_json_document(std::string_view text);

}  // namespace warpfold::measure
