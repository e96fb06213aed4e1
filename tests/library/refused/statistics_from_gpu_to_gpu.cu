// refused: can't keep determinism::gpu_to_gpu
#include "warpfold/reduce.hpp"

auto refused(std::span<const float> values) {
  return warpfold::statistics(warpfold::device.with(warpfold::determinism::gpu_to_gpu), values);
}
