// refused: can't keep determinism::gpu_to_gpu
#include "warpfold/reduce.hpp"

auto refused(std::span<const float> values, std::span<float> out) {
  return warpfold::reduce_rows(warpfold::device.with(warpfold::determinism::gpu_to_gpu), values, 2,
                               values.size() / 2, out);
}
