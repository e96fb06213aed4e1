// The device of CUDA's runtime: there is one.
#include "simt/src/run/device.hpp"

#include <algorithm>
#include <cstring>

#include "simt/memory.hpp"
#include "simt/src/run/model.hpp"
#include "simt/src/runtime/state.hpp"

namespace {

using simt::detail::remember;

cudaError_t check_device(const char* call, int device) {
  if (device == 0) return cudaSuccess;
  return remember(cudaErrorInvalidDevice, call,
                  "device " + std::to_string(device) + "; the CPU machine is device 0, alone");
}

constexpr int version = CUDART_VERSION;

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return simt::detail::sticky_error();
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return simt::detail::sticky_error();
}
cudaError_t cudaSetDevice(int device) { return check_device("cudaSetDevice", device); }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (const cudaError_t e = check_device("cudaGetDeviceProperties", device); e != cudaSuccess) {
    return e;
  }
  const simt::detail::device_shape& d = simt::detail::the_device();
  cudaDeviceProp& p = *properties;
  p = {};
  std::strcpy(p.name, "warpfold CPU machine");
  p.totalGlobalMem = simt::all_memory();
  p.sharedMemPerBlock = std::size_t{48} * 1024;
  p.sharedMemPerBlockOptin = d.shared_per_block;
  p.sharedMemPerMultiprocessor = d.shared_per_processor;
  p.totalConstMem = std::size_t{64} * 1024;
  p.warpSize = static_cast<int>(simt::detail::warp_size);
  p.maxThreadsPerBlock = static_cast<int>(simt::detail::max_threads_per_block);
  std::copy_n(std::begin({1024, 1024, 64}), 3, p.maxThreadsDim);
  std::copy_n(std::begin({2147483647, 65535, 65535}), 3, p.maxGridSize);
  p.major = d.major;
  p.minor = d.minor;
  p.multiProcessorCount = d.processors;
  p.regsPerBlock = p.regsPerMultiprocessor = 65536;
  p.l2CacheSize = static_cast<int>(d.cache_bytes);
  p.memoryBusWidth = d.bus_bits;
  p.asyncEngineCount = 3;
  p.maxThreadsPerMultiProcessor = d.threads_per_processor;
  p.maxBlocksPerMultiProcessor = d.blocks_per_processor;
  p.integrated = p.canMapHostMemory = p.unifiedAddressing = p.managedMemory = 1;
  p.concurrentKernels = p.cooperativeLaunch = 1;
  return simt::detail::sticky_error();
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  cudaDeviceProp p{};
  if (const cudaError_t e = cudaGetDeviceProperties(&p, device); e != cudaSuccess) return e;
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock: *value = p.maxThreadsPerBlock; break;
    case cudaDevAttrMaxBlockDimX: *value = p.maxThreadsDim[0]; break;
    case cudaDevAttrMaxBlockDimY: *value = p.maxThreadsDim[1]; break;
    case cudaDevAttrMaxBlockDimZ: *value = p.maxThreadsDim[2]; break;
    case cudaDevAttrMaxGridDimX: *value = p.maxGridSize[0]; break;
    case cudaDevAttrMaxGridDimY: *value = p.maxGridSize[1]; break;
    case cudaDevAttrMaxGridDimZ: *value = p.maxGridSize[2]; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = static_cast<int>(p.sharedMemPerBlock); break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = static_cast<int>(p.sharedMemPerBlockOptin);
      break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      *value = static_cast<int>(p.sharedMemPerMultiprocessor);
      break;
    case cudaDevAttrTotalConstantMemory: *value = static_cast<int>(p.totalConstMem); break;
    case cudaDevAttrMaxRegistersPerBlock: *value = p.regsPerBlock; break;
    case cudaDevAttrL2CacheSize: *value = p.l2CacheSize; break;
    case cudaDevAttrWarpSize: *value = p.warpSize; break;
    case cudaDevAttrMultiProcessorCount: *value = p.multiProcessorCount; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = p.maxThreadsPerMultiProcessor; break;
    case cudaDevAttrMaxBlocksPerMultiprocessor: *value = p.maxBlocksPerMultiProcessor; break;
    case cudaDevAttrComputeCapabilityMajor: *value = p.major; break;
    case cudaDevAttrComputeCapabilityMinor: *value = p.minor; break;
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrCooperativeLaunch: *value = 1; break;
    default:
      return remember(cudaErrorInvalidValue, "cudaDeviceGetAttribute",
                      "attribute " + std::to_string(attribute) + " isn't known here");
  }
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  *can = 0;
  return simt::detail::sticky_error();
}
cudaError_t cudaDeviceReset() {
  simt::detail::free_all_memory();
  simt::detail::forget_errors();
  return cudaSuccess;
}
cudaError_t cudaSetDeviceFlags(unsigned) { return simt::detail::sticky_error(); }
cudaError_t cudaRuntimeGetVersion(int* value) {
  *value = version;
  return simt::detail::sticky_error();
}
cudaError_t cudaDriverGetVersion(int* value) { return cudaRuntimeGetVersion(value); }
