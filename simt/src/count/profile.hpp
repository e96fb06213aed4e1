// What the workers of a launch counted, as predictions of its time take it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>

#include "simt/launch.hpp"
#include "simt/src/count/trace.hpp"

namespace simt::detail {

/// Adds the launch to the profile of its kernel and shape.
void enter_profile(const grid& g, const counters& sum,
                   const std::map<std::uint32_t, branch_stat>& branches,
                   std::span<const std::unique_ptr<tracer>> tracers, observe& scope);

}  // namespace simt::detail
