// The first values of a file in the order of a sort, and where they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/number_input.hpp"
#include "files/run.hpp"

namespace warpfold::files {

struct first_values {
  std::vector<std::byte> values;       // of the file's type
  std::vector<std::uint64_t> indices;  // of each
};

/// The k largest values, or the smallest, in that order; equal values by their indices. NaN is the
/// largest. Reads once. Throws usage_error for no k, fewer than k values, and more than the memory
/// holds.
first_values first_all(data::number_input& in, std::uint64_t k, bool smallest,
                       const run_options& o);

}  // namespace warpfold::files
