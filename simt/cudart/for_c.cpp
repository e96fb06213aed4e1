// simt/runtime/for_c.h.
#include <string>

#include "simt/cuda/cuda_runtime.h"
#include "simt/cudart/state.hpp"
#include "simt/runtime_kernels.hpp"
#include "simt/runtime_symbols.hpp"
#include "simt/src/memory/arena.hpp"
#include "simt/textures.hpp"

// NOLINTBEGIN(readability-identifier-naming): the names are CUDA's

namespace {

using simt::detail::copy_symbol;

std::size_t bytes_of_symbol(const void* symbol) {
  return simt::detail::variable_at(reinterpret_cast<std::uintptr_t>(symbol)).bytes;
}

}  // namespace

extern "C" {

cudaChannelFormatDesc simt_c_cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   cudaChannelFormatKind kind) {
  return cudaCreateChannelDesc(x, y, z, w, kind);
}

cudaError_t simt_c_cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice,
                                 cudaMemLocation where) {
  return cudaMemAdvise(pointer, bytes, advice, where);
}
cudaError_t simt_c_cudaMemPrefetchAsync(const void* pointer, std::size_t bytes,
                                        cudaMemLocation where, unsigned flags,
                                        cudaStream_t stream) {
  return cudaMemPrefetchAsync(pointer, bytes, where, flags, stream);
}

cudaError_t simt_c_cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                    std::size_t shared_bytes, cudaStream_t stream) {
  return cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream);
}
cudaError_t simt_c_cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block,
                                               void** arguments, std::size_t shared_bytes,
                                               cudaStream_t stream) {
  return cudaLaunchCooperativeKernel(kernel, grid, block, arguments, shared_bytes, stream);
}
cudaError_t simt_c_cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel,
                                       void** arguments) {
  return cudaLaunchKernelExC(config, kernel, arguments);
}
cudaError_t simt_c_cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel) {
  return cudaFuncGetAttributes(attributes, kernel);
}
cudaError_t simt_c_cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute,
                                        int value) {
  return cudaFuncSetAttribute(kernel, attribute, value);
}
cudaError_t simt_c_cudaFuncSetCacheConfig(const void* kernel, cudaFuncCache config) {
  return cudaFuncSetCacheConfig(kernel, config);
}
cudaError_t simt_c_cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel,
                                                                 int threads,
                                                                 std::size_t shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads, shared_bytes);
}
cudaError_t simt_c_cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes,
                                      std::size_t offset, cudaMemcpyKind kind) {
  return copy_symbol(symbol, bytes_of_symbol(symbol), offset, nullptr, from, bytes, kind);
}
cudaError_t simt_c_cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes,
                                        std::size_t offset, cudaMemcpyKind kind) {
  return copy_symbol(symbol, bytes_of_symbol(symbol), offset, to, nullptr, bytes, kind);
}
cudaError_t simt_c_cudaGetSymbolAddress(void** address, const void* symbol) {
  return simt::detail::symbol_address(address, symbol);
}
cudaError_t simt_c_cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
  void* address = nullptr;
  *bytes = bytes_of_symbol(symbol);
  return simt::detail::symbol_address(&address, symbol);
}

cudaError_t simt_c_cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                        unsigned long long flags) {
  return cudaGraphInstantiate(exec, graph, flags);
}
cudaError_t simt_c_cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                                 const cudaGraphNode_t* after, const void* edges,
                                                 std::size_t count, cudaStreamCaptureMode mode) {
  return cudaStreamBeginCaptureToGraph(stream, graph, after, edges, count, mode);
}
cudaError_t simt_c_cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                            unsigned long long* id, cudaGraph_t* graph,
                                            const cudaGraphNode_t** after, const void** edges,
                                            std::size_t* count) {
  return cudaStreamGetCaptureInfo(stream, status, id, graph, after, edges, count);
}

}  // extern "C"

// NOLINTEND(readability-identifier-naming)
