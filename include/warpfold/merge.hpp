// Merges of two sorted ranges: merge, merge_by_key.
//
//   warpfold::merge(warpfold::device, a, b, out);
//   warpfold::merge(warpfold::host, a, b, out, warpfold::descending{});
//
// A device compiler gets only the device's calls; for the host's, also include
// warpfold/host/merge.hpp.
#pragma once

#include "warpfold/environment.hpp"
#if WARPFOLD_HAS_DEVICE
#include "warpfold/device/merge.cuh"
#include "warpfold/workspace.hpp"
#else
#include "warpfold/host/merge.hpp"
#endif
