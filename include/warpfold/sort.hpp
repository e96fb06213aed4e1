// Sorting: sort, sort_by_key, stable_sort, stable_sort_by_key.
//
//   warpfold::sort(warpfold::host, keys);
//   warpfold::sort_by_key(warpfold::host, keys, values, warpfold::descending{});
#pragma once

#include "warpfold/environment.hpp"
#if !WARPFOLD_HAS_DEVICE
#include "warpfold/host/sort.hpp"
#endif
