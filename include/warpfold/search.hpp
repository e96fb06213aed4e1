// Searches: lower_bound, upper_bound, equal_range of many needles among sorted keys; find_if,
// count_if, all_of, any_of, none_of, equal, mismatch, is_sorted, is_sorted_until.
//
//   warpfold::lower_bound(warpfold::device, sorted, needles, indices);
//   const std::size_t i = warpfold::find_if(warpfold::host, values, is_wanted);
//
// A device compiler gets only the device's calls; for the host's, also include
// warpfold/host/search.hpp.
#pragma once

#include "warpfold/environment.hpp"
#if WARPFOLD_HAS_DEVICE
#include "warpfold/device/search.cuh"
#include "warpfold/workspace.hpp"
#else
#include "warpfold/host/search.hpp"
#endif
