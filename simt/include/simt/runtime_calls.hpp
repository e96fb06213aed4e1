// CUDA's runtime in C++, less what is about kernels: a host compiler takes it as C++11, too.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "simt/runtime/calls.h"
#include "simt/runtime/graph_calls.h"
#include "simt/runtime/graphics_calls.h"
#include "simt/runtime/refused_calls.h"
#include "simt/runtime_types.hpp"

// NOLINTBEGIN(readability-identifier-naming): the names are CUDA's

namespace simt::detail {

/// As CUDA has it: a pointer to what is const, too.
template <class T>
void** untyped(T** pointer) {
  return reinterpret_cast<void**>(const_cast<typename std::remove_cv<T>::type**>(pointer));
}

}  // namespace simt::detail

template <class T>
cudaError_t cudaMalloc(T** pointer, std::size_t bytes) {
  return cudaMalloc(simt::detail::untyped(pointer), bytes);
}
template <class T>
cudaError_t cudaMallocManaged(T** pointer, std::size_t bytes, unsigned flags = 1) {
  return cudaMallocManaged(simt::detail::untyped(pointer), bytes, flags);
}
template <class T>
cudaError_t cudaMallocHost(T** pointer, std::size_t bytes, unsigned flags = 0) {
  return cudaMallocHost(simt::detail::untyped(pointer), bytes, flags);
}
template <class T>
cudaError_t cudaHostAlloc(T** pointer, std::size_t bytes, unsigned flags) {
  return cudaHostAlloc(simt::detail::untyped(pointer), bytes, flags);
}
template <class T>
cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned flags) {
  return cudaHostGetDevicePointer(simt::detail::untyped(device), host, flags);
}
template <class T>
cudaError_t cudaMallocAsync(T** pointer, std::size_t bytes, cudaStream_t stream) {
  return cudaMallocAsync(simt::detail::untyped(pointer), bytes, stream);
}
template <class T>
cudaError_t cudaMallocFromPoolAsync(T** pointer, std::size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  return cudaMallocFromPoolAsync(simt::detail::untyped(pointer), bytes, pool, stream);
}
template <class T>
cudaError_t cudaMallocAsync(T** pointer, std::size_t bytes, cudaMemPool_t pool,
                            cudaStream_t stream) {
  return cudaMallocFromPoolAsync(simt::detail::untyped(pointer), bytes, pool, stream);
}
template <class T>
cudaError_t cudaMallocPitch(T** pointer, std::size_t* pitch, std::size_t width,
                            std::size_t height) {
  return cudaMallocPitch(simt::detail::untyped(pointer), pitch, width, height);
}
template <class T>
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T* pointer, std::size_t bytes = 0,
                                     unsigned flags = cudaMemAttachSingle) {
  return cudaStreamAttachMemAsync(stream, static_cast<void*>(pointer), bytes, flags);
}

namespace simt::detail {
/// A hint about memory; it has no effect but to be a right one.
cudaError_t advise(const char* call, const void* pointer, std::size_t bytes,
                   const cudaMemLocation& where);
}  // namespace simt::detail

// Where memory is wanted: as a device's number, or as CUDA 13 has it.
inline cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes,
                                        cudaMemLocation where, unsigned /*flags*/,
                                        cudaStream_t = nullptr) {
  return simt::detail::advise("cudaMemPrefetchAsync", pointer, bytes, where);
}
inline cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, int device,
                                        cudaStream_t = nullptr) {
  const auto type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  return simt::detail::advise("cudaMemPrefetchAsync", pointer, bytes, {type, device});
}
inline cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise,
                                 cudaMemLocation where) {
  return simt::detail::advise("cudaMemAdvise", pointer, bytes, where);
}
inline cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise,
                                 int device) {
  const auto type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  return simt::detail::advise("cudaMemAdvise", pointer, bytes, {type, device});
}

inline cudaPitchedPtr make_cudaPitchedPtr(void* pointer, std::size_t pitch, std::size_t width,
                                          std::size_t height) {
  return {pointer, pitch, width, height};
}
inline cudaExtent make_cudaExtent(std::size_t width, std::size_t height, std::size_t depth) {
  return {width, height, depth};
}
inline cudaPos make_cudaPos(std::size_t x, std::size_t y, std::size_t z) { return {x, y, z}; }

inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags) {
  return cudaEventCreateWithFlags(event, flags);
}

// Graphs, in the forms of several releases.
cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                             std::size_t count, cudaGraphNodeParams* params);
inline cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                    const cudaGraphNode_t* after, const void* /*edges*/,
                                    std::size_t count, cudaGraphNodeParams* params) {
  return cudaGraphAddNode(node, graph, after, count, params);
}
cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* params);
cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                       cudaGraphNodeParams* params);
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                        unsigned long long flags = 0) {
  return cudaGraphInstantiateWithFlags(exec, graph, flags);
}
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                        cudaGraphNode_t* /*error*/, char* /*log*/,
                                        std::size_t /*bytes*/) {
  return cudaGraphInstantiateWithFlags(exec, graph, 0);
}
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                       cudaGraphNode_t* error, cudaGraphExecUpdateResult* result) {
  cudaGraphExecUpdateResultInfo info{};
  const cudaError_t status = cudaGraphExecUpdate(exec, graph, &info);
  if (error != nullptr) *error = info.errorNode;
  *result = info.result;
  return status;
}
inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                            const cudaGraphNode_t* to, const void* /*edges*/,
                                            std::size_t count) {
  return cudaGraphAddDependencies(graph, from, to, count);
}
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t* after, const void* edges,
                                          std::size_t count, cudaStreamCaptureMode mode);
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id = nullptr, cudaGraph_t* graph = nullptr,
                                     const cudaGraphNode_t** after = nullptr,
                                     std::size_t* count = nullptr);
inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                            unsigned long long* id, cudaGraph_t* graph,
                                            const cudaGraphNode_t** after, const void** edges,
                                            std::size_t* count) {
  if (edges != nullptr) *edges = nullptr;
  return cudaStreamGetCaptureInfo(stream, status, id, graph, after, count);
}
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* nodes,
                                                std::size_t count, unsigned flags = 0);
inline cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* nodes,
                                                       const void* /*edges*/, std::size_t count,
                                                       unsigned flags = 0) {
  return cudaStreamUpdateCaptureDependencies(stream, nodes, count, flags);
}
/// In a kernel whose launch may overlap the one before: here it never does.
inline void cudaGridDependencySynchronize() {}
inline void cudaTriggerProgrammaticLaunchCompletion() {}
/// In a kernel: what the conditional nodes of this handle go by.
void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value);
// NOLINTEND(readability-identifier-naming)
