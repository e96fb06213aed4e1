/* The errors of CUDA's runtime: name, number, and what cudaGetErrorString says. For C, too. */
#pragma once

#define SIMT_CUDA_ERRORS(X)                                                                        \
  X(cudaSuccess, 0, "no error")                                                                    \
  X(cudaErrorInvalidValue, 1, "invalid argument")                                                  \
  X(cudaErrorMemoryAllocation, 2, "out of memory")                                                 \
  X(cudaErrorInitializationError, 3, "initialization error")                                       \
  X(cudaErrorCudartUnloading, 4, "driver shutting down")                                           \
  X(cudaErrorProfilerDisabled, 5, "profiler disabled while using external profiling tool")         \
  X(cudaErrorProfilerNotInitialized, 6, "profiler not initialized")                                \
  X(cudaErrorProfilerAlreadyStarted, 7, "profiler already started")                                \
  X(cudaErrorProfilerAlreadyStopped, 8, "profiler already stopped")                                \
  X(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")                            \
  X(cudaErrorInvalidPitchValue, 12, "invalid pitch argument")                                      \
  X(cudaErrorInvalidSymbol, 13, "invalid device symbol")                                           \
  X(cudaErrorInvalidHostPointer, 16, "invalid host pointer")                                       \
  X(cudaErrorInvalidDevicePointer, 17, "invalid device pointer")                                   \
  X(cudaErrorInvalidTexture, 18, "invalid texture reference")                                      \
  X(cudaErrorInvalidTextureBinding, 19, "texture is not bound to a pointer")                       \
  X(cudaErrorInvalidChannelDescriptor, 20, "invalid channel descriptor")                           \
  X(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")                      \
  X(cudaErrorAddressOfConstant, 22, "invalid address of constant")                                 \
  X(cudaErrorTextureFetchFailed, 23, "fetch from texture failed")                                  \
  X(cudaErrorTextureNotBound, 24, "cannot fetch from a texture that is not bound")                 \
  X(cudaErrorSynchronizationError, 25, "incorrect use of __syncthreads()")                         \
  X(cudaErrorInvalidFilterSetting, 26, "linear filtering not supported for non-float type")        \
  X(cudaErrorInvalidNormSetting, 27, "read as normalized float not supported for 32-bit types")    \
  X(cudaErrorMixedDeviceExecution, 28, "device emulation mode and device execution mixed")         \
  X(cudaErrorNotYetImplemented, 31, "feature not yet implemented")                                 \
  X(cudaErrorMemoryValueTooLarge, 32, "memory size or pointer value too large to fit in 32 bit")   \
  X(cudaErrorStubLibrary, 34, "CUDA driver is a stub library")                                     \
  X(cudaErrorInsufficientDriver, 35, "CUDA driver version is insufficient for the runtime")        \
  X(cudaErrorCallRequiresNewerDriver, 36, "API call requires a newer CUDA driver")                 \
  X(cudaErrorInvalidSurface, 37, "invalid surface reference")                                      \
  X(cudaErrorDuplicateVariableName, 43, "duplicate global variable looked up by string name")      \
  X(cudaErrorDuplicateTextureName, 44, "duplicate texture looked up by string name")               \
  X(cudaErrorDuplicateSurfaceName, 45, "duplicate surface looked up by string name")               \
  X(cudaErrorDevicesUnavailable, 46, "CUDA-capable devices are busy or unavailable")               \
  X(cudaErrorIncompatibleDriverContext, 49, "incompatible driver context")                         \
  X(cudaErrorMissingConfiguration, 52, "__global__ function call is not configured")               \
  X(cudaErrorPriorLaunchFailure, 53, "unspecified launch failure in prior launch")                 \
  X(cudaErrorLaunchMaxDepthExceeded, 65, "launch would exceed maximum depth of nested launches")   \
  X(cudaErrorLaunchFileScopedTex, 66, "launch failed: file-scoped textures are not supported")     \
  X(cudaErrorLaunchFileScopedSurf, 67, "launch failed: file-scoped surfaces are not supported")    \
  X(cudaErrorSyncDepthExceeded, 68, "cudaDeviceSynchronize: maximum depth is exceeded")            \
  X(cudaErrorLaunchPendingCountExceeded, 69, "launch would exceed the pending launch pool")        \
  X(cudaErrorInvalidDeviceFunction, 98, "invalid device function")                                 \
  X(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")                                  \
  X(cudaErrorInvalidDevice, 101, "invalid device ordinal")                                         \
  X(cudaErrorDeviceNotLicensed, 102, "device doesn't have valid Grid license")                     \
  X(cudaErrorSoftwareValidityNotEstablished, 103, "integrity checks failed")                       \
  X(cudaErrorStartupFailure, 127, "startup failure in the CUDA runtime")                           \
  X(cudaErrorInvalidKernelImage, 200, "device kernel image is invalid")                            \
  X(cudaErrorDeviceUninitialized, 201, "invalid device context")                                   \
  X(cudaErrorMapBufferObjectFailed, 205, "mapping of buffer object failed")                        \
  X(cudaErrorUnmapBufferObjectFailed, 206, "unmapping of buffer object failed")                    \
  X(cudaErrorArrayIsMapped, 207, "array is mapped")                                                \
  X(cudaErrorAlreadyMapped, 208, "resource already mapped")                                        \
  X(cudaErrorNoKernelImageForDevice, 209, "no kernel image is available for the device")           \
  X(cudaErrorAlreadyAcquired, 210, "resource already acquired")                                    \
  X(cudaErrorNotMapped, 211, "resource not mapped")                                                \
  X(cudaErrorNotMappedAsArray, 212, "resource not mapped as array")                                \
  X(cudaErrorNotMappedAsPointer, 213, "resource not mapped as pointer")                            \
  X(cudaErrorECCUncorrectable, 214, "uncorrectable ECC error encountered")                         \
  X(cudaErrorUnsupportedLimit, 215, "limit is not supported on this architecture")                 \
  X(cudaErrorDeviceAlreadyInUse, 216, "exclusive-thread device already in use")                    \
  X(cudaErrorPeerAccessUnsupported, 217, "peer access is not supported between these devices")     \
  X(cudaErrorInvalidPtx, 218, "a PTX JIT compilation failed")                                      \
  X(cudaErrorInvalidGraphicsContext, 219, "invalid OpenGL or DirectX context")                     \
  X(cudaErrorNvlinkUncorrectable, 220, "uncorrectable NVLink error during the execution")          \
  X(cudaErrorJitCompilerNotFound, 221, "PTX JIT compiler library not found")                       \
  X(cudaErrorUnsupportedPtxVersion, 222, "the PTX was compiled with an unsupported toolchain")     \
  X(cudaErrorJitCompilationDisabled, 223, "PTX JIT compilation was disabled")                      \
  X(cudaErrorUnsupportedExecAffinity, 224, "the exec affinity is not supported")                   \
  X(cudaErrorUnsupportedDevSideSync, 225, "unsupported cudaDeviceSynchronize in a kernel")         \
  X(cudaErrorContained, 226, "contained exception")                                                \
  X(cudaErrorInvalidSource, 300, "device kernel image is invalid")                                 \
  X(cudaErrorFileNotFound, 301, "file not found")                                                  \
  X(cudaErrorSharedObjectSymbolNotFound, 302, "shared object symbol not found")                    \
  X(cudaErrorSharedObjectInitFailed, 303, "shared object initialization failed")                   \
  X(cudaErrorOperatingSystem, 304, "OS call failed or operation not supported on this OS")         \
  X(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")                                \
  X(cudaErrorIllegalState, 401, "the operation cannot be performed in the present state")          \
  X(cudaErrorLossyQuery, 402, "query would give out only part of the value")                       \
  X(cudaErrorSymbolNotFound, 500, "named symbol not found")                                        \
  X(cudaErrorNotReady, 600, "device not ready")                                                    \
  X(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered")                      \
  X(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch")                 \
  X(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated")                        \
  X(cudaErrorLaunchIncompatibleTexturing, 703, "launch uses incompatible texturing mode")          \
  X(cudaErrorPeerAccessAlreadyEnabled, 704, "peer access is already enabled")                      \
  X(cudaErrorPeerAccessNotEnabled, 705, "peer access has not been enabled")                        \
  X(cudaErrorSetOnActiveProcess, 708, "cannot set while device is active in this process")         \
  X(cudaErrorContextIsDestroyed, 709, "context is destroyed")                                      \
  X(cudaErrorAssert, 710, "device-side assert triggered")                                          \
  X(cudaErrorTooManyPeers, 711, "peer mapping resources exhausted")                                \
  X(cudaErrorHostMemoryAlreadyRegistered, 712, "part or all of the memory is registered already")  \
  X(cudaErrorHostMemoryNotRegistered, 713, "pointer does not correspond to registered memory")     \
  X(cudaErrorHardwareStackError, 714, "hardware stack error")                                      \
  X(cudaErrorIllegalInstruction, 715, "an illegal instruction was encountered")                    \
  X(cudaErrorMisalignedAddress, 716, "misaligned address")                                         \
  X(cudaErrorInvalidAddressSpace, 717, "operation not supported on global/shared address space")   \
  X(cudaErrorInvalidPc, 718, "invalid program counter")                                            \
  X(cudaErrorLaunchFailure, 719, "unspecified launch failure")                                     \
  X(cudaErrorCooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch")              \
  X(cudaErrorTensorMemoryLeak, 721, "tensor memory not completely freed")                          \
  X(cudaErrorNotPermitted, 800, "operation not permitted")                                         \
  X(cudaErrorNotSupported, 801, "operation not supported")                                         \
  X(cudaErrorSystemNotReady, 802, "system not yet initialized")                                    \
  X(cudaErrorSystemDriverMismatch, 803, "system has unsupported driver combination")               \
  X(cudaErrorCompatNotSupportedOnDevice, 804, "forward compatibility on hardware without it")      \
  X(cudaErrorMpsConnectionFailed, 805, "MPS client failed to connect")                             \
  X(cudaErrorMpsRpcFailure, 806, "MPS failed internally")                                          \
  X(cudaErrorMpsServerNotReady, 807, "MPS server is not ready")                                    \
  X(cudaErrorMpsMaxClientsReached, 808, "no more clients can be had of the MPS server")            \
  X(cudaErrorMpsMaxConnectionsReached, 809, "no more connections can be had of the device")        \
  X(cudaErrorMpsClientTerminated, 810, "MPS client was terminated")                                \
  X(cudaErrorCdpNotSupported, 811, "dynamic parallelism is not supported")                         \
  X(cudaErrorCdpVersionMismatch, 812, "unsupported interaction of dynamic parallelism")            \
  X(cudaErrorStreamCaptureUnsupported, 900, "operation not permitted when stream is capturing")    \
  X(cudaErrorStreamCaptureInvalidated, 901, "operation failed due to a previous error in capture") \
  X(cudaErrorStreamCaptureMerge, 902, "operation would result in a merge of two captures")         \
  X(cudaErrorStreamCaptureUnmatched, 903, "the capture was not begun in this stream")              \
  X(cudaErrorStreamCaptureUnjoined, 904, "capturing stream has unjoined work")                     \
  X(cudaErrorStreamCaptureIsolation, 905,                                                          \
    "dependency created on uncaptured work in another stream")                                     \
  X(cudaErrorStreamCaptureImplicit, 906, "the legacy stream would depend on a capturing stream")   \
  X(cudaErrorCapturedEvent, 907, "operation not permitted on an event recorded in a capture")      \
  X(cudaErrorStreamCaptureWrongThread, 908, "the capture was begun in another thread")             \
  X(cudaErrorTimeout, 909, "wait operation timed out")                                             \
  X(cudaErrorGraphExecUpdateFailure, 910, "the graph update was not performed")                    \
  X(cudaErrorExternalDevice, 911, "an error of a device outside of CUDA")                          \
  X(cudaErrorInvalidClusterSize, 912, "cluster misconfiguration")                                  \
  X(cudaErrorFunctionNotLoaded, 913, "the function was not loaded")                                \
  X(cudaErrorInvalidResourceType, 914, "invalid type of resource")                                 \
  X(cudaErrorInvalidResourceConfiguration, 915, "insufficient or invalid resources")               \
  X(cudaErrorUnknown, 999, "unknown error")                                                        \
  X(cudaErrorApiFailureBase, 10000, "API failure base")

#define SIMT_ERROR(name, value, text) name = value,
enum cudaError { SIMT_CUDA_ERRORS(SIMT_ERROR) };
#undef SIMT_ERROR
typedef enum cudaError cudaError_t;
