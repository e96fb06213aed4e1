// Prefix sums of files.
#pragma once

#include <cstdint>

#include "data/number_input.hpp"
#include "data/output.hpp"
#include "files/reduce.hpp"
#include "files/run.hpp"

namespace warpfold::files {

/// The types that a scan may write, the usual one first: integer sums and products 64 bits wide,
/// all others as they come. Sums and products are accumulated in 64 bits in any case. Throws
/// usage_error for an operation that no scan has.
std::vector<value_type> scan_types(value_type in, reduction op);

/// Writes the prefixes of all elements, as elements of `out`, to `to` from byte `begin` on; returns
/// how many there were.
std::uint64_t scan_all(data::number_input& in, reduction op, bool exclusive, value_type out,
                       data::output& to, std::uint64_t begin, const run_options& o);

}  // namespace warpfold::files
