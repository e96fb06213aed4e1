// Prefix sums: inclusive_scan and exclusive_scan.
//
//   warpfold::exclusive_scan(warpfold::host, values, values, 0);
//
// A device compiler gets only the device's calls, since it takes seconds to read oneTBB's headers;
// for the host's, also include warpfold/host/scan.hpp.
#pragma once

#include "warpfold/environment.hpp"
#if WARPFOLD_HAS_DEVICE
#include "warpfold/device/scan.cuh"
#include "warpfold/workspace.hpp"
#else
#include "warpfold/host/scan.hpp"
#endif
