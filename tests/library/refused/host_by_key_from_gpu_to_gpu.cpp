// refused: can't keep determinism::gpu_to_gpu
#include "warpfold/host/keys.hpp"

void refused(std::span<const int> keys, std::span<const float> values, std::span<int> out_keys,
             std::span<float> out) {
  warpfold::reduce_by_key(warpfold::host.with(warpfold::determinism::gpu_to_gpu), keys, values,
                          out_keys, out);
}
