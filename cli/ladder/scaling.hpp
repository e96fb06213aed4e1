// warpfold ladder … --scaling: how work and depth grow with n, beside the documents' formulas.
#pragma once

#include <span>
#include <string>

#include "ladder/ladder.hpp"

namespace warpfold::cli {

/// Counts on the CPU machine and prints the tables, or writes them as JSON where a file is named.
/// Returns the exit code: 1 where a result is wrong or a rung's counts are not what its own formula
/// says.
int run_scaling(const ladder::ladder_entry& here, std::span<const ladder::rung* const> rungs,
                std::size_t most, unsigned block, const std::string& json);

}  // namespace warpfold::cli
