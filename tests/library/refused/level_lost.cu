// refused: no viable conversion
#include "warpfold/environment.hpp"

const warpfold::device_execution refused = warpfold::device.with(warpfold::determinism::gpu_to_gpu);
