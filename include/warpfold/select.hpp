// Selections: copy_if, remove_if, indices_if, copy_flagged, partition_copy, unique.
//
//   std::size_t n = warpfold::copy_if(warpfold::device, in, out, is_wanted);
//
// A device compiler gets the device's alone: for the host's too, include warpfold/host/select.hpp.
#pragma once

#include "warpfold/environment.hpp"
#if WARPFOLD_HAS_DEVICE
#include "warpfold/device/select.cuh"
#include "warpfold/workspace.hpp"
#else
#include "warpfold/host/select.hpp"
#endif
