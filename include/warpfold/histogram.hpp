// Histograms: histogram, weighted_histogram, histogram_2d, histogram_channels, bincount.
//
//   warpfold::histogram(warpfold::device, values, warpfold::even_bins{0.0F, 1.0F, 100}, counts)
//
// A device compiler gets only the device's calls; for the host's, also include
// warpfold/host/histogram.hpp.
#pragma once

#include "warpfold/environment.hpp"
#if WARPFOLD_HAS_DEVICE
#include "warpfold/device/histogram.cuh"
#include "warpfold/workspace.hpp"
#else
#include "warpfold/host/histogram.hpp"
#endif
