// Prefix sums: inclusive_scan and exclusive_scan, std's argument order after the place to run.
//
//   warpfold::exclusive_scan(warpfold::host, values, values, 0);
#pragma once

#include "warpfold/host/scan.hpp"
