// Runs of equal keys: reduce_by_key, scans by key, unique_by_key, run_length_encode.
//
//   std::size_t n = warpfold::reduce_by_key(warpfold::device, keys, values, out_keys, out_values);
//
// A device compiler gets only the device's calls; for the host's, also include
// warpfold/host/keys.hpp.
#pragma once

#include "warpfold/environment.hpp"
#if WARPFOLD_HAS_DEVICE
#include "warpfold/device/keys.cuh"
#include "warpfold/workspace.hpp"
#else
#include "warpfold/host/keys.hpp"
#endif
