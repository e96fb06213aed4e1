/* Calls of CUDA's driver that are refused by name. For C, too. */
#pragma once

#include "simt/driver.h"

#ifdef __cplusplus
#define SIMT_ANYTHING ...
#else
#define SIMT_ANYTHING int, ...
#endif
/* clang-format off */
/* Code of a device: there is none to load, link or look up. */
#define SIMT_CALLS_ON_CODE(X)                                                                      \
  X(cuFuncGetAttribute) X(cuFuncGetModule) X(cuFuncGetName) X(cuFuncGetParamInfo)                  \
  X(cuFuncIsLoaded) X(cuFuncLoad) X(cuFuncSetAttribute) X(cuFuncSetBlockShape)                     \
  X(cuFuncSetCacheConfig) X(cuFuncSetSharedMemConfig) X(cuFuncSetSharedSize)                       \
  X(cuKernelGetAttribute) X(cuKernelGetFunction) X(cuKernelGetLibrary) X(cuKernelGetName)          \
  X(cuKernelGetParamInfo) X(cuKernelSetAttribute) X(cuKernelSetCacheConfig)                        \
  X(cuLaunchCooperativeKernel) X(cuLaunchCooperativeKernelMultiDevice) X(cuLaunchKernel)           \
  X(cuLaunchKernelEx) X(cuLibraryEnumerateKernels) X(cuLibraryGetGlobal) X(cuLibraryGetKernel)     \
  X(cuLibraryGetKernelCount) X(cuLibraryGetManaged) X(cuLibraryGetModule)                          \
  X(cuLibraryGetUnifiedFunction) X(cuLibraryLoadData) X(cuLibraryLoadFromFile) X(cuLibraryUnload)  \
  X(cuLinkAddData) X(cuLinkAddFile) X(cuLinkComplete) X(cuLinkCreate) X(cuLinkDestroy)             \
  X(cuModuleEnumerateFunctions) X(cuModuleGetFunction) X(cuModuleGetFunctionCount)                 \
  X(cuModuleGetGlobal) X(cuModuleGetLoadingMode) X(cuModuleGetSurfRef) X(cuModuleGetTexRef)        \
  X(cuModuleLoad) X(cuModuleLoadData) X(cuModuleLoadDataEx) X(cuModuleLoadFatBinary)               \
  X(cuModuleUnload)
/* What the runtime has in its place, or nobody. */
#define SIMT_OTHER_CALLS(X)                                                                        \
  X(cuCtxAttach) X(cuCtxCreate) X(cuCtxDestroy) X(cuCtxDetach) X(cuCtxDisablePeerAccess)           \
  X(cuCtxEnablePeerAccess) X(cuCtxGetApiVersion) X(cuCtxGetCacheConfig) X(cuCtxGetCurrent)         \
  X(cuCtxGetDevResource) X(cuCtxGetDevice) X(cuCtxGetExecAffinity) X(cuCtxGetFlags) X(cuCtxGetId)  \
  X(cuCtxGetLimit) X(cuCtxGetSharedMemConfig) X(cuCtxGetStreamPriorityRange) X(cuCtxPopCurrent)    \
  X(cuCtxPushCurrent) X(cuCtxRecordEvent) X(cuCtxResetPersistingL2Cache) X(cuCtxSetCacheConfig)    \
  X(cuCtxSetCurrent) X(cuCtxSetFlags) X(cuCtxSetLimit) X(cuCtxSetSharedMemConfig)                  \
  X(cuCtxWaitEvent) X(cuDeviceCanAccessPeer) X(cuDeviceComputeCapability)                          \
  X(cuDeviceGetByPCIBusId) X(cuDeviceGetDefaultMemPool) X(cuDeviceGetDevResource)                  \
  X(cuDeviceGetExecAffinitySupport) X(cuDeviceGetGraphMemAttribute)                                \
  X(cuDeviceGetHostAtomicCapabilities) X(cuDeviceGetLuid) X(cuDeviceGetMemPool)                    \
  X(cuDeviceGetNvSciSyncAttributes) X(cuDeviceGetP2PAtomicCapabilities)                            \
  X(cuDeviceGetP2PAttribute) X(cuDeviceGetPCIBusId) X(cuDeviceGetProperties)                       \
  X(cuDeviceGetTexture1DLinearMaxWidth) X(cuDeviceGetUuid) X(cuDeviceGraphMemTrim)                 \
  X(cuDevicePrimaryCtxGetState) X(cuDevicePrimaryCtxRelease) X(cuDevicePrimaryCtxReset)            \
  X(cuDevicePrimaryCtxRetain) X(cuDevicePrimaryCtxSetFlags) X(cuDeviceRegisterAsyncNotification)   \
  X(cuDeviceSetGraphMemAttribute) X(cuDeviceSetMemPool) X(cuDeviceUnregisterAsyncNotification)     \
  X(cuEventCreate) X(cuEventDestroy) X(cuEventElapsedTime) X(cuEventQuery) X(cuEventRecord)        \
  X(cuEventRecordWithFlags) X(cuEventSynchronize) X(cuGetExportTable) X(cuGetProcAddress)          \
  X(cuIpcCloseMemHandle) X(cuIpcGetEventHandle) X(cuIpcGetMemHandle) X(cuIpcOpenEventHandle)       \
  X(cuIpcOpenMemHandle) X(cuLaunchHostFunc) X(cuMemAddressFree) X(cuMemAddressReserve)             \
  X(cuMemAdvise) X(cuMemAllocAsync) X(cuMemAllocFromPoolAsync) X(cuMemAllocHost)                   \
  X(cuMemAllocManaged) X(cuMemAllocPitch) X(cuMemBatchDecompressAsync) X(cuMemCreate)              \
  X(cuMemDiscardAndPrefetchBatchAsync) X(cuMemDiscardBatchAsync) X(cuMemExportToShareableHandle)   \
  X(cuMemFreeAsync) X(cuMemFreeHost) X(cuMemGetAccess) X(cuMemGetAddressRange)                     \
  X(cuMemGetAllocationGranularity) X(cuMemGetAllocationPropertiesFromHandle)                       \
  X(cuMemGetDefaultMemPool) X(cuMemGetHandleForAddressRange) X(cuMemGetMemPool) X(cuMemHostAlloc)  \
  X(cuMemHostGetDevicePointer) X(cuMemHostGetFlags) X(cuMemHostRegister) X(cuMemHostUnregister)    \
  X(cuMemImportFromShareableHandle) X(cuMemMap) X(cuMemMapArrayAsync) X(cuMemPoolCreate)           \
  X(cuMemPoolDestroy) X(cuMemPoolExportPointer) X(cuMemPoolExportToShareableHandle)                \
  X(cuMemPoolGetAccess) X(cuMemPoolGetAttribute) X(cuMemPoolImportFromShareableHandle)             \
  X(cuMemPoolImportPointer) X(cuMemPoolSetAccess) X(cuMemPoolSetAttribute) X(cuMemPoolTrimTo)      \
  X(cuMemPrefetchAsync) X(cuMemPrefetchBatchAsync) X(cuMemRangeGetAttribute)                       \
  X(cuMemRangeGetAttributes) X(cuMemRelease) X(cuMemRetainAllocationHandle) X(cuMemSetAccess)      \
  X(cuMemSetMemPool) X(cuMemUnmap) X(cuMemcpy) X(cuMemcpy2D) X(cuMemcpy2DAsync)                    \
  X(cuMemcpy2DUnaligned) X(cuMemcpy3D) X(cuMemcpy3DAsync) X(cuMemcpy3DBatchAsync)                  \
  X(cuMemcpy3DPeer) X(cuMemcpy3DPeerAsync) X(cuMemcpyAsync) X(cuMemcpyAtoA) X(cuMemcpyAtoD)        \
  X(cuMemcpyAtoH) X(cuMemcpyAtoHAsync) X(cuMemcpyBatchAsync) X(cuMemcpyDtoA) X(cuMemcpyDtoDAsync)  \
  X(cuMemcpyDtoHAsync) X(cuMemcpyHtoA) X(cuMemcpyHtoAAsync) X(cuMemcpyHtoDAsync) X(cuMemcpyPeer)   \
  X(cuMemcpyPeerAsync) X(cuMemsetD16) X(cuMemsetD16Async) X(cuMemsetD2D16) X(cuMemsetD2D16Async)   \
  X(cuMemsetD2D32) X(cuMemsetD2D32Async) X(cuMemsetD2D8) X(cuMemsetD2D8Async) X(cuMemsetD32)       \
  X(cuMemsetD32Async) X(cuMemsetD8) X(cuMemsetD8Async) X(cuOccupancyAvailableDynamicSMemPerBlock)  \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor)                                                   \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags) X(cuOccupancyMaxActiveClusters)          \
  X(cuOccupancyMaxPotentialBlockSize) X(cuOccupancyMaxPotentialBlockSizeWithFlags)                 \
  X(cuOccupancyMaxPotentialClusterSize) X(cuPointerGetAttribute) X(cuPointerGetAttributes)         \
  X(cuPointerSetAttribute) X(cuStreamAddCallback) X(cuStreamAttachMemAsync) X(cuStreamBatchMemOp)  \
  X(cuStreamBeginCapture) X(cuStreamBeginCaptureToGraph) X(cuStreamCopyAttributes)                 \
  X(cuStreamCreate) X(cuStreamCreateWithPriority) X(cuStreamDestroy) X(cuStreamEndCapture)         \
  X(cuStreamGetAttribute) X(cuStreamGetCaptureInfo) X(cuStreamGetCtx) X(cuStreamGetDevice)         \
  X(cuStreamGetFlags) X(cuStreamGetGreenCtx) X(cuStreamGetId) X(cuStreamGetPriority)               \
  X(cuStreamIsCapturing) X(cuStreamQuery) X(cuStreamSetAttribute) X(cuStreamSynchronize)           \
  X(cuStreamUpdateCaptureDependencies) X(cuStreamWaitEvent) X(cuStreamWaitValue32)                 \
  X(cuStreamWaitValue64) X(cuStreamWriteValue32) X(cuStreamWriteValue64)                           \
  X(cuTensorMapEncodeIm2col) X(cuTensorMapEncodeIm2colWide) X(cuTensorMapEncodeTiled)              \
  X(cuTensorMapReplaceAddress) X(cuThreadExchangeStreamCaptureMode)
/* clang-format on */

typedef struct CUlinkState_st* CUlinkState;
typedef struct CUlib_st* CUlibrary;
typedef struct CUkern_st* CUkernel;
typedef enum CUjit_option_enum { SIMT_NO_JIT_OPTION } CUjit_option;
typedef enum CUjitInputType_enum { SIMT_NO_JIT_INPUT } CUjitInputType;
typedef unsigned long long CUmemGenericAllocationHandle;

#define SIMT_REFUSED(name)                                                                \
  __attribute__((unavailable(                                                             \
      "not on the CPU machine: there is no code of a device to load; compile the kernel " \
      "with the program and launch it with <<<>>>"))) CUresult name(SIMT_ANYTHING);
SIMT_CALLS_ON_CODE(SIMT_REFUSED)
#undef SIMT_REFUSED
#define SIMT_REFUSED(name)                                                       \
  __attribute__((                                                                \
      unavailable("not on the CPU machine, which has CUDA's runtime and of the " \
                  "driver's calls few"))) CUresult name(SIMT_ANYTHING);
SIMT_OTHER_CALLS(SIMT_REFUSED)
#undef SIMT_REFUSED
#undef SIMT_ANYTHING
