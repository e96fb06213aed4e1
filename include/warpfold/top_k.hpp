// The first k of many keys: top_k, top_k_by_key, argtop_k, and the same of each row of a matrix.
//
//   warpfold::top_k(warpfold::device, scores, 100, best);                        the largest
//   warpfold::top_k(warpfold::host, scores, 100, best, warpfold::ascending{});   the smallest
//
// A device compiler gets only the device's calls; for the host's, also include
// warpfold/host/top_k.hpp.
#pragma once

#include "warpfold/environment.hpp"
#if WARPFOLD_HAS_DEVICE
#include "warpfold/device/top_k.cuh"
#include "warpfold/workspace.hpp"
#else
#include "warpfold/host/top_k.hpp"
#endif
