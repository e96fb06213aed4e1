// warpfold ladder … --scaling: how work and depth grow with n, beside the documents' formulas.
#pragma once

#include <span>

#include "ladder/ladder.hpp"

namespace warpfold::cli {

/// Counts on the CPU machine and prints the tables. Returns the exit code: 1 where a result is
/// wrong or a rung's counts are not what its own formula says.
int run_scaling(const ladder::ladder_entry& here, std::span<const ladder::rung* const> rungs,
                std::size_t most, unsigned block);

}  // namespace warpfold::cli
