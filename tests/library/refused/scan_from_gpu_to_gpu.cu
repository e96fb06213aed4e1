// refused: can't keep determinism::gpu_to_gpu
#include "warpfold/scan.hpp"

auto refused(std::span<const double> values, std::span<double> out) {
  return warpfold::exclusive_scan(warpfold::device.with(warpfold::determinism::gpu_to_gpu), values,
                                  out, 0.0);
}
