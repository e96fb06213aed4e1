// Sorting: sort, sort_by_key, stable_sort, stable_sort_by_key.
//
//   warpfold::sort(warpfold::host, keys);
//   warpfold::sort_by_key(warpfold::host, keys, values, warpfold::descending{});
//
// A device compiler gets only the device's calls; for the host's, also include
// warpfold/host/sort.hpp.
#pragma once

#include "warpfold/environment.hpp"
#if WARPFOLD_HAS_DEVICE
#include "warpfold/device/sort.cuh"
#include "warpfold/workspace.hpp"
#else
#include "warpfold/host/sort.hpp"
#endif
