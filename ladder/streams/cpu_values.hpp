// Sums on the host: those that a rung computes next to the device, and the last few values.
#pragma once

#include <cstddef>
#include <span>

#include "ladder/reference/reduce.hpp"

namespace warpfold::ladder::streams_ladder {

/// Adds `count` values to the value at `sum`; integers wrap, floating-point ones go in f64 first.
void add_on_host(value_type type, const void* values, std::size_t count, void* sum);

/// What these values of the type come to.
scalar sum_of(value_type type, std::span<const std::byte> values);

}  // namespace warpfold::ladder::streams_ladder
