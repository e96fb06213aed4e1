// What the workers of a launch counted, added up for the scope that observes it.
#pragma once

#include <memory>
#include <span>

#include "simt/launch.hpp"
#include "simt/src/count/trace.hpp"

namespace simt::detail {

/// Adds what the launch counted to `scope`; `sum` is what is counted without a tracer too.
void enter_counts(const grid& g, counters sum, std::span<const std::unique_ptr<tracer>> tracers,
                  observe& scope);

}  // namespace simt::detail
