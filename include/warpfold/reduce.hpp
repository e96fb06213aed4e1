// Reductions: reduce, transform_reduce, min, max, and what else reduces many values into one.
//
//   int sum = warpfold::reduce(warpfold::host, values);
//   int sum = warpfold::reduce(warpfold::device, values);
//   warpfold::reduce_into(warpfold::device.on(stream).with(memory), values, out).throw_if_failed();
//
// A device compiler gets the device's alone, since oneTBB's headers take it seconds to read: for
// the host's too, include warpfold/host/reduce.hpp.
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
