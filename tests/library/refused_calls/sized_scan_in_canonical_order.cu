// refused: at determinism::gpu_to_gpu this call needs the number of values on the host
#include <cstddef>
#include <span>

#include "warpfold/scan.hpp"

void run(std::span<const float> in, std::span<float> out, const std::size_t* size) {
  (void)warpfold::inclusive_scan(warpfold::device.with(warpfold::determinism::gpu_to_gpu),
                                 warpfold::device_sized(in, size), out);
}
