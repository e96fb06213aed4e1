// CUB's own algorithms, put as rungs so that the ladders measure and check them like the rest.
#pragma once

#include <span>

#include "ladder/kind.hpp"
#include "ladder/rung.hpp"

namespace warpfold::ladder {

/// The rows that CUB has on this ladder.
std::span<const rung* const> cub_references(ladder_kind ladder);

}  // namespace warpfold::ladder
