// Set operations on two sorted ranges: set_union, set_intersection, set_difference,
// set_symmetric_difference.
//
//   const std::size_t n = warpfold::set_union(warpfold::device, a, b, out);
//
// A device compiler gets only the device's calls; for the host's, also include
// warpfold/host/sets.hpp.
#pragma once

#include "warpfold/environment.hpp"
#if WARPFOLD_HAS_DEVICE
#include "warpfold/device/sets.cuh"
#include "warpfold/workspace.hpp"
#else
#include "warpfold/host/sets.hpp"
#endif
