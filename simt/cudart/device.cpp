// The devices of CUDA's runtime: one, or as many as SIMT_DEVICES says, all of one shape.
#include "simt/src/run/device.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>
#include <utility>

#include "simt/cudart/state.hpp"
#include "simt/memory.hpp"
#include "simt/src/run/heap.hpp"
#include "simt/src/run/machine.hpp"
#include "simt/src/run/model.hpp"
#include "simt/src/settings.hpp"

namespace {

using simt::detail::current_device;
using simt::detail::remember;
using simt::detail::sticky_error;

std::mutex peers_mutex;
std::set<std::pair<int, int>> peers;  // who may access whose memory

int count_of_devices() { return static_cast<int>(simt::detail::the_settings().devices); }

cudaError_t check_device(const char* call, int device) {
  if (device >= 0 && device < count_of_devices()) return cudaSuccess;
  return remember(cudaErrorInvalidDevice, call,
                  "device " + std::to_string(device) + "; there " +
                      (count_of_devices() == 1 ? "is only device 0; set SIMT_DEVICES=2 for two"
                                               : "are " + std::to_string(count_of_devices())));
}

constexpr int version = CUDART_VERSION;

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) {
  *count = count_of_devices();
  return sticky_error();
}
cudaError_t cudaGetDevice(int* device) {
  *device = current_device();
  return sticky_error();
}
cudaError_t cudaSetDevice(int device) {
  if (const cudaError_t e = check_device("cudaSetDevice", device); e != cudaSuccess) return e;
  simt::detail::set_current_device(device);
  return sticky_error();
}
cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  return check_device("cudaInitDevice", device);
}
cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long,
                                    cudaDriverEntryPointQueryResult* result) {
  *function = nullptr;
  if (result != nullptr) *result = cudaDriverEntryPointSymbolNotFound;
  return remember(cudaErrorNotSupported, "cudaGetDriverEntryPoint",
                  std::string(name) + " belongs to the driver API, which the CPU machine lacks");
}
cudaError_t cudaSetValidDevices(int*, int) { return sticky_error(); }
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) {
  *device = 0;
  return sticky_error();
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (const cudaError_t e = check_device("cudaGetDeviceProperties", device); e != cudaSuccess) {
    return e;
  }
  const simt::device_shape& d = simt::the_device();
  cudaDeviceProp& p = *properties;
  p = {};
  std::strcpy(p.name, "warpfold CPU machine");
  std::snprintf(p.uuid.bytes, sizeof p.uuid.bytes, "warpfold %d", device);
  p.totalGlobalMem = simt::all_memory();
  p.sharedMemPerBlock = simt::detail::shared_by_default;
  p.sharedMemPerBlockOptin = d.shared_per_block;
  p.sharedMemPerMultiprocessor = d.shared_per_processor;
  p.reservedSharedMemPerBlock = d.shared_of_system;
  p.totalConstMem = std::size_t{64} * 1024;
  p.memPitch = 2147483647;
  p.warpSize = static_cast<int>(simt::detail::warp_size);
  p.maxThreadsPerBlock = static_cast<int>(simt::detail::max_threads_per_block);
  std::copy_n(std::begin({1024, 1024, 64}), 3, p.maxThreadsDim);
  std::copy_n(std::begin({2147483647, 65535, 65535}), 3, p.maxGridSize);
  p.major = static_cast<int>(d.capability / 10);
  p.minor = static_cast<int>(d.capability % 10);
  p.multiProcessorCount = static_cast<int>(d.processors);
  p.regsPerBlock = p.regsPerMultiprocessor = static_cast<int>(d.registers_per_processor);
  p.l2CacheSize = static_cast<int>(d.cache_bytes);
  p.memoryBusWidth = static_cast<int>(d.bus_bits);
  p.clockRate = 1000000;  // of clock64, which counts nanoseconds
  p.memoryClockRate = 1000000;
  p.asyncEngineCount = 3;
  p.deviceOverlap = 1;
  p.maxThreadsPerMultiProcessor = static_cast<int>(d.threads_per_processor);
  p.maxBlocksPerMultiProcessor = static_cast<int>(d.blocks_per_processor);
  p.textureAlignment = p.surfaceAlignment = 512;
  p.texturePitchAlignment = 32;
  p.maxTexture1D = p.maxSurface1D = p.maxTexture2D[0] = p.maxSurface2D[0] = 131072;
  p.maxTexture2D[1] = p.maxSurface2D[1] = 65536;
  std::fill_n(p.maxTexture3D, 3, 16384);
  std::fill_n(p.maxSurface3D, 3, 16384);
  p.maxTexture1DLinear = 268435456;
  std::copy_n(std::begin({131072, 65000, 2097120}), 3, p.maxTexture2DLinear);
  std::fill_n(p.maxTexture2DGather, 2, 32768);
  std::fill_n(p.maxTexture2DMipmap, 2, 32768);
  p.maxTextureCubemap = p.maxSurfaceCubemap = p.maxTexture1DMipmap = 32768;
  std::copy_n(std::begin({32768, 2048}), 2, p.maxTexture1DLayered);
  std::copy_n(std::begin({32768, 32768, 2048}), 3, p.maxTexture2DLayered);
  std::copy_n(std::begin({32768, 2046}), 2, p.maxTextureCubemapLayered);
  if (d.capability >= 80) {
    p.persistingL2CacheMaxSize = static_cast<int>(d.cache_bytes * 5 / 8);
    p.accessPolicyMaxWindowSize = 128 << 20;
  }
  p.singleToDoublePrecisionPerfRatio = 2;
  p.pciBusID = device + 1;
  p.canMapHostMemory = p.unifiedAddressing = p.managedMemory = 1;
  p.concurrentKernels = p.cooperativeLaunch = p.concurrentManagedAccess = 1;
  p.streamPrioritiesSupported = p.globalL1CacheSupported = p.localL1CacheSupported = 1;
  p.hostRegisterSupported = p.canUseHostPointerForRegisteredMem = p.memoryPoolsSupported = 1;
  p.hostNativeAtomicSupported = p.computePreemptionSupported = 1;
  p.integrated = count_of_devices() == 1 ? 1 : 0;  // its memory is the host's
  p.clusterLaunch = d.is_9_0() ? 1 : 0;
  return sticky_error();
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  cudaDeviceProp p{};
  if (const cudaError_t e = cudaGetDeviceProperties(&p, device); e != cudaSuccess) return e;
  const std::pair<cudaDeviceAttr, long long> known[] = {
      {cudaDevAttrMaxThreadsPerBlock, p.maxThreadsPerBlock},
      {cudaDevAttrMaxBlockDimX, p.maxThreadsDim[0]},
      {cudaDevAttrMaxBlockDimY, p.maxThreadsDim[1]},
      {cudaDevAttrMaxBlockDimZ, p.maxThreadsDim[2]},
      {cudaDevAttrMaxGridDimX, p.maxGridSize[0]},
      {cudaDevAttrMaxGridDimY, p.maxGridSize[1]},
      {cudaDevAttrMaxGridDimZ, p.maxGridSize[2]},
      {cudaDevAttrMaxSharedMemoryPerBlock, p.sharedMemPerBlock},
      {cudaDevAttrTotalConstantMemory, p.totalConstMem},
      {cudaDevAttrWarpSize, p.warpSize},
      {cudaDevAttrMaxPitch, p.memPitch},
      {cudaDevAttrMaxRegistersPerBlock, p.regsPerBlock},
      {cudaDevAttrClockRate, p.clockRate},
      {cudaDevAttrTextureAlignment, p.textureAlignment},
      {cudaDevAttrGpuOverlap, p.deviceOverlap},
      {cudaDevAttrMultiProcessorCount, p.multiProcessorCount},
      {cudaDevAttrKernelExecTimeout, p.kernelExecTimeoutEnabled},
      {cudaDevAttrIntegrated, p.integrated},
      {cudaDevAttrCanMapHostMemory, p.canMapHostMemory},
      {cudaDevAttrComputeMode, p.computeMode},
      {cudaDevAttrMaxTexture1DWidth, p.maxTexture1D},
      {cudaDevAttrMaxTexture2DWidth, p.maxTexture2D[0]},
      {cudaDevAttrMaxTexture2DHeight, p.maxTexture2D[1]},
      {cudaDevAttrMaxTexture3DWidth, p.maxTexture3D[0]},
      {cudaDevAttrMaxTexture3DHeight, p.maxTexture3D[1]},
      {cudaDevAttrMaxTexture3DDepth, p.maxTexture3D[2]},
      {cudaDevAttrMaxTexture2DLayeredWidth, p.maxTexture2DLayered[0]},
      {cudaDevAttrMaxTexture2DLayeredHeight, p.maxTexture2DLayered[1]},
      {cudaDevAttrMaxTexture2DLayeredLayers, p.maxTexture2DLayered[2]},
      {cudaDevAttrSurfaceAlignment, p.surfaceAlignment},
      {cudaDevAttrConcurrentKernels, p.concurrentKernels},
      {cudaDevAttrEccEnabled, p.ECCEnabled},
      {cudaDevAttrPciBusId, p.pciBusID},
      {cudaDevAttrPciDeviceId, p.pciDeviceID},
      {cudaDevAttrPciDomainId, p.pciDomainID},
      {cudaDevAttrTccDriver, p.tccDriver},
      {cudaDevAttrMemoryClockRate, p.memoryClockRate},
      {cudaDevAttrGlobalMemoryBusWidth, p.memoryBusWidth},
      {cudaDevAttrL2CacheSize, p.l2CacheSize},
      {cudaDevAttrMaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor},
      {cudaDevAttrAsyncEngineCount, p.asyncEngineCount},
      {cudaDevAttrUnifiedAddressing, p.unifiedAddressing},
      {cudaDevAttrMaxTexture1DLayeredWidth, p.maxTexture1DLayered[0]},
      {cudaDevAttrMaxTexture1DLayeredLayers, p.maxTexture1DLayered[1]},
      {cudaDevAttrTexturePitchAlignment, p.texturePitchAlignment},
      {cudaDevAttrStreamPrioritiesSupported, p.streamPrioritiesSupported},
      {cudaDevAttrGlobalL1CacheSupported, p.globalL1CacheSupported},
      {cudaDevAttrLocalL1CacheSupported, p.localL1CacheSupported},
      {cudaDevAttrMaxSharedMemoryPerMultiprocessor, p.sharedMemPerMultiprocessor},
      {cudaDevAttrMaxRegistersPerMultiprocessor, p.regsPerMultiprocessor},
      {cudaDevAttrComputeCapabilityMajor, p.major},
      {cudaDevAttrComputeCapabilityMinor, p.minor},
      {cudaDevAttrManagedMemory, p.managedMemory},
      {cudaDevAttrIsMultiGpuBoard, p.isMultiGpuBoard},
      {cudaDevAttrMultiGpuBoardGroupID, p.multiGpuBoardGroupID},
      {cudaDevAttrHostNativeAtomicSupported, p.hostNativeAtomicSupported},
      {cudaDevAttrSingleToDoublePrecisionPerfRatio, p.singleToDoublePrecisionPerfRatio},
      {cudaDevAttrPageableMemoryAccess, p.pageableMemoryAccess},
      {cudaDevAttrConcurrentManagedAccess, p.concurrentManagedAccess},
      {cudaDevAttrComputePreemptionSupported, p.computePreemptionSupported},
      {cudaDevAttrCanUseHostPointerForRegisteredMem, p.canUseHostPointerForRegisteredMem},
      {cudaDevAttrCooperativeLaunch, p.cooperativeLaunch},
      {cudaDevAttrCooperativeMultiDeviceLaunch, p.cooperativeMultiDeviceLaunch},
      {cudaDevAttrMaxSharedMemoryPerBlockOptin, p.sharedMemPerBlockOptin},
      {cudaDevAttrCanFlushRemoteWrites, 0},
      {cudaDevAttrHostRegisterSupported, p.hostRegisterSupported},
      {cudaDevAttrPageableMemoryAccessUsesHostPageTables, p.pageableMemoryAccessUsesHostPageTables},
      {cudaDevAttrDirectManagedMemAccessFromHost, p.directManagedMemAccessFromHost},
      {cudaDevAttrMaxBlocksPerMultiprocessor, p.maxBlocksPerMultiProcessor},
      {cudaDevAttrMaxPersistingL2CacheSize, p.persistingL2CacheMaxSize},
      {cudaDevAttrMaxAccessPolicyWindowSize, p.accessPolicyMaxWindowSize},
      {cudaDevAttrReservedSharedMemoryPerBlock, p.reservedSharedMemPerBlock},
      {cudaDevAttrSparseCudaArraySupported, 0},
      {cudaDevAttrHostRegisterReadOnlySupported, 0},
      {cudaDevAttrTimelineSemaphoreInteropSupported, 0},
      {cudaDevAttrMemoryPoolsSupported, p.memoryPoolsSupported},
      {cudaDevAttrGPUDirectRDMASupported, 0},
      {cudaDevAttrMemoryPoolSupportedHandleTypes, 0},
      {cudaDevAttrClusterLaunch, p.clusterLaunch},
      {cudaDevAttrIpcEventSupport, 0},
  };
  const auto* const found = std::find_if(std::begin(known), std::end(known),
                                         [&](const auto& k) { return k.first == attribute; });
  if (found == std::end(known)) {
    return remember(cudaErrorInvalidValue, "cudaDeviceGetAttribute",
                    "attribute " + std::to_string(attribute) + " is unknown here");
  }
  *value = static_cast<int>(found->second);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device) {
  if (const cudaError_t e = check_device("cudaDeviceGetPCIBusId", device); e != cudaSuccess) {
    return e;
  }
  std::snprintf(id, static_cast<std::size_t>(length), "0000:%02x:00.0", device + 1);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id) {
  unsigned domain = 0, bus = 0;
  if (std::sscanf(id, "%x:%x", &domain, &bus) != 2) {
    return remember(cudaErrorInvalidValue, "cudaDeviceGetByPCIBusId", "expected 0000:01:00.0");
  }
  *device = static_cast<int>(bus) - 1;
  return check_device("cudaDeviceGetByPCIBusId", *device);
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  for (const int d : {device, peer}) {
    if (const cudaError_t e = check_device("cudaDeviceCanAccessPeer", d); e != cudaSuccess) {
      return e;
    }
  }
  *can = device != peer ? 1 : 0;
  return sticky_error();
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
  constexpr const char* call = "cudaDeviceEnablePeerAccess";
  if (const cudaError_t e = check_device(call, peer); e != cudaSuccess) return e;
  if (peer == current_device()) return remember(cudaErrorInvalidDevice, call, "the device itself");
  const std::scoped_lock lock(peers_mutex);
  if (peers.insert({current_device(), peer}).second) return cudaSuccess;
  return remember(cudaErrorPeerAccessAlreadyEnabled, call, "it is already enabled");
}
cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  const std::scoped_lock lock(peers_mutex);
  if (peers.erase({current_device(), peer}) != 0) return cudaSuccess;
  return remember(cudaErrorPeerAccessNotEnabled, "cudaDeviceDisablePeerAccess",
                  "it is not enabled");
}
cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int from, int to) {
  if (const cudaError_t e = cudaDeviceCanAccessPeer(value, from, to); e != cudaSuccess) return e;
  if (attribute == cudaDevP2PAttrPerformanceRank) *value = 0;
  return cudaSuccess;
}

cudaError_t cudaDeviceReset() {
  simt::detail::free_all_memory();
  simt::detail::forget_heap();
  simt::detail::forget_errors();
  const std::scoped_lock lock(peers_mutex);
  peers.clear();
  return cudaSuccess;
}
cudaError_t cudaSetDeviceFlags(unsigned) { return sticky_error(); }
cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  *flags = cudaDeviceScheduleAuto | cudaDeviceMapHost;
  return sticky_error();
}

namespace {
std::array<std::size_t, 7> limits{1024, 1048576, 8388608, 2, 2048, 64, 0};  // as an H100 begins

/// The limits that this machine has.
cudaError_t enforce(cudaLimit limit, std::size_t value) {
  using namespace simt::detail;
  constexpr const char* call = "cudaDeviceSetLimit";
  if (limit == cudaLimitStackSize) {
    constexpr std::size_t most = std::size_t{512} * 1024;
    if (value > most) {
      return remember(cudaErrorInvalidValue, call, "a thread has at most 512 KiB of stack");
    }
    const auto between_launches = occupy_machine();
    want_stack(stack_for_limit(value));
  } else if (limit == cudaLimitMallocHeapSize) {
    if (value > simt::all_memory()) {
      return remember(cudaErrorMemoryAllocation, call, "a heap larger than all memory");
    }
    if (!set_heap_limit(value)) {
      return remember(
          cudaErrorInvalidValue, call,
          "kernels have already allocated from the heap: set the limit before the first one");
    }
  } else if (limit == cudaLimitDevRuntimePendingLaunchCount) {
    set_most_children(value);
  }
  return cudaSuccess;
}
}  // namespace

cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  if (limit < cudaLimitStackSize || limit > cudaLimitPersistingL2CacheSize) {
    return remember(cudaErrorUnsupportedLimit, "cudaDeviceSetLimit", "unknown limit");
  }
  if (const auto e = enforce(limit, value); e != cudaSuccess) return e;
  const std::scoped_lock lock(peers_mutex);
  limits[static_cast<std::size_t>(limit)] = value;
  return sticky_error();
}
cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  if (limit < cudaLimitStackSize || limit > cudaLimitPersistingL2CacheSize) {
    return remember(cudaErrorUnsupportedLimit, "cudaDeviceGetLimit", "unknown limit");
  }
  const std::scoped_lock lock(peers_mutex);
  *value = limits[static_cast<std::size_t>(limit)];
  return sticky_error();
}
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  *config = cudaFuncCachePreferNone;
  return sticky_error();
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return sticky_error(); }
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  *config = cudaSharedMemBankSizeFourByte;
  return sticky_error();
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return sticky_error(); }
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = -5;
  return sticky_error();
}
cudaError_t cudaRuntimeGetVersion(int* value) {
  *value = version;
  return sticky_error();
}
cudaError_t cudaDriverGetVersion(int* value) { return cudaRuntimeGetVersion(value); }
cudaError_t cudaProfilerStart() { return sticky_error(); }
cudaError_t cudaProfilerStop() { return sticky_error(); }

cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
cudaError_t cudaThreadExit() { return cudaDeviceReset(); }
cudaError_t cudaThreadSetLimit(cudaLimit limit, std::size_t value) {
  return cudaDeviceSetLimit(limit, value);
}
cudaError_t cudaThreadGetLimit(std::size_t* value, cudaLimit limit) {
  return cudaDeviceGetLimit(value, limit);
}
cudaError_t cudaThreadGetCacheConfig(cudaFuncCache* config) {
  return cudaDeviceGetCacheConfig(config);
}
cudaError_t cudaThreadSetCacheConfig(cudaFuncCache) { return sticky_error(); }
