// CUB's own algorithms, put as rungs so that the ladders measure and check them like the rest.
#pragma once

#include <span>
#include <string_view>

#include "ladder/rung.hpp"

namespace warpfold::ladder {

/// The rows that CUB has on "reduce", "scan" or "sort".
std::span<const rung* const> cub_references(std::string_view ladder);

}  // namespace warpfold::ladder
