// Exact order statistics: nth_element, quantiles, median.
//
//   double m = warpfold::median(warpfold::device, values);
//   auto q = warpfold::quantiles(warpfold::host, values, std::array{0.25, 0.5, 0.75});
//
// A device compiler gets only the device's calls; for the host's, also include
// warpfold/host/quantiles.hpp.
#pragma once

#include "warpfold/environment.hpp"
#if WARPFOLD_HAS_DEVICE
#include "warpfold/device/quantiles.cuh"
#include "warpfold/workspace.hpp"
#else
#include "warpfold/host/quantiles.hpp"
#endif
