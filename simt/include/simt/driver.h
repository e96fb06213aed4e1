/* CUDA's driver, as far as programs of the runtime ask for it: types, and calls that have one of
   the runtime behind them. driver_refused.h has those that are refused. For C, too. */
#pragma once

#include <stdio.h>

#include "simt/runtime/calls.h"

#define __cuda_cuda_h__
#define CUDAAPI

typedef enum cudaError_enum {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_DEINITIALIZED = 4,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_INVALID_IMAGE = 200,
  CUDA_ERROR_INVALID_CONTEXT = 201,
  CUDA_ERROR_FILE_NOT_FOUND = 301,
  CUDA_ERROR_INVALID_HANDLE = 400,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
  CUDA_ERROR_LAUNCH_TIMEOUT = 702,
  CUDA_ERROR_ASSERT = 710,
  CUDA_ERROR_LAUNCH_FAILED = 719,
  CUDA_ERROR_NOT_PERMITTED = 800,
  CUDA_ERROR_NOT_SUPPORTED = 801,
  CUDA_ERROR_UNKNOWN = 999
} CUresult;
#ifdef __cplusplus
typedef cudaError_enum cudaError_enum_t;
#endif

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st* CUcontext;
typedef struct CUmod_st* CUmodule;
typedef struct CUfunc_st* CUfunction;
typedef cudaStream_t CUstream;
typedef cudaEvent_t CUevent;
typedef cudaArray_t CUarray;
typedef cudaTextureObject_t CUtexObject;
typedef cudaSurfaceObject_t CUsurfObject;
typedef enum CUdevice_attribute_enum {
#define SIMT_ATTRIBUTE(number, name) CU_DEVICE_ATTRIBUTE_##name = number,
  SIMT_ATTRIBUTE(1, MAX_THREADS_PER_BLOCK) SIMT_ATTRIBUTE(2, MAX_BLOCK_DIM_X) SIMT_ATTRIBUTE(
      3, MAX_BLOCK_DIM_Y) SIMT_ATTRIBUTE(4, MAX_BLOCK_DIM_Z) SIMT_ATTRIBUTE(5, MAX_GRID_DIM_X)
      SIMT_ATTRIBUTE(6, MAX_GRID_DIM_Y) SIMT_ATTRIBUTE(7, MAX_GRID_DIM_Z) SIMT_ATTRIBUTE(
          8, MAX_SHARED_MEMORY_PER_BLOCK) SIMT_ATTRIBUTE(9, TOTAL_CONSTANT_MEMORY)
          SIMT_ATTRIBUTE(10, WARP_SIZE) SIMT_ATTRIBUTE(11, MAX_PITCH) SIMT_ATTRIBUTE(
              12, MAX_REGISTERS_PER_BLOCK) SIMT_ATTRIBUTE(13, CLOCK_RATE)
              SIMT_ATTRIBUTE(14, TEXTURE_ALIGNMENT) SIMT_ATTRIBUTE(15, GPU_OVERLAP) SIMT_ATTRIBUTE(
                  16, MULTIPROCESSOR_COUNT) SIMT_ATTRIBUTE(17, KERNEL_EXEC_TIMEOUT)
                  SIMT_ATTRIBUTE(18, INTEGRATED) SIMT_ATTRIBUTE(19, CAN_MAP_HOST_MEMORY)
                      SIMT_ATTRIBUTE(20, COMPUTE_MODE) SIMT_ATTRIBUTE(31, CONCURRENT_KERNELS)
                          SIMT_ATTRIBUTE(32, ECC_ENABLED) SIMT_ATTRIBUTE(33, PCI_BUS_ID)
                              SIMT_ATTRIBUTE(34, PCI_DEVICE_ID) SIMT_ATTRIBUTE(35, TCC_DRIVER)
                                  SIMT_ATTRIBUTE(36, MEMORY_CLOCK_RATE) SIMT_ATTRIBUTE(
                                      37, GLOBAL_MEMORY_BUS_WIDTH) SIMT_ATTRIBUTE(38, L2_CACHE_SIZE)
                                      SIMT_ATTRIBUTE(39, MAX_THREADS_PER_MULTIPROCESSOR)
                                          SIMT_ATTRIBUTE(40, ASYNC_ENGINE_COUNT)
                                              SIMT_ATTRIBUTE(41, UNIFIED_ADDRESSING)
                                                  SIMT_ATTRIBUTE(75, COMPUTE_CAPABILITY_MAJOR)
                                                      SIMT_ATTRIBUTE(76, COMPUTE_CAPABILITY_MINOR)
#undef SIMT_ATTRIBUTE
} CUdevice_attribute;

/* Calls with one of the runtime behind them. */
static inline CUresult cuInit(unsigned flags) {
  return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
static inline CUresult cuDriverGetVersion(int* version) {
  return (CUresult)cudaDriverGetVersion(version);
}
static inline CUresult cuDeviceGetCount(int* count) { return (CUresult)cudaGetDeviceCount(count); }
static inline CUresult cuDeviceGet(CUdevice* device, int number) {
  int count = 0;
  cudaGetDeviceCount(&count);
  *device = number;
  return number >= 0 && number < count ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
static inline CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute,
                                            CUdevice device) {
  return (CUresult)cudaDeviceGetAttribute(value, (enum cudaDeviceAttr)attribute, device);
}
static inline CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  struct cudaDeviceProp properties;
  const CUresult status = (CUresult)cudaGetDeviceProperties(&properties, device);
  snprintf(name, (size_t)length, "%s", properties.name);
  return status;
}
static inline CUresult cuDeviceTotalMem(size_t* bytes, CUdevice device) {
  struct cudaDeviceProp properties;
  const CUresult status = (CUresult)cudaGetDeviceProperties(&properties, device);
  *bytes = properties.totalGlobalMem;
  return status;
}
static inline CUresult cuCtxSynchronize(void) { return (CUresult)cudaDeviceSynchronize(); }
static inline CUresult cuMemGetInfo(size_t* available, size_t* total) {
  return (CUresult)cudaMemGetInfo(available, total);
}
static inline CUresult cuMemAlloc(CUdeviceptr* pointer, size_t bytes) {
  void* memory = 0;
  const CUresult status = (CUresult)cudaMalloc(&memory, bytes);
  *pointer = (CUdeviceptr)memory;
  return status;
}
static inline CUresult cuMemFree(CUdeviceptr pointer) { return (CUresult)cudaFree((void*)pointer); }
static inline CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t bytes) {
  return (CUresult)cudaMemcpy((void*)to, from, bytes, cudaMemcpyHostToDevice);
}
static inline CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t bytes) {
  return (CUresult)cudaMemcpy(to, (const void*)from, bytes, cudaMemcpyDeviceToHost);
}
static inline CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return (CUresult)cudaMemcpy((void*)to, (const void*)from, bytes, cudaMemcpyDeviceToDevice);
}
static inline CUresult cuGetErrorName(CUresult error, const char** name) {
  *name = cudaGetErrorName((cudaError_t)error);
  return CUDA_SUCCESS;
}
static inline CUresult cuGetErrorString(CUresult error, const char** text) {
  *text = cudaGetErrorString((cudaError_t)error);
  return CUDA_SUCCESS;
}
