// refused: can't keep determinism::gpu_to_gpu
#include "warpfold/host/reduce.hpp"

void refused(std::span<const float> values, std::span<float> out) {
  warpfold::reduce_rows(warpfold::host.with(warpfold::determinism::gpu_to_gpu), values, 2,
                        values.size() / 2, out);
}
