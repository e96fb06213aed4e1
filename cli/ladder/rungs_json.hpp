// What rungs say of themselves, as JSON.
#pragma once

#include <span>

#include "ladder/rung.hpp"
#include "measure/json.hpp"

namespace warpfold::cli {

/// A list; docs/json.md has its keys.
measure::json rungs_json(std::span<const ladder::rung* const> rungs,
                         std::span<const ladder::rung_source> sources);
measure::json rung_json(const ladder::description& about);

}  // namespace warpfold::cli
