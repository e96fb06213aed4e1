// Prefix sums: inclusive_scan and exclusive_scan.
//
//   warpfold::exclusive_scan(warpfold::host, values, values, 0);
//
// A device compiler gets the device's alone, since oneTBB's headers take it seconds to read: for
// the host's too, include warpfold/host/scan.hpp.
#pragma once

#include "warpfold/environment.hpp"
#if WARPFOLD_HAS_DEVICE
#include "warpfold/device/scan.cuh"
#include "warpfold/workspace.hpp"
#else
#include "warpfold/host/scan.hpp"
#endif
