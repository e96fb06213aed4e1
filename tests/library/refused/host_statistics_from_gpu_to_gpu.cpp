// refused: can't keep determinism::gpu_to_gpu
#include "warpfold/host/statistics.hpp"

auto refused(std::span<const float> values) {
  return warpfold::statistics(warpfold::host.with(warpfold::determinism::gpu_to_gpu), values);
}
