// The part of CUDA's runtime that is about kernels and variables of the device.
#pragma once

#include <cstddef>
#include <utility>

#include "simt/launch.hpp"
#include "simt/runtime_types.hpp"

// NOLINTBEGIN(readability-identifier-naming): the names are CUDA's

namespace simt::detail {

/// Launches; returns CUDA's status and remembers it if it is an error.
cudaError_t launch_with_status(const launch_config& config, cudaStream_t stream, const void* kernel,
                               entry body, void* arguments);
/// Refuses more dynamic shared memory than the kernel was allowed.
cudaError_t check_shared(const launch_config& config, const void* kernel);
cudaError_t set_most_dynamic_shared(const void* kernel, int bytes);
cudaError_t copy_symbol(const void* symbol, std::size_t size, std::size_t offset, void* to,
                        const void* from, std::size_t bytes, cudaMemcpyKind kind,
                        cudaStream_t stream = nullptr);
cudaError_t symbol_address(void** address, const void* symbol);
cudaError_t resident_blocks(int* blocks, int threads, std::size_t shared_bytes);
cudaError_t remember(cudaError_t error, const char* call, const char* why);

int processors();  // of the device that the machine is shaped like

template <class T>
const void* address_of(const T& symbol) {
  return const_cast<const void*>(static_cast<const volatile void*>(&symbol));
}

template <class... Parameters, std::size_t... Index>
cudaError_t launch_array(const launch_config& config, cudaStream_t stream,
                         void (*kernel)(Parameters...), void** arguments,
                         std::index_sequence<Index...>) {
  const auto* const address = reinterpret_cast<const void*>(kernel);
  if (simt::is_capturing(stream)) {  // the arguments' memory may be gone by the time it runs
    if (const auto refused = check_shared(config, address); refused != cudaSuccess) return refused;
    auto kept = config;
    kept.stream = stream;
    simt::launch(kept, kernel, *static_cast<Parameters*>(arguments[Index])...);
    return cudaSuccess;
  }
  struct call {
    void** arguments;
    [[clang::no_sanitize("coverage")]] static void enter(void* p, const void* address) {
      const auto& c = *static_cast<const call*>(p);
      using function = void (*)(Parameters...);
      reinterpret_cast<function>(const_cast<void*>(address))(
          *static_cast<Parameters*>(c.arguments[Index])...);
    }
  } c{arguments};
  return launch_with_status(config, stream, address, call::enter, &c);
}

}  // namespace simt::detail

// Launches. The kernel must come as itself: its parameters' types are needed.
template <class... Parameters>
cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void** arguments,
                             std::size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
  return simt::detail::launch_array({.grid = grid, .block = block, .shared_bytes = shared_bytes},
                                    stream, kernel, arguments,
                                    std::index_sequence_for<Parameters...>());
}
template <class... Parameters>
cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block,
                                        void** arguments, std::size_t shared_bytes = 0,
                                        cudaStream_t stream = nullptr) {
  return simt::detail::launch_array(
      {.grid = grid, .block = block, .shared_bytes = shared_bytes, .cooperative = true}, stream,
      kernel, arguments, std::index_sequence_for<Parameters...>());
}
template <class... Parameters, class... Args>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Args&&... args) {
  simt::launch_config c{
      .grid = config->gridDim, .block = config->blockDim, .shared_bytes = config->dynamicSmemBytes};
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const cudaLaunchAttribute& a = config->attrs[i];
    if (a.id == cudaLaunchAttributeCooperative) c.cooperative = a.val.cooperative != 0;
    if (a.id != cudaLaunchAttributeClusterDimension) continue;
    if (a.val.clusterDim.y > 1 || a.val.clusterDim.z > 1) {
      return simt::detail::remember(cudaErrorNotSupported, "cudaLaunchKernelEx",
                                    "clusters lie along x here");
    }
    c.cluster = a.val.clusterDim.x;
  }
  std::tuple<Parameters...> values(std::forward<Args>(args)...);
  return std::apply(
      [&](Parameters&... value) {
        void* arguments[] = {&value..., nullptr};
        return simt::detail::launch_array(c, config->stream, kernel, arguments,
                                          std::index_sequence_for<Parameters...>());
      },
      values);
}
[[deprecated(
    "a kernel cast to void* has lost its parameters' types; give the kernel "
    "itself")]] inline cudaError_t
cudaLaunchKernel(const void*, dim3, dim3, void**, std::size_t = 0, cudaStream_t = nullptr) {
  return simt::detail::remember(cudaErrorInvalidDeviceFunction, "cudaLaunchKernel",
                                "a kernel cast to void*; give the kernel itself");
}
[[deprecated(
    "a kernel cast to void* has lost its parameters' types; give the kernel "
    "itself")]] inline cudaError_t
cudaLaunchCooperativeKernel(const void*, dim3, dim3, void**, std::size_t = 0,
                            cudaStream_t = nullptr) {
  return simt::detail::remember(cudaErrorInvalidDeviceFunction, "cudaLaunchCooperativeKernel",
                                "a kernel cast to void*; give the kernel itself");
}

template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel* kernel, cudaFuncAttribute attribute, int value) {
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  return simt::detail::set_most_dynamic_shared(reinterpret_cast<const void*>(kernel), value);
}
template <class Kernel>
cudaError_t cudaFuncSetCacheConfig(Kernel*, cudaFuncCache) {
  return cudaSuccess;
}

/// By threads and dynamic shared memory; registers are the device compiler's to know.
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel*, int threads,
                                                          std::size_t shared_bytes) {
  return simt::detail::resident_blocks(blocks, threads, shared_bytes);
}
template <class Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, Kernel*,
                                               std::size_t shared_bytes = 0, int limit = 0) {
  *block = limit > 0 && limit < 1024 ? limit : 1024;
  int resident = 0;
  const cudaError_t status = simt::detail::resident_blocks(&resident, *block, shared_bytes);
  *grid = resident * simt::detail::processors();
  return status;
}

// __device__ and __constant__ variables.
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
// NOLINTEND(readability-identifier-naming)
