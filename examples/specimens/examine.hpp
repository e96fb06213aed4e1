// Runs a specimen on the CPU machine with all checks.
#pragma once

#include <vector>

#include "examples/specimens/specimens.hpp"
#include "simt/findings.hpp"

namespace warpfold::specimens {

/// What is found when it is run in several orders, and again.
std::vector<simt::finding> examine(const specimen& s, bool mended);

/// The same in one order only.
std::vector<simt::finding> examine(const specimen& s, bool mended, std::uint64_t seed);

}  // namespace warpfold::specimens
