// Microbenchmarks of a device: what a prediction of kernels' times needs to know of it. None of
// them is a reduction, a scan or a sort: those are what the predictions are held against.
#pragma once

#include <string>
#include <vector>

namespace warpfold::bench {

struct measured_constant {
  std::string name;  // as in data/devices/*.json
  double value = 0;
  double spread = 0;  // between its runs: the quartiles' distance over the median
};

struct device_constants {
  std::string name, driver, toolkit;  // "NVIDIA H100 80GB HBM3", "580.159.04", "CUDA 13.0"
  std::vector<measured_constant> measured;
};

/// Of the first CUDA device; takes some seconds. Throws device_error where there is none, and where
/// it is busy.
device_constants measure_device(double most_spread);

/// Throws device_error, with their names, where the times of microbenchmarks differ by more than
/// this part of them.
void refuse_unsteady(const std::vector<measured_constant>& measured, double most_spread);

}  // namespace warpfold::bench
