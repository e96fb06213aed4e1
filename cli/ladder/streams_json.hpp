// What the JSON of the streams ladder has besides measurements.
#pragma once

#include <span>

#include "ladder/streams/run.hpp"
#include "measure/json.hpp"

namespace warpfold::cli {

/// `rungs`, `speeds` and `timelines`; docs/json.md has their keys.
measure::json streams_json(const ladder::streams_result& found,
                           std::span<const ladder::streams_rung* const> rungs);

}  // namespace warpfold::cli
