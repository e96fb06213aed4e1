// refused: can't keep determinism::gpu_to_gpu
#include "warpfold/host/group.hpp"

void refused(std::span<const int> keys, std::span<const float> values, std::span<int> out_keys,
             std::span<float> out) {
  warpfold::group_by(warpfold::host.with(warpfold::determinism::gpu_to_gpu), keys,
                     warpfold::each_integer{0, 10}, out_keys, warpfold::sum_of(values, out));
}
