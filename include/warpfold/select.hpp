// Selections: copy_if, remove_if, indices_if, copy_flagged, partition_copy, unique.
//
//   std::size_t n = warpfold::copy_if(warpfold::device, in, out, is_wanted);
//
// A device compiler gets only the device's calls; for the host's, also include
// warpfold/host/select.hpp.
#pragma once

#include "warpfold/environment.hpp"
#if WARPFOLD_HAS_DEVICE
#include "warpfold/device/select.cuh"
#include "warpfold/workspace.hpp"
#else
#include "warpfold/host/select.hpp"
#endif
