// Sorting: sort, sort_by_key, stable_sort, stable_sort_by_key.
//
//   warpfold::sort(warpfold::host, keys);
//   warpfold::sort_by_key(warpfold::host, keys, values, warpfold::descending{});
#pragma once

#include "warpfold/host/sort.hpp"
