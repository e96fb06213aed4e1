// Names of CUDA's runtime that the CPU machine has nothing for: using one is an error that says
// what to do instead.
#pragma once

#include "simt/runtime_types.hpp"

// NOLINTBEGIN(readability-identifier-naming): the names are CUDA's
#define SIMT_NO_TYPE(name, instead) \
  using name __attribute__((unavailable("not on the CPU machine: " instead))) = void*;
#define SIMT_NO_FUNCTION(name, instead) \
  template <class... Args>              \
  __attribute__((unavailable("not on the CPU machine: " instead))) cudaError_t name(Args&&...);

#define SIMT_INSTEAD "textures and surfaces are not modelled; read and write global memory"
SIMT_NO_TYPE(cudaTextureObject_t, SIMT_INSTEAD)
SIMT_NO_TYPE(cudaSurfaceObject_t, SIMT_INSTEAD)
SIMT_NO_TYPE(cudaArray_t, SIMT_INSTEAD)
SIMT_NO_FUNCTION(cudaCreateTextureObject, SIMT_INSTEAD)
SIMT_NO_FUNCTION(cudaCreateSurfaceObject, SIMT_INSTEAD)
SIMT_NO_FUNCTION(cudaMallocArray, SIMT_INSTEAD)
SIMT_NO_FUNCTION(cudaMalloc3DArray, SIMT_INSTEAD)
#undef SIMT_INSTEAD

#define SIMT_INSTEAD "graphs come from captures: cudaStreamBeginCapture, the calls, EndCapture"
SIMT_NO_FUNCTION(cudaGraphCreate, SIMT_INSTEAD)
SIMT_NO_FUNCTION(cudaGraphAddNode, SIMT_INSTEAD)
SIMT_NO_FUNCTION(cudaGraphAddKernelNode, SIMT_INSTEAD)
SIMT_NO_FUNCTION(cudaGraphAddMemcpyNode, SIMT_INSTEAD)
SIMT_NO_FUNCTION(cudaGraphAddMemcpyNode1D, SIMT_INSTEAD)
SIMT_NO_FUNCTION(cudaGraphAddMemsetNode, SIMT_INSTEAD)
SIMT_NO_FUNCTION(cudaGraphAddHostNode, SIMT_INSTEAD)
SIMT_NO_FUNCTION(cudaGraphExecUpdate, SIMT_INSTEAD)
#undef SIMT_INSTEAD

SIMT_NO_FUNCTION(cudaMalloc3D, "take cudaMallocPitch or cudaMalloc")
SIMT_NO_FUNCTION(cudaMemcpy3D, "take cudaMemcpy2D for each layer")
SIMT_NO_FUNCTION(cudaMemcpyPeer, "there is one device")
SIMT_NO_FUNCTION(cudaMemcpyPeerAsync, "there is one device")
SIMT_NO_FUNCTION(cudaDeviceEnablePeerAccess, "there is one device")
SIMT_NO_FUNCTION(cudaIpcGetMemHandle, "memory belongs to one process")
SIMT_NO_FUNCTION(cudaFuncGetAttributes, "registers are the device compiler's to know")
SIMT_NO_FUNCTION(cudaMemPoolCreate, "take cudaMallocAsync")
SIMT_NO_FUNCTION(cudaMallocFromPoolAsync, "take cudaMallocAsync")
SIMT_NO_FUNCTION(cudaProfilerStart, "take simt::inspect")
#undef SIMT_NO_FUNCTION
#undef SIMT_NO_TYPE
// NOLINTEND(readability-identifier-naming)
