// The part of CUDA's runtime that is about kernels and variables of the device.
#pragma once

#include <cstddef>
#include <memory>
#include <tuple>
#include <utility>

#include "simt/launch.hpp"
#include "simt/runtime/calls.h"
#include "simt/runtime/graph_calls.h"
#include "simt/runtime_types.hpp"

// NOLINTBEGIN(readability-identifier-naming): the names are CUDA's

namespace simt::detail {

/// Launches; returns CUDA's status and remembers it if it is an error.
cudaError_t launch_with_status(const launch_config& config, cudaStream_t stream, const void* kernel,
                               entry body, void* arguments);
/// Refuses more dynamic shared memory than the kernel was allowed, and what its attributes forbid.
cudaError_t check_limits(const launch_config& config, const void* kernel);
cudaError_t set_most_dynamic_shared(const void* kernel, int bytes);
/// Clusters of more than 8 blocks.
void allow_large_clusters(const void* kernel, bool allowed);
/// Of no known kernel: nullptr.
cudaError_t resident_blocks(int* blocks, const void* kernel, int threads, std::size_t shared_bytes);
cudaError_t resident_clusters(int* clusters, const void* kernel, const cudaLaunchConfig_t& config);
int largest_block(const void* kernel);  // threads
cudaError_t largest_cluster(int* blocks, const void* kernel, const cudaLaunchConfig_t& config);
inline constexpr unsigned most_blocks_of_cluster = 8;  // without cudaFuncAttributeNonPortable…
cudaError_t remember(cudaError_t error, const char* call, const char* why);
const char* lasting_name(const void* kernel);

/// What a kernel's address alone does not say: how to keep its arguments, and how to run it on
/// them.
struct kernel_type {
  std::size_t parameters;
  std::shared_ptr<void> (*keep)(const void* kernel, void* const* arguments);
  entry enter;                      // of what was kept
  void** (*arguments)(void* kept);  // one address for each, and a null
};
/// The kernel's address; its type is known from then on.
void* know_kernel(const void* kernel, const kernel_type& type);
/// nullptr: not known.
const kernel_type* find_kernel(const void* kernel);
/// Launches by address alone.
cudaError_t launch_known(const char* call, const launch_config& config, cudaStream_t stream,
                         const void* kernel, void** arguments);

template <class... Parameters>
struct kept_call {
  std::tuple<Parameters...> arguments;
  void* addresses[sizeof...(Parameters) + 1];

  explicit kept_call(std::tuple<Parameters...> a) : arguments(std::move(a)), addresses{} {
    std::apply(
        [&](auto&... value) {
          std::size_t i = 0;
          static_cast<void>(i);
          ((addresses[i++] = const_cast<void*>(static_cast<const volatile void*>(&value))), ...);
        },
        arguments);
  }
  template <std::size_t... Index>
  static std::shared_ptr<void> keep(void* const* arguments, std::index_sequence<Index...>) {
    static_cast<void>(arguments);
    return std::make_shared<kept_call>(
        std::tuple<Parameters...>(*static_cast<Parameters*>(arguments[Index])...));
  }
  static std::shared_ptr<void> keep_all(const void*, void* const* arguments) {
    return keep(arguments, std::index_sequence_for<Parameters...>());
  }
  // Not a step of the kernel's.
  [[clang::no_sanitize("coverage")]] static void enter(void* p, const void* address) {
    const auto& c = *static_cast<const kept_call*>(p);
    using function = void (*)(Parameters...);
    call_kernel(reinterpret_cast<function>(const_cast<void*>(address)), c.arguments,
                std::index_sequence_for<Parameters...>());
  }
  static void** all_addresses(void* p) { return static_cast<kept_call*>(p)->addresses; }
};
/// What the source step makes of a cast of a kernel to void*.
template <class... Parameters>
void* kernel_address(void (*kernel)(Parameters...)) {
  using call = kept_call<Parameters...>;
  return know_kernel(reinterpret_cast<const void*>(kernel),
                     {sizeof...(Parameters), call::keep_all, call::enter, call::all_addresses});
}

int processors();  // of the device that the machine is shaped like

/// Attributes that are about caches and priorities are taken, and have no effect.
cudaError_t read_config(const cudaLaunchConfig_t& from, launch_config& to);
cudaError_t attributes_of(cudaFuncAttributes* attributes, const void* kernel);

template <class... Parameters, std::size_t... Index>
cudaError_t launch_array(const launch_config& config, cudaStream_t stream,
                         void (*kernel)(Parameters...), void** arguments,
                         std::index_sequence<Index...>) {
  const auto* const address = reinterpret_cast<const void*>(kernel);
  if (simt::is_capturing(stream)) {  // the arguments' memory may be gone by the time it runs
    if (const auto refused = check_limits(config, address); refused != cudaSuccess) return refused;
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
  simt::launch_config c{};
  if (const auto e = simt::detail::read_config(*config, c); e != cudaSuccess) return e;
  std::tuple<Parameters...> values(std::forward<Args>(args)...);
  return std::apply(
      [&](Parameters&... value) {
        void* arguments[] = {&value..., nullptr};
        return simt::detail::launch_array(c, config->stream, kernel, arguments,
                                          std::index_sequence_for<Parameters...>());
      },
      values);
}
inline cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                    std::size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
  return simt::detail::launch_known("cudaLaunchKernel",
                                    {.grid = grid, .block = block, .shared_bytes = shared_bytes},
                                    stream, kernel, arguments);
}
inline cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block,
                                               void** arguments, std::size_t shared_bytes = 0,
                                               cudaStream_t stream = nullptr) {
  return simt::detail::launch_known(
      "cudaLaunchCooperativeKernel",
      {.grid = grid, .block = block, .shared_bytes = shared_bytes, .cooperative = true}, stream,
      kernel, arguments);
}
inline cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel,
                                       void** arguments) {
  simt::launch_config c{};
  const auto status = simt::detail::read_config(*config, c);
  return status != cudaSuccess ? status
                               : simt::detail::launch_known("cudaLaunchKernelExC", c,
                                                            config->stream, kernel, arguments);
}

template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel* kernel, cudaFuncAttribute attribute, int value) {
  const auto* const address = reinterpret_cast<const void*>(kernel);
  if (attribute == cudaFuncAttributeNonPortableClusterSizeAllowed) {
    simt::detail::allow_large_clusters(address, value != 0);
  }
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  return simt::detail::set_most_dynamic_shared(address, value);
}
template <class Kernel>
cudaError_t cudaFuncSetCacheConfig(Kernel*, cudaFuncCache) {
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaFuncSetSharedMemConfig(Kernel*, cudaSharedMemConfig) {
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, Kernel* kernel) {
  return simt::detail::attributes_of(attributes, reinterpret_cast<const void*>(kernel));
}

/// As messages name it, with its template arguments.
template <class Kernel>
cudaError_t cudaFuncGetName(const char** name, Kernel* kernel) {
  *name = simt::detail::lasting_name(reinterpret_cast<const void*>(kernel));
  return cudaSuccess;
}
/// Parameters follow one another, each at a multiple of its alignment.
template <class... Parameters>
cudaError_t cudaFuncGetParamInfo(void (*)(Parameters...), std::size_t index, std::size_t* offset,
                                 std::size_t* size) {
  const std::size_t sizes[] = {sizeof(Parameters)..., 0}, steps[] = {alignof(Parameters)..., 1};
  if (index >= sizeof...(Parameters)) {
    return simt::detail::remember(cudaErrorInvalidValue, "cudaFuncGetParamInfo",
                                  "the kernel has fewer parameters");
  }
  *offset = 0;
  for (std::size_t i = 0; i <= index; ++i) {
    *offset = (*offset + steps[i] - 1) / steps[i] * steps[i];
    if (i != index) *offset += sizes[i];
  }
  if (size != nullptr) *size = sizes[index];
  return cudaSuccess;
}

/// By threads and dynamic shared memory; registers are the device compiler's to know.
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel* kernel, int threads,
                                                          std::size_t shared_bytes) {
  return simt::detail::resident_blocks(blocks, reinterpret_cast<const void*>(kernel), threads,
                                       shared_bytes);
}
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, Kernel* kernel,
                                                                   int threads,
                                                                   std::size_t shared_bytes,
                                                                   unsigned) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads, shared_bytes);
}
template <class Kernel>
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, Kernel*, int blocks,
                                                      int) {
  cudaDeviceProp device;
  const cudaError_t status = cudaGetDeviceProperties(&device, 0);
  *bytes = device.sharedMemPerMultiprocessor / static_cast<unsigned>(blocks > 0 ? blocks : 1) -
           device.reservedSharedMemPerBlock;
  return status;
}
/// The largest of the blocks of whole warps that put the most threads on a multiprocessor.
template <class SharedBytes, class Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid, int* block, Kernel* kernel,
                                                           SharedBytes shared_bytes,
                                                           int limit = 0) {
  const int of_kernel = simt::detail::largest_block(reinterpret_cast<const void*>(kernel));
  const int most = limit > 0 && limit < of_kernel ? limit : of_kernel;
  int most_threads = 0, most_blocks = 0;
  *block = 0;
  for (int warps = (most + 31) / 32; warps > 0; --warps) {
    const int threads = 32 * warps < most ? 32 * warps : most;
    int blocks = 0;
    const cudaError_t status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &blocks, kernel, threads, static_cast<std::size_t>(shared_bytes(threads)));
    if (status != cudaSuccess) return status;
    if (blocks * threads <= most_threads) continue;
    most_threads = blocks * threads;
    most_blocks = blocks;
    *block = threads;
  }
  *grid = most_blocks * simt::detail::processors();
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, Kernel* kernel,
                                               std::size_t shared_bytes = 0, int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      grid, block, kernel, [=](int) { return shared_bytes; }, limit);
}
template <class Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, Kernel* kernel,
                                                        std::size_t shared_bytes, int limit,
                                                        unsigned) {
  return cudaOccupancyMaxPotentialBlockSize(grid, block, kernel, shared_bytes, limit);
}
template <class SharedBytes, class Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int* grid, int* block,
                                                                    Kernel* kernel,
                                                                    SharedBytes shared_bytes,
                                                                    int limit, unsigned) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, kernel, shared_bytes, limit);
}
/// Clusters of the device at once, by threads and dynamic shared memory.
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, Kernel* kernel,
                                           const cudaLaunchConfig_t* config) {
  return simt::detail::resident_clusters(clusters, reinterpret_cast<const void*>(kernel), *config);
}
template <class Kernel>
cudaError_t cudaOccupancyMaxPotentialClusterSize(int* blocks, Kernel* kernel,
                                                 const cudaLaunchConfig_t* config) {
  return simt::detail::largest_cluster(blocks, reinterpret_cast<const void*>(kernel), *config);
}

// NOLINTEND(readability-identifier-naming)
