// Findings about host code and the device's memory: what touches it, and what does not free it.
#pragma once

#include <cstdint>
#include <vector>

#include "simt/findings.hpp"

namespace simt::detail {

/// What host_guard has noted since this was asked last.
std::vector<finding> findings_of_touches();

/// Memory that CUDA's calls allocated after so many of them, and nobody has freed.
std::vector<finding> findings_of_unfreed(std::uint64_t allocations);

}  // namespace simt::detail
