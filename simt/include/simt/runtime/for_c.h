/* What has overloads, or is a template, for C++, as C knows it: by address. */
#pragma once

#include "simt/runtime_types.hpp"

#define SIMT_FOR_C(name) __asm__("simt_c_" #name)

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind kind)
    SIMT_FOR_C(cudaCreateChannelDesc);

cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation where) SIMT_FOR_C(cudaMemAdvise);
cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, struct cudaMemLocation where,
                                 unsigned flags, cudaStream_t stream)
    SIMT_FOR_C(cudaMemPrefetchAsync);

/* Kernels and variables of the device that other sources define. */
cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                             size_t shared_bytes, cudaStream_t stream) SIMT_FOR_C(cudaLaunchKernel);
cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                        size_t shared_bytes, cudaStream_t stream)
    SIMT_FOR_C(cudaLaunchCooperativeKernel);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel,
                                void** arguments) SIMT_FOR_C(cudaLaunchKernelExC);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes* attributes, const void* kernel)
    SIMT_FOR_C(cudaFuncGetAttributes);
cudaError_t cudaFuncSetAttribute(const void* kernel, enum cudaFuncAttribute attribute, int value)
    SIMT_FOR_C(cudaFuncSetAttribute);
cudaError_t cudaFuncSetCacheConfig(const void* kernel, enum cudaFuncCache config)
    SIMT_FOR_C(cudaFuncSetCacheConfig);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel,
                                                          int threads, size_t shared_bytes)
    SIMT_FOR_C(cudaOccupancyMaxActiveBlocksPerMultiprocessor);
cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                               enum cudaMemcpyKind kind) SIMT_FOR_C(cudaMemcpyToSymbol);
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset,
                                 enum cudaMemcpyKind kind) SIMT_FOR_C(cudaMemcpyFromSymbol);
cudaError_t cudaGetSymbolAddress(void** address, const void* symbol)
    SIMT_FOR_C(cudaGetSymbolAddress);
cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol) SIMT_FOR_C(cudaGetSymbolSize);

/* Graphs. */
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags)
    SIMT_FOR_C(cudaGraphInstantiate);
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t* after, const void* edges,
                                          size_t count, enum cudaStreamCaptureMode mode)
    SIMT_FOR_C(cudaStreamBeginCaptureToGraph);
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** after, const void** edges,
                                     size_t* count) SIMT_FOR_C(cudaStreamGetCaptureInfo);
