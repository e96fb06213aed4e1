// Reductions: reduce, transform_reduce, min, max, and other calls that reduce many values to one.
//
//   int sum = warpfold::reduce(warpfold::host, values);
//   int sum = warpfold::reduce(warpfold::device, values);
//   warpfold::reduce_into(warpfold::device.on(stream).with(memory), values, out).throw_if_failed();
//
// A device compiler gets only the device's calls, since it takes seconds to read oneTBB's headers;
// for the host's, also include warpfold/host/reduce.hpp.
#pragma once

#include "warpfold/environment.hpp"
#if WARPFOLD_HAS_DEVICE
#include "warpfold/device/exact.cuh"
#include "warpfold/device/reduce.cuh"
#include "warpfold/device/reduce/rows.cuh"
#include "warpfold/workspace.hpp"
#else
#include "warpfold/host/reduce.hpp"
#endif
