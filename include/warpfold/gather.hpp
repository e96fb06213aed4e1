// Values by their indices: gather, scatter.
//
//   warpfold::gather(warpfold::device, values, indices, out);    out[i] = values[indices[i]]
//   warpfold::scatter(warpfold::device, values, indices, out);   out[indices[i]] = values[i]
//
// A device compiler gets only the device's calls; for the host's, also include
// warpfold/host/gather.hpp.
#pragma once

#include "warpfold/environment.hpp"
#if WARPFOLD_HAS_DEVICE
#include "warpfold/device/gather.cuh"
#include "warpfold/workspace.hpp"
#else
#include "warpfold/host/gather.hpp"
#endif
