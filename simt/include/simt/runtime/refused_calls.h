/* Calls of CUDA's runtime that are refused by name. For C, too. */
#pragma once

#include "simt/runtime_types.hpp"

#ifdef __cplusplus
#define SIMT_ANYTHING ...
#else
#define SIMT_ANYTHING int, ...
#endif
/* clang-format off */
/* Code of a device: there is none to load or look up. */
#define SIMT_CALLS_ON_LIBRARIES(X)                                                                 \
  X(cudaGetExportTable) X(cudaGetFuncBySymbol) X(cudaGetKernel)                                    \
  X(cudaKernelSetAttributeForDevice) X(cudaLibraryEnumerateKernels) X(cudaLibraryGetGlobal)        \
  X(cudaLibraryGetKernel) X(cudaLibraryGetKernelCount) X(cudaLibraryGetManaged)                    \
  X(cudaLibraryGetUnifiedFunction) X(cudaLibraryLoadData) X(cudaLibraryLoadFromFile)               \
  X(cudaLibraryUnload)
/* Memory and semaphores of Vulkan, Direct3D and other devices. */
#define SIMT_CALLS_ON_OTHERS(X)                                                                    \
  X(cudaDestroyExternalMemory) X(cudaDestroyExternalSemaphore) X(cudaDeviceFlushGPUDirectRDMAWrites)\
  X(cudaDeviceGetNvSciSyncAttributes) X(cudaExternalMemoryGetMappedBuffer)                         \
  X(cudaExternalMemoryGetMappedMipmappedArray) X(cudaGraphAddExternalSemaphoresSignalNode)         \
  X(cudaGraphAddExternalSemaphoresWaitNode) X(cudaGraphExecExternalSemaphoresSignalNodeSetParams)  \
  X(cudaGraphExecExternalSemaphoresWaitNodeSetParams)                                              \
  X(cudaGraphExternalSemaphoresSignalNodeGetParams)                                                \
  X(cudaGraphExternalSemaphoresSignalNodeSetParams)                                                \
  X(cudaGraphExternalSemaphoresWaitNodeGetParams) X(cudaGraphExternalSemaphoresWaitNodeSetParams)  \
  X(cudaGraphicsResourceGetMappedMipmappedArray) X(cudaImportExternalMemory)                       \
  X(cudaImportExternalSemaphore) X(cudaSignalExternalSemaphoresAsync)                              \
  X(cudaWaitExternalSemaphoresAsync)
/* What no machine without a driver can say. */
#define SIMT_CALLS_OF_DRIVERS(X)                                                                   \
  X(cudaArrayGetPlane) X(cudaArrayGetSparseProperties) X(cudaDeviceGetHostAtomicCapabilities)      \
  X(cudaDeviceGetP2PAtomicCapabilities) X(cudaDeviceRegisterAsyncNotification)                     \
  X(cudaDeviceUnregisterAsyncNotification) X(cudaGetDriverEntryPointByVersion) X(cudaLogsCurrent)  \
  X(cudaLogsDumpToFile) X(cudaLogsDumpToMemory) X(cudaLogsRegisterCallback)                        \
  X(cudaLogsUnregisterCallback) X(cudaMemcpy3DBatchAsync)                                          \
  X(cudaMipmappedArrayGetSparseProperties)
/* clang-format on */

#define SIMT_REFUSED(name)                                                                \
  __attribute__((unavailable(                                                             \
      "not on the CPU machine: there is no code of a device to load; compile the kernel " \
      "with the program and launch it with <<<>>>"))) cudaError_t name(SIMT_ANYTHING);
SIMT_CALLS_ON_LIBRARIES(SIMT_REFUSED)
#undef SIMT_REFUSED
#define SIMT_REFUSED(name)                                                              \
  __attribute__((unavailable(                                                           \
      "not on the CPU machine, which shares no memory and no semaphores with others"))) \
  cudaError_t name(SIMT_ANYTHING);
SIMT_CALLS_ON_OTHERS(SIMT_REFUSED)
#undef SIMT_REFUSED
#define SIMT_REFUSED(name)                                                    \
  __attribute__((unavailable("not on the CPU machine, which has no driver"))) \
  cudaError_t name(SIMT_ANYTHING);
SIMT_CALLS_OF_DRIVERS(SIMT_REFUSED)
#undef SIMT_REFUSED
#undef SIMT_ANYTHING
