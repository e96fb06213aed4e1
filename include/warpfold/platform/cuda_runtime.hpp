// The host side of the seam under nvcc: what the library asks of the CUDA runtime, as statuses.
// Included by platform.hpp only.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <utility>

#include "warpfold/status.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

inline status to_status(cudaError_t error) {
  return error == cudaSuccess ? status{}
                              : status{static_cast<int>(error), cudaGetErrorString(error)};
}

struct device_properties {
  unsigned multiprocessors;
  unsigned capability;  // 90 for 9.0
};

/// Of the current device. Asked once a device, then remembered.
inline device_properties current_device() {
  constexpr int known = 64;
  static std::atomic<unsigned> cache[known];
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return {1, 0};
  unsigned packed = device < known ? cache[device].load(std::memory_order_relaxed) : 0;
  if (packed == 0) {
    int count = 1, major = 0, minor = 0;
    cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    packed = static_cast<unsigned>(count) << 16 | static_cast<unsigned>(major * 10 + minor);
    if (device < known) cache[device].store(packed, std::memory_order_relaxed);
  }
  return {packed >> 16, packed & 0xffff};
}

/// Puts `kernel(args...)` into the stream.
template <class... Parameters, class... Args>
status try_launch(const launch_config& c, void (*kernel)(Parameters...), Args&&... args) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(c.grid);
  config.blockDim = dim3(c.block);
  config.dynamicSmemBytes = c.shared_bytes;
  config.stream = c.stream;
  cudaLaunchAttribute attributes[2]{};
  config.attrs = attributes;
  if (c.cluster > 1) {
    cudaLaunchAttribute& cluster = attributes[config.numAttrs++];
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {c.cluster, 1, 1};
  }
  if (c.early && current_device().capability >= 90) {
    cudaLaunchAttribute& early = attributes[config.numAttrs++];
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
  }
  if (c.shared_bytes > 32 * 1024) {  // with the kernel's own shared memory it may pass 48 KiB
    const cudaError_t raised = cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                                    cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                    static_cast<int>(c.shared_bytes));
    if (raised != cudaSuccess) return to_status(raised);
  }
  return to_status(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(args)...));
}

/// The same; throws device_error when the launch is refused.
template <class... Parameters, class... Args>
void launch(const launch_config& c, void (*kernel)(Parameters...), Args&&... args) {
  try_launch(c, kernel, std::forward<Args>(args)...)
      .throw_if_failed("launch of " + std::to_string(c.grid) + " blocks of " +
                       std::to_string(c.block) + " threads");
}

/// Stream-ordered memory; capturable in a graph.
inline status allocate_async(void** p, std::size_t bytes, stream_type stream) {
  return to_status(cudaMallocAsync(p, bytes, stream));
}
inline status free_async(void* p, stream_type stream) {
  return to_status(cudaFreeAsync(p, stream));
}
inline status zero_async(void* p, std::size_t bytes, stream_type stream) {
  return to_status(cudaMemsetAsync(p, 0, bytes, stream));
}
/// In any direction between host and device.
inline status copy_async(void* to, const void* from, std::size_t bytes, stream_type stream) {
  return to_status(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream));
}
inline status wait_for(stream_type stream) { return to_status(cudaStreamSynchronize(stream)); }

}  // namespace warpfold::inline WARPFOLD_MACHINE
