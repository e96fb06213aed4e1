/* What CUDA's runtime says of a device. For C, too. */
#pragma once

#include <stddef.h>

/* clang-format off */
#define SIMT_CUDA_ATTRIBUTES(X) \
  X(MaxThreadsPerBlock, 1) X(MaxBlockDimX, 2) \
  X(MaxBlockDimY, 3) X(MaxBlockDimZ, 4) \
  X(MaxGridDimX, 5) X(MaxGridDimY, 6) \
  X(MaxGridDimZ, 7) X(MaxSharedMemoryPerBlock, 8) \
  X(TotalConstantMemory, 9) X(WarpSize, 10) \
  X(MaxPitch, 11) X(MaxRegistersPerBlock, 12) \
  X(ClockRate, 13) X(TextureAlignment, 14) \
  X(GpuOverlap, 15) X(MultiProcessorCount, 16) \
  X(KernelExecTimeout, 17) X(Integrated, 18) \
  X(CanMapHostMemory, 19) X(ComputeMode, 20) \
  X(MaxTexture1DWidth, 21) X(MaxTexture2DWidth, 22) \
  X(MaxTexture2DHeight, 23) X(MaxTexture3DWidth, 24) \
  X(MaxTexture3DHeight, 25) X(MaxTexture3DDepth, 26) \
  X(MaxTexture2DLayeredWidth, 27) X(MaxTexture2DLayeredHeight, 28) \
  X(MaxTexture2DLayeredLayers, 29) X(SurfaceAlignment, 30) \
  X(ConcurrentKernels, 31) X(EccEnabled, 32) \
  X(PciBusId, 33) X(PciDeviceId, 34) \
  X(TccDriver, 35) X(MemoryClockRate, 36) \
  X(GlobalMemoryBusWidth, 37) X(L2CacheSize, 38) \
  X(MaxThreadsPerMultiProcessor, 39) X(AsyncEngineCount, 40) \
  X(UnifiedAddressing, 41) X(MaxTexture1DLayeredWidth, 42) \
  X(MaxTexture1DLayeredLayers, 43) X(PciDomainId, 50) \
  X(TexturePitchAlignment, 51) X(StreamPrioritiesSupported, 78) \
  X(GlobalL1CacheSupported, 79) X(LocalL1CacheSupported, 80) \
  X(MaxSharedMemoryPerMultiprocessor, 81) X(MaxRegistersPerMultiprocessor, 82) \
  X(ComputeCapabilityMajor, 75) X(ComputeCapabilityMinor, 76) \
  X(ManagedMemory, 83) X(IsMultiGpuBoard, 84) \
  X(MultiGpuBoardGroupID, 85) X(HostNativeAtomicSupported, 86) \
  X(SingleToDoublePrecisionPerfRatio, 87) X(PageableMemoryAccess, 88) \
  X(ConcurrentManagedAccess, 89) X(ComputePreemptionSupported, 90) \
  X(CanUseHostPointerForRegisteredMem, 91) X(CooperativeLaunch, 95) \
  X(CooperativeMultiDeviceLaunch, 96) X(MaxSharedMemoryPerBlockOptin, 97) \
  X(CanFlushRemoteWrites, 98) X(HostRegisterSupported, 99) \
  X(PageableMemoryAccessUsesHostPageTables, 100) X(DirectManagedMemAccessFromHost, 101) \
  X(MaxBlocksPerMultiprocessor, 106) X(MaxPersistingL2CacheSize, 108) \
  X(MaxAccessPolicyWindowSize, 109) X(ReservedSharedMemoryPerBlock, 111) \
  X(SparseCudaArraySupported, 112) X(HostRegisterReadOnlySupported, 113) \
  X(TimelineSemaphoreInteropSupported, 114) X(MemoryPoolsSupported, 115) \
  X(GPUDirectRDMASupported, 116) X(MemoryPoolSupportedHandleTypes, 119) \
  X(ClusterLaunch, 120) X(IpcEventSupport, 125)
/* clang-format on */

#define SIMT_ATTRIBUTE(name, value) cudaDevAttr##name = value,
enum cudaDeviceAttr { SIMT_CUDA_ATTRIBUTES(SIMT_ATTRIBUTE) };
#undef SIMT_ATTRIBUTE
#ifndef __cplusplus
typedef enum cudaDeviceAttr cudaDeviceAttr;
#endif

typedef struct CUuuid_st {
  char bytes[16];
} CUuuid;
typedef CUuuid cudaUUID_t;

/* Members of every release of CUDA; those that newer ones left out are here, too. */
struct cudaDeviceProp {
  char name[256];
  cudaUUID_t uuid;
  char luid[8];
  unsigned luidDeviceNodeMask;
  size_t totalGlobalMem;
  size_t sharedMemPerBlock;
  int regsPerBlock;
  int warpSize;
  size_t memPitch;
  int maxThreadsPerBlock;
  int maxThreadsDim[3];
  int maxGridSize[3];
  int clockRate;
  size_t totalConstMem;
  int major;
  int minor;
  size_t textureAlignment;
  size_t texturePitchAlignment;
  int deviceOverlap;
  int multiProcessorCount;
  int kernelExecTimeoutEnabled;
  int integrated;
  int canMapHostMemory;
  int computeMode;
  int maxTexture1D;
  int maxTexture1DMipmap;
  int maxTexture1DLinear;
  int maxTexture2D[2];
  int maxTexture2DMipmap[2];
  int maxTexture2DLinear[3];
  int maxTexture2DGather[2];
  int maxTexture3D[3];
  int maxTexture3DAlt[3];
  int maxTextureCubemap;
  int maxTexture1DLayered[2];
  int maxTexture2DLayered[3];
  int maxTextureCubemapLayered[2];
  int maxSurface1D;
  int maxSurface2D[2];
  int maxSurface3D[3];
  int maxSurface1DLayered[2];
  int maxSurface2DLayered[3];
  int maxSurfaceCubemap;
  int maxSurfaceCubemapLayered[2];
  size_t surfaceAlignment;
  int concurrentKernels;
  int ECCEnabled;
  int pciBusID;
  int pciDeviceID;
  int pciDomainID;
  int tccDriver;
  int asyncEngineCount;
  int unifiedAddressing;
  int memoryClockRate;
  int memoryBusWidth;
  int l2CacheSize;
  int persistingL2CacheMaxSize;
  int maxThreadsPerMultiProcessor;
  int streamPrioritiesSupported;
  int globalL1CacheSupported;
  int localL1CacheSupported;
  size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor;
  int managedMemory;
  int isMultiGpuBoard;
  int multiGpuBoardGroupID;
  int hostNativeAtomicSupported;
  int singleToDoublePrecisionPerfRatio;
  int pageableMemoryAccess;
  int concurrentManagedAccess;
  int computePreemptionSupported;
  int canUseHostPointerForRegisteredMem;
  int cooperativeLaunch;
  int cooperativeMultiDeviceLaunch;
  size_t sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables;
  int directManagedMemAccessFromHost;
  int maxBlocksPerMultiProcessor;
  int accessPolicyMaxWindowSize;
  size_t reservedSharedMemPerBlock;
  int hostRegisterSupported;
  int sparseCudaArraySupported;
  int hostRegisterReadOnlySupported;
  int timelineSemaphoreInteropSupported;
  int memoryPoolsSupported;
  int gpuDirectRDMASupported;
  unsigned gpuDirectRDMAFlushWritesOptions;
  int gpuDirectRDMAWritesOrdering;
  unsigned memoryPoolSupportedHandleTypes;
  int deferredMappingCudaArraySupported;
  int ipcEventSupported;
  int clusterLaunch;
  int unifiedFunctionPointers;
};
#ifndef __cplusplus
typedef struct cudaDeviceProp cudaDeviceProp;
#endif

enum cudaComputeMode {
  cudaComputeModeDefault = 0,
  cudaComputeModeExclusive = 1,
  cudaComputeModeProhibited = 2,
  cudaComputeModeExclusiveProcess = 3
};
enum cudaLimit {
  cudaLimitStackSize = 0,
  cudaLimitPrintfFifoSize = 1,
  cudaLimitMallocHeapSize = 2,
  cudaLimitDevRuntimeSyncDepth = 3,
  cudaLimitDevRuntimePendingLaunchCount = 4,
  cudaLimitMaxL2FetchGranularity = 5,
  cudaLimitPersistingL2CacheSize = 6
};
enum cudaDeviceP2PAttr {
  cudaDevP2PAttrPerformanceRank = 1,
  cudaDevP2PAttrAccessSupported = 2,
  cudaDevP2PAttrNativeAtomicSupported = 3,
  cudaDevP2PAttrCudaArrayAccessSupported = 4
};
enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9,
  cudaFuncAttributeClusterDimMustBeSet = 10,
  cudaFuncAttributeRequiredClusterWidth = 11,
  cudaFuncAttributeRequiredClusterHeight = 12,
  cudaFuncAttributeRequiredClusterDepth = 13,
  cudaFuncAttributeNonPortableClusterSizeAllowed = 14
};
struct cudaFuncAttributes {
  size_t sharedSizeBytes;
  size_t constSizeBytes;
  size_t localSizeBytes;
  int maxThreadsPerBlock;
  int numRegs;
  int ptxVersion;
  int binaryVersion;
  int cacheModeCA;
  int maxDynamicSharedSizeBytes;
  int preferredShmemCarveout;
  int clusterDimMustBeSet;
  int requiredClusterWidth;
  int requiredClusterHeight;
  int requiredClusterDepth;
  int clusterSchedulingPolicyPreference;
  int nonPortableClusterSizeAllowed;
};
enum cudaFuncCache {
  cudaFuncCachePreferNone = 0,
  cudaFuncCachePreferShared = 1,
  cudaFuncCachePreferL1 = 2,
  cudaFuncCachePreferEqual = 3
};
enum cudaSharedMemConfig {
  cudaSharedMemBankSizeDefault = 0,
  cudaSharedMemBankSizeFourByte = 1,
  cudaSharedMemBankSizeEightByte = 2
};
enum {
  cudaSharedmemCarveoutDefault = -1,
  cudaSharedmemCarveoutMaxL1 = 0,
  cudaSharedmemCarveoutMaxShared = 100
};
#ifndef __cplusplus
typedef enum cudaLimit cudaLimit;
typedef enum cudaFuncCache cudaFuncCache;
#endif
