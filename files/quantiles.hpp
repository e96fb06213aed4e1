// Exact order statistics of files, without a sort: passes that count.
#pragma once

#include <span>
#include <vector>

#include "data/number_input.hpp"
#include "files/run.hpp"
#include "warpfold/interpolation.hpp"

namespace warpfold::files {

/// The quantiles `q` of all values. NaN counts as the greatest of values. Each pass finds 16 more
/// bits of the wanted values, until those that begin like them fit in the memory. Throws
/// usage_error for a share that is not between 0 and 1 and for a stream, data_error for no values
/// and for values that change meanwhile.
std::vector<double> quantiles_all(data::number_input& in, std::span<const double> q,
                                  interpolation how, const run_options& o);

}  // namespace warpfold::files
