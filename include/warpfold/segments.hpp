// Reductions and scans of segments.
//
//   warpfold::segmented_reduce(warpfold::device, values, offsets, sums);
//
// A device compiler gets only the device's calls; for the host's, also include
// warpfold/host/segments.hpp.
#pragma once

#include "warpfold/environment.hpp"
#if WARPFOLD_HAS_DEVICE
#include "warpfold/device/segments.cuh"
#include "warpfold/workspace.hpp"
#else
#include "warpfold/host/segments.hpp"
#endif
