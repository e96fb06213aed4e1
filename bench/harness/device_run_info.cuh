// What made a benchmark's figures: the device, its driver, CUDA and CUB.
#pragma once

#include <string>

#include <cub/version.cuh>

#include "bench/harness/device_memory.cuh"
#include "measure/driver.hpp"
#include "measure/json.hpp"

namespace warpfold::bench {

inline measure::run_info cuda_run_info() {
  cudaDeviceProp properties{};
  cuda_check(cudaGetDeviceProperties(&properties, 0), "ask for the device's name");
  const auto release = [](int version, int major, int minor) {
    return std::to_string(version / major) + "." + std::to_string(version % major / minor);
  };
  return {.device = properties.name,
          .driver = measure::nvidia_driver(),
          .toolkit = "CUDA " + release(CUDART_VERSION, 1000, 10) + ", CUB " +
                     release(CUB_VERSION, 100000, 100),
          .commit = "",
          .command = ""};
}

}  // namespace warpfold::bench
