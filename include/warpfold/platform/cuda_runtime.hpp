// The host side of the seam under nvcc: what the library asks of the CUDA runtime, as statuses.
// Included by platform.hpp only. Threads share through the compiler's atomics:
// <atomic> and <mutex> take a second to compile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <cudaTypedefs.h>

#include "warpfold/status.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

inline status to_status(cudaError_t error) {
  return error == cudaSuccess ? status{}
                              : status{static_cast<int>(error), cudaGetErrorString(error)};
}

struct device_properties {
  unsigned multiprocessors;
  unsigned capability;  // 90 for 9.0
};

/// Of the current device. Asked once a device, then remembered.
inline device_properties current_device() {
  constexpr int known = 64;
  static unsigned cache[known];
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return {1, 0};
  unsigned packed = device < known ? __atomic_load_n(&cache[device], __ATOMIC_RELAXED) : 0;
  if (packed == 0) {
    int count = 1, major = 0, minor = 0;
    cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    packed = static_cast<unsigned>(count) << 16 | static_cast<unsigned>(major * 10 + minor);
    if (device < known) __atomic_store_n(&cache[device], packed, __ATOMIC_RELAXED);
  }
  return {packed >> 16, packed & 0xffff};
}

namespace detail {

/// Whether the current device lets a grid start before the one ahead has ended: 9.0 and newer do.
/// Nothing is asked where this program was built for such devices alone.
inline bool has_programmatic_launch() {
#if defined(__CUDA_ARCH_LIST__)
  constexpr bool always = [] {
    for (const unsigned capability : {__CUDA_ARCH_LIST__}) {
      if (capability < 900) return false;
    }
    return true;
  }();
  if (always) return true;
#endif
  return current_device().capability >= 90;
}

/// A launch as the runtime wants it.
struct launch_request {
  cudaLaunchConfig_t config{};
  cudaLaunchAttribute attributes[3]{};

  launch_request(const launch_config& c, const void* kernel) {
    config.gridDim = dim3(c.grid);
    config.blockDim = dim3(c.block);
    config.dynamicSmemBytes = c.shared_bytes;
    config.stream = c.stream;
    config.attrs = attributes;
    if (c.cluster > 1) {
      cudaLaunchAttribute& cluster = attributes[config.numAttrs++];
      cluster.id = cudaLaunchAttributeClusterDimension;
      cluster.val.clusterDim = {c.cluster, 1, 1};
    }
    if (c.programmatic_launch && has_programmatic_launch()) {
      cudaLaunchAttribute& serialization = attributes[config.numAttrs++];
      serialization.id = cudaLaunchAttributeProgrammaticStreamSerialization;
      serialization.val.programmaticStreamSerializationAllowed = 1;
    }
#if CUDART_VERSION >= 13000
    if (c.shared_percent != 0) {
      cudaLaunchAttribute& carveout = attributes[config.numAttrs++];
      carveout.id = cudaLaunchAttributePreferredSharedMemoryCarveout;
      carveout.val.sharedMemCarveout = c.shared_percent;
    }
#endif
    if (c.shared_bytes > 32 * 1024) {  // with the kernel's own shared memory it may pass 48 KiB
      allow(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(c.shared_bytes));
    }
    if (c.cluster > 8) {  // more than any device must take
      allow(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    }
  }
  launch_request(const launch_request&) = delete;
  launch_request& operator=(const launch_request&) = delete;

  cudaError_t refused = cudaSuccess;

 private:
  void allow(const void* kernel, cudaFuncAttribute what, int value) {
    if (refused == cudaSuccess) refused = cudaFuncSetAttribute(kernel, what, value);
  }
};

#if CUDART_VERSION >= 12050
/// The driver's part of a launch. What the runtime does before it calls this takes a twentieth of
/// a short call.
class driver_launch {
 public:
  /// Whether the launch is made. If not, the runtime's own does it, or says why it can't.
  static bool make(const launch_request& wanted, const void* kernel, void** parameters) {
    static const driver_launch driver;
    unsigned long long context = 0;
    if (driver.launch_ == nullptr || driver.context_id_(nullptr, &context) != CUDA_SUCCESS) {
      return false;
    }
    const CUfunction function = function_in(context, kernel);
    const cudaLaunchConfig_t& c = wanted.config;
    static_assert(sizeof(CUlaunchAttribute) == sizeof(cudaLaunchAttribute));
    CUlaunchConfig config{c.gridDim.x, 1, 1, c.blockDim.x, 1, 1, 0, nullptr, nullptr, 0};
    config.sharedMemBytes = static_cast<unsigned>(c.dynamicSmemBytes);
    config.hStream = c.stream;
    config.attrs = reinterpret_cast<CUlaunchAttribute*>(c.attrs);
    config.numAttrs = c.numAttrs;
    return function != nullptr &&
           driver.launch_(&config, function, parameters, nullptr) == CUDA_SUCCESS;
  }

 private:
  driver_launch() {
    const auto find = [](auto& call, const char* name) {
      void* found = nullptr;
      cudaDriverEntryPointQueryResult result;
      const bool there = cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault,
                                                          &result) == cudaSuccess;
      call = reinterpret_cast<std::decay_t<decltype(call)>>(there ? found : nullptr);
      return call != nullptr;
    };
    if (find(context_id_, "cuCtxGetId")) find(launch_, "cuLaunchKernelEx");
  }

  /// The kernel as the driver knows it, in the current context: asked once a thread.
  static CUfunction function_in(unsigned long long context, const void* kernel) {
    struct entry {
      const void* kernel;
      unsigned long long context;
      CUfunction function;
    };
    constexpr std::uintptr_t known = 64, alignment = 16;
    thread_local entry cache[known];
    entry& found = cache[reinterpret_cast<std::uintptr_t>(kernel) / alignment % known];
    if (found.kernel != kernel || found.context != context) {
      cudaFunction_t function = nullptr;
      if (cudaGetFuncBySymbol(&function, kernel) != cudaSuccess) return nullptr;
      found = {kernel, context, function};
    }
    return found.function;
  }

  PFN_cuCtxGetId_v12000 context_id_ = nullptr;
  PFN_cuLaunchKernelEx_v11060 launch_ = nullptr;
};
#endif

}  // namespace detail

/// Puts `kernel(args...)` into the stream.
template <class... Parameters, class... Args>
status try_launch(const launch_config& c, void (*kernel)(Parameters...), Args&&... args) {
  const auto* const name = reinterpret_cast<const void*>(kernel);
  const detail::launch_request wanted(c, name);
  if (wanted.refused != cudaSuccess) return to_status(wanted.refused);
  const auto put = [&](Parameters... parameters) {
    void* pointers[] = {const_cast<void*>(static_cast<const void*>(&parameters))...};
#if CUDART_VERSION >= 12050
    if (detail::driver_launch::make(wanted, name, pointers)) return cudaSuccess;
#endif
    return cudaLaunchKernelExC(&wanted.config, name, pointers);
  };
  return to_status(put(static_cast<Parameters>(args)...));
}

/// The devices on which a launch can run, as far as they were asked.
struct launch_fits {
  std::uint64_t asked = 0, yes = 0;
};
/// Whether a cluster of this launch finds room on the current device; asked once a device, and
/// remembered in `known`.
template <class... Parameters>
bool fits(const launch_config& c, void (*kernel)(Parameters...), launch_fits& known) {
  int device = 0, clusters = 0;
  if (cudaGetDevice(&device) != cudaSuccess || device >= 64) return false;
  const std::uint64_t bit = std::uint64_t{1} << device;
  if ((__atomic_load_n(&known.asked, __ATOMIC_ACQUIRE) & bit) == 0) {
    const void* const f = reinterpret_cast<const void*>(kernel);
    const detail::launch_request wanted(c, f);
    if (wanted.refused == cudaSuccess &&
        cudaOccupancyMaxActiveClusters(&clusters, f, &wanted.config) == cudaSuccess &&
        clusters > 0) {
      __atomic_fetch_or(&known.yes, bit, __ATOMIC_RELAXED);
    }
    (void)cudaGetLastError();  // a refusal is an answer
    __atomic_fetch_or(&known.asked, bit, __ATOMIC_RELEASE);
  }
  return (__atomic_load_n(&known.yes, __ATOMIC_RELAXED) & bit) != 0;
}

/// The same; throws device_error when the launch is refused.
template <class... Parameters, class... Args>
void launch(const launch_config& c, void (*kernel)(Parameters...), Args&&... args) {
  try_launch(c, kernel, std::forward<Args>(args)...)
      .throw_if_failed("launch of ", c.grid, " blocks of ", c.block, " threads");
}

/// The library's own pool on the current device. It keeps a little of what was freed: the default
/// pool gives all of it back whenever the host waits, and then each call waits for the driver. Null
/// where there can be none.
inline cudaMemPool_t scratch_pool() {
  constexpr int known = 64;
  static cudaMemPool_t pools[known];
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess || device >= known) return nullptr;
  cudaMemPool_t pool = __atomic_load_n(&pools[device], __ATOMIC_ACQUIRE);
  if (pool != nullptr) return pool;
  cudaMemPoolProps wanted{};
  wanted.allocType = cudaMemAllocationTypePinned;
  wanted.location = {cudaMemLocationTypeDevice, device};
  cudaMemPool_t mine = nullptr;
  if (cudaMemPoolCreate(&mine, &wanted) != cudaSuccess) {
    (void)cudaGetLastError();
    return nullptr;
  }
  std::uint64_t kept = std::uint64_t{64} << 20;
  (void)cudaMemPoolSetAttribute(mine, cudaMemPoolAttrReleaseThreshold, &kept);
  if (!__atomic_compare_exchange_n(&pools[device], &pool, mine, false, __ATOMIC_ACQ_REL,
                                   __ATOMIC_ACQUIRE)) {
    (void)cudaMemPoolDestroy(mine);  // another thread was first
    return pool;
  }
  return mine;
}

/// Stream-ordered memory; capturable in a graph.
inline status allocate_async(void** p, std::size_t bytes, stream_type stream) {
  const cudaMemPool_t pool = scratch_pool();
  return to_status(pool != nullptr ? cudaMallocFromPoolAsync(p, bytes, pool, stream)
                                   : cudaMallocAsync(p, bytes, stream));
}
inline status free_async(void* p, stream_type stream) {
  return to_status(cudaFreeAsync(p, stream));
}
inline status zero_async(void* p, std::size_t bytes, stream_type stream) {
  return to_status(cudaMemsetAsync(p, 0, bytes, stream));
}
/// In any direction between host and device.
inline status copy_async(void* to, const void* from, std::size_t bytes, stream_type stream) {
  return to_status(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream));
}
inline status wait_for(stream_type stream) { return to_status(cudaStreamSynchronize(stream)); }

}  // namespace warpfold::inline WARPFOLD_MACHINE
