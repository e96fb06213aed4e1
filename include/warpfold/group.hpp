// Keys in any order: group_by, with several aggregates in one call, and scatter_reduce.
//
//   std::size_t n = warpfold::group_by(warpfold::device, keys, out_keys,
//                                      warpfold::sum_of(values, sums), warpfold::count_of(counts));
//
// A device compiler gets only the device's calls; for the host's, also include
// warpfold/host/group.hpp.
#pragma once

#include "warpfold/environment.hpp"
#if WARPFOLD_HAS_DEVICE
#include "warpfold/device/group.cuh"
#include "warpfold/workspace.hpp"
#else
#include "warpfold/host/group.hpp"
#endif
