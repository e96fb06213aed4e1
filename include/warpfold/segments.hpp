// Reductions and scans of segments.
//
//   warpfold::segmented_reduce(warpfold::device, values, offsets, sums);
//
// A device compiler gets the device's alone: for the host's too, include
// warpfold/host/segments.hpp.
#pragma once

#include "warpfold/environment.hpp"
#if WARPFOLD_HAS_DEVICE
#include "warpfold/device/segments.cuh"
#include "warpfold/workspace.hpp"
#else
#include "warpfold/host/segments.hpp"
#endif
