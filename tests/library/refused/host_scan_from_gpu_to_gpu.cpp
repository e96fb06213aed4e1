// refused: can't keep determinism::gpu_to_gpu
#include "warpfold/host/scan.hpp"

void refused(std::span<const float> values, std::span<float> out) {
  warpfold::inclusive_scan(warpfold::host.with(warpfold::determinism::gpu_to_gpu), values, out);
}
