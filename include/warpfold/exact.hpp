// Exact sums: exact_sum, exact_mean, exact_dot, exact_accumulate, and exact_accumulator.
//
//   float sum = warpfold::exact_sum(warpfold::host, values);    // rounded once, whatever the order
//   float sum = warpfold::exact_sum(warpfold::device, values);  // the same bits
//
// As with reduce.hpp, a device compiler gets only the device's calls; for the host's, also include
// warpfold/host/exact.hpp.
#pragma once

#include "warpfold/environment.hpp"
#include "warpfold/exact/accumulator.hpp"
#if WARPFOLD_HAS_DEVICE
#include "warpfold/device/exact.cuh"
#else
#include "warpfold/host/exact.hpp"
#endif
