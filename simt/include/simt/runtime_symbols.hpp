// The part of CUDA's runtime that is about __device__ and __constant__ variables.
#pragma once

#include <cstddef>

#include "simt/runtime/calls.h"
#include "simt/runtime/graph_calls.h"
#include "simt/runtime_types.hpp"

// NOLINTBEGIN(readability-identifier-naming): the names are CUDA's

namespace simt::detail {

cudaError_t copy_symbol(const void* symbol, std::size_t size, std::size_t offset, void* to,
                        const void* from, std::size_t bytes, cudaMemcpyKind kind,
                        cudaStream_t stream = nullptr);
cudaError_t symbol_address(void** address, const void* symbol);

template <class T>
const void* address_of(const T& symbol) {
  return const_cast<const void*>(static_cast<const volatile void*>(&symbol));
}

}  // namespace simt::detail

template <class T>
cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, std::size_t bytes,
                               std::size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return simt::detail::copy_symbol(simt::detail::address_of(symbol), sizeof(T), offset, nullptr,
                                   from, bytes, kind);
}
template <class T>
cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, std::size_t bytes,
                                    std::size_t offset, cudaMemcpyKind kind,
                                    cudaStream_t stream = {}) {
  return simt::detail::copy_symbol(simt::detail::address_of(symbol), sizeof(T), offset, nullptr,
                                   from, bytes, kind, stream);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, std::size_t bytes,
                                 std::size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return simt::detail::copy_symbol(simt::detail::address_of(symbol), sizeof(T), offset, to, nullptr,
                                   bytes, kind);
}
template <class T>
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, std::size_t bytes,
                                      std::size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream = {}) {
  return simt::detail::copy_symbol(simt::detail::address_of(symbol), sizeof(T), offset, to, nullptr,
                                   bytes, kind, stream);
}
template <class T>
cudaError_t cudaGetSymbolAddress(void** address, const T& symbol) {
  return simt::detail::symbol_address(address, simt::detail::address_of(symbol));
}
template <class T>
cudaError_t cudaGetSymbolSize(std::size_t* size, const T&) {
  *size = sizeof(T);
  return cudaSuccess;
}

namespace simt::detail {

/// What `call` says of the address at `offset` in the symbol, or why there is none.
template <class T, class Call>
cudaError_t with_symbol(const T& symbol, std::size_t offset, const Call& call) {
  void* there = nullptr;
  const cudaError_t status = cudaGetSymbolAddress(&there, symbol);
  return status != cudaSuccess ? status : call(static_cast<char*>(there) + offset);
}

}  // namespace simt::detail

// Nodes of a graph that copy to and from them.
template <class T>
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                           const cudaGraphNode_t* after, std::size_t count,
                                           const T& symbol, const void* from, std::size_t bytes,
                                           std::size_t offset, cudaMemcpyKind kind) {
  return simt::detail::with_symbol(symbol, offset, [&](void* to) {
    return cudaGraphAddMemcpyNode1D(node, graph, after, count, to, from, bytes, kind);
  });
}
template <class T>
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                             const cudaGraphNode_t* after, std::size_t count,
                                             void* to, const T& symbol, std::size_t bytes,
                                             std::size_t offset, cudaMemcpyKind kind) {
  return simt::detail::with_symbol(symbol, offset, [&](const void* from) {
    return cudaGraphAddMemcpyNode1D(node, graph, after, count, to, from, bytes, kind);
  });
}
template <class T>
cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const T& symbol,
                                                 const void* from, std::size_t bytes,
                                                 std::size_t offset, cudaMemcpyKind kind) {
  return simt::detail::with_symbol(symbol, offset, [&](void* to) {
    return cudaGraphMemcpyNodeSetParams1D(node, to, from, bytes, kind);
  });
}
template <class T>
cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* to, const T& symbol,
                                                   std::size_t bytes, std::size_t offset,
                                                   cudaMemcpyKind kind) {
  return simt::detail::with_symbol(symbol, offset, [&](const void* from) {
    return cudaGraphMemcpyNodeSetParams1D(node, to, from, bytes, kind);
  });
}
template <class T>
cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                     const T& symbol, const void* from,
                                                     std::size_t bytes, std::size_t offset,
                                                     cudaMemcpyKind kind) {
  return simt::detail::with_symbol(symbol, offset, [&](void* to) {
    return cudaGraphExecMemcpyNodeSetParams1D(exec, node, to, from, bytes, kind);
  });
}
template <class T>
cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                       void* to, const T& symbol, std::size_t bytes,
                                                       std::size_t offset, cudaMemcpyKind kind) {
  return simt::detail::with_symbol(symbol, offset, [&](const void* from) {
    return cudaGraphExecMemcpyNodeSetParams1D(exec, node, to, from, bytes, kind);
  });
}
// NOLINTEND(readability-identifier-naming)
