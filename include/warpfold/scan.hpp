// Prefix sums: inclusive_scan and exclusive_scan.
#pragma once

#include "warpfold/environment.hpp"
#if WARPFOLD_HAS_DEVICE
#include "warpfold/device/scan_calls.cuh"
#endif
