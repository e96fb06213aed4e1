// Sorts of segments.
//
//   warpfold::segmented_sort(warpfold::device, keys, offsets);
//
// A device compiler gets only the device's calls; for the host's, also include
// warpfold/host/segmented_sort.hpp.
#pragma once

#include "warpfold/environment.hpp"
#if WARPFOLD_HAS_DEVICE
#include "warpfold/device/segmented_sort.cuh"
#include "warpfold/workspace.hpp"
#else
#include "warpfold/host/segmented_sort.hpp"
#endif
