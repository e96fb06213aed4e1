// How kernels are launched under nvcc. A kernel is loaded and asked for its limits once a thread
// and context; a launch is the driver's call alone then. Included by platform.hpp only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <cudaTypedefs.h>

#include "warpfold/platform/cuda_runtime.hpp"

namespace warpfold::inline WARPFOLD_MACHINE::detail {

#if CUDART_VERSION >= 12050
/// The driver's part of a launch. What the runtime does before it calls this takes a twentieth of
/// a short call.
struct driver_calls {
  PFN_cuCtxGetId_v12000 context_id = nullptr;
  PFN_cuLaunchKernelEx_v11060 launch = nullptr;  // null: leave it to the runtime

  static const driver_calls& get() {
    static const driver_calls driver;
    return driver;
  }

 private:
  driver_calls() {
    const error_guard guard;
    const auto find = [](auto& call, const char* name) {
      void* found = nullptr;
      cudaDriverEntryPointQueryResult result;
      const bool there = cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault,
                                                          &result) == cudaSuccess;
      call = reinterpret_cast<std::decay_t<decltype(call)>>(there ? found : nullptr);
      return call != nullptr;
    };
    if (find(context_id, "cuCtxGetId")) find(launch, "cuLaunchKernelEx");
  }
};
#endif

/// A kernel in the current context, loaded: what a launch needs to know of it, asked once a thread
/// and context. Hidden, so that a shared object's entries go when it is unloaded.
class __attribute__((visibility("hidden"))) loaded_kernel {
 public:
  static loaded_kernel& find(const void* kernel) {
    constexpr std::uintptr_t known = 64, neighbours = 4, alignment = 16;
    thread_local loaded_kernel cache[known];
    const unsigned long long context = current_context();
    const std::uintptr_t home = reinterpret_cast<std::uintptr_t>(kernel) / alignment;
    for (std::uintptr_t i = 0; i < neighbours; ++i) {
      loaded_kernel& entry = cache[(home + i) % known];
      if (entry.kernel_ == kernel && entry.context_ == context) return entry;
      if (entry.kernel_ == nullptr || i + 1 == neighbours) {
        loaded_kernel& taken = entry.kernel_ == nullptr ? entry : cache[home % known];
        taken.load(kernel, context);
        return taken;
      }
    }
    return cache[home % known];
  }

  /// Success, or why the current device can't run it.
  [[nodiscard]] status state() const { return state_; }
  /// Of the code that the device runs: the lesser of its own and of what the kernel was compiled
  /// for. Compiled for 8.0, a kernel has no clusters on a device of 9.0.
  [[nodiscard]] unsigned capability() const { return capability_; }
  /// Null before CUDA 12.5.
  [[nodiscard]] CUfunction function() const { return function_; }

  /// Lets launches have so much dynamic shared memory and so many blocks a cluster. The limits are
  /// raised once, to the most that there is: another thread may be about to launch.
  [[nodiscard]] status allow(std::size_t shared_bytes, unsigned cluster) {
    if (shared_bytes > most_shared_) {
      return {1, "a block of this device has too little shared memory", shared_bytes, most_shared_};
    }
    // With the kernel's own shared memory it may pass 48 KiB.
    const bool large = shared_bytes > 32 * 1024 && !raised_shared_;
    const bool wide = cluster > 8 && !raised_cluster_;  // more than any device must take
    if (!large && !wide) return {};
    const capture_exemption exempt;
    status s;
    if (large) {
      s = raise(cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(most_shared_));
      raised_shared_ = s.ok();
    }
    if (s.ok() && wide) {
      s = raise(cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
      raised_cluster_ = s.ok();
    }
    return s;
  }

  /// What is remembered of `fits`, asked for one launch of a kernel.
  enum class answer : unsigned char { unknown, no, yes } cluster_fits = answer::unknown;

 private:
  /// Names the current context, green ones and slices included; the device where the driver is too
  /// old to say.
  static unsigned long long current_context() {
    unsigned long long context = 0;
#if CUDART_VERSION >= 12050
    const driver_calls& driver = driver_calls::get();
    if (driver.launch != nullptr && driver.context_id(nullptr, &context) == CUDA_SUCCESS) {
      return context;
    }
#endif
    int device = 0;
    (void)cudaGetDevice(&device);
    return static_cast<unsigned long long>(device);
  }

  void load(const void* kernel, unsigned long long context) {
    *this = {};
    const capture_exemption exempt;
    cudaFuncAttributes code{};
    state_ = to_status(cudaFuncGetAttributes(&code, kernel));
#if CUDART_VERSION >= 12050
    if (state_.ok()) {
      cudaFunction_t function = nullptr;
      state_ = to_status(cudaGetFuncBySymbol(&function, kernel));
      function_ = function;
    }
#endif
    if (!state_.ok()) return;  // asked again, next time
    const device_properties device = current_device();
    const auto compiled_for = static_cast<unsigned>(code.ptxVersion);
    capability_ = compiled_for < device.capability ? compiled_for : device.capability;
    most_shared_ = device.shared_bytes - static_cast<unsigned>(code.sharedSizeBytes);
    kernel_ = kernel;
    context_ = context;
  }
  [[nodiscard]] status raise(cudaFuncAttribute what, int value) const {
    return to_status(cudaFuncSetAttribute(kernel_, what, value));
  }

  const void* kernel_ = nullptr;
  unsigned long long context_ = 0;
  CUfunction function_ = nullptr;
  status state_;
  unsigned capability_ = 0, most_shared_ = 0;
  bool raised_shared_ = false, raised_cluster_ = false;
};

/// A launch as the runtime wants it.
struct launch_request {
  cudaLaunchConfig_t config{};
  cudaLaunchAttribute attributes[3]{};

  launch_request(const launch_config& c, const loaded_kernel& kernel) {
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
    // Code for devices before 9.0 does not wait for the grid ahead.
    if (c.programmatic_launch && kernel.capability() >= 90) {
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
  }
  launch_request(const launch_request&) = delete;
  launch_request& operator=(const launch_request&) = delete;

  /// Whether the driver has made the launch. If not, the runtime's own does it, or says why it
  /// can't.
  [[nodiscard]] bool put_by_driver([[maybe_unused]] CUfunction function,
                                   [[maybe_unused]] void** parameters) const {
#if CUDART_VERSION >= 12050
    static_assert(sizeof(CUlaunchAttribute) == sizeof(cudaLaunchAttribute));
    const driver_calls& driver = driver_calls::get();
    if (driver.launch == nullptr || function == nullptr) return false;
    CUlaunchConfig c{config.gridDim.x, 1, 1, config.blockDim.x, 1, 1, 0, nullptr, nullptr, 0};
    c.sharedMemBytes = static_cast<unsigned>(config.dynamicSmemBytes);
    c.hStream = config.stream;
    c.attrs = reinterpret_cast<CUlaunchAttribute*>(config.attrs);
    c.numAttrs = config.numAttrs;
    return driver.launch(&c, function, parameters, nullptr) == CUDA_SUCCESS;
#else
    return false;
#endif
  }
};

/// The compute capability of a kernel's code on the current device; 0 where it has none. Clusters,
/// bulk copies and programmatic launches need 90.
template <class... Parameters>
unsigned capability_of(void (*kernel)(Parameters...)) {
  return loaded_kernel::find(reinterpret_cast<const void*>(kernel)).capability();
}

/// Puts `kernel(args...)` into the stream.
template <class... Parameters, class... Args>
status try_launch(const launch_config& c, void (*kernel)(Parameters...), Args&&... args) {
  const auto* const name = reinterpret_cast<const void*>(kernel);
  loaded_kernel& loaded = loaded_kernel::find(name);
  if (!loaded.state().ok()) return loaded.state();
  if (const status s = loaded.allow(c.shared_bytes, c.cluster); !s.ok()) return s;
  const launch_request wanted(c, loaded);
  const auto put = [&](Parameters... parameters) {
    void* pointers[] = {const_cast<void*>(static_cast<const void*>(&parameters))...};
    if (wanted.put_by_driver(loaded.function(), pointers)) return cudaSuccess;
    return cudaLaunchKernelExC(&wanted.config, name, pointers);
  };
  return to_status(put(static_cast<Parameters>(args)...));
}

/// Whether a cluster of this launch, always the same for a kernel, finds room in the current
/// context. Asked once a thread and context.
template <class... Parameters>
bool fits(const launch_config& c, void (*kernel)(Parameters...)) {
  const auto* const name = reinterpret_cast<const void*>(kernel);
  using answer = loaded_kernel::answer;
  loaded_kernel& loaded = loaded_kernel::find(name);
  if (loaded.cluster_fits == answer::unknown) {
    const error_guard guard;  // a refusal is an answer
    const capture_exemption exempt;
    const launch_request wanted(c, loaded);
    int clusters = 0;
    const bool yes =
        loaded.capability() >= 90 && loaded.allow(c.shared_bytes, c.cluster).ok() &&
        cudaOccupancyMaxActiveClusters(&clusters, name, &wanted.config) == cudaSuccess &&
        clusters > 0;
    loaded.cluster_fits = yes ? answer::yes : answer::no;
  }
  return loaded.cluster_fits == answer::yes;
}

/// The same; throws device_error when the launch is refused.
template <class... Parameters, class... Args>
void launch(const launch_config& c, void (*kernel)(Parameters...), Args&&... args) {
  try_launch(c, kernel, std::forward<Args>(args)...)
      .throw_if_failed("launch of ", c.grid, " blocks of ", c.block, " threads");
}

}  // namespace warpfold::inline WARPFOLD_MACHINE::detail
