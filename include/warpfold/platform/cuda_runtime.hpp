// The host side of the seam under nvcc: what the library asks of the CUDA runtime, as statuses.
// Included by platform.hpp only. Threads share through the compiler's atomics:
// <atomic> and <mutex> take a second to compile.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpfold/status.hpp"

namespace warpfold::inline WARPFOLD_MACHINE::detail {

inline status to_status(cudaError_t error) {
  return error == cudaSuccess ? status{}
                              : status{static_cast<int>(error), cudaGetErrorString(error)};
}

/// Whether a launch was refused because its clusters find no room; the runtime forgets it then.
inline bool is_cluster_refused(const status& launched) {
  if (launched.code() != cudaErrorInvalidClusterSize) return false;
  (void)cudaGetLastError();
  return true;
}

/// Of the current device. Asked once a device, then remembered.
inline device_properties current_device() {
  constexpr int known = 64;
  static std::uint64_t cache[known];
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return {1, 1, 0, 0};
  std::uint64_t packed = device < known ? __atomic_load_n(&cache[device], __ATOMIC_RELAXED) : 0;
  if (packed == 0) {
    const auto attribute = [device](cudaDeviceAttr which) {
      int value = 0;
      (void)cudaDeviceGetAttribute(&value, which, device);
      return static_cast<std::uint64_t>(value);
    };
    packed = attribute(cudaDevAttrMultiProcessorCount) << 48 |
             attribute(cudaDevAttrComputeCapabilityMajor) * 10 << 32 |
             attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    packed += attribute(cudaDevAttrComputeCapabilityMinor) << 32;
    if (device < known) __atomic_store_n(&cache[device], packed, __ATOMIC_RELAXED);
  }
  const auto count = static_cast<unsigned>(packed >> 48);
  return {count, count, static_cast<unsigned>(packed >> 32 & 0xffff),
          static_cast<unsigned>(packed)};
}

/// While it lives, this thread may load code, and make pools and take memory from them, although a
/// stream is being captured in whatever mode: by this thread, or by another one globally.
class capture_exemption {
 public:
  capture_exemption() { exchange(); }
  ~capture_exemption() { exchange(); }
  capture_exemption(const capture_exemption&) = delete;
  capture_exemption& operator=(const capture_exemption&) = delete;

 private:
  void exchange() { (void)cudaThreadExchangeStreamCaptureMode(&mode_); }
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

/// While it lives, the runtime's answers to this thread are the library's alone: an error that the
/// caller has not asked for yet stays.
class error_guard {
 public:
  error_guard() = default;
  ~error_guard() {
    if (before_ == cudaSuccess) (void)cudaGetLastError();
  }
  error_guard(const error_guard&) = delete;
  error_guard& operator=(const error_guard&) = delete;

 private:
  cudaError_t before_ = cudaPeekAtLastError();
};

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
  const error_guard guard;
  cudaMemPoolProps wanted{};
  wanted.allocType = cudaMemAllocationTypePinned;
  wanted.location = {cudaMemLocationTypeDevice, device};
  cudaMemPool_t mine = nullptr;
  if (cudaMemPoolCreate(&mine, &wanted) != cudaSuccess) return nullptr;
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
  const capture_exemption exempt;
  const cudaMemPool_t pool = scratch_pool();
  return to_status(pool != nullptr ? cudaMallocFromPoolAsync(p, bytes, pool, stream)
                                   : cudaMallocAsync(p, bytes, stream));
}
inline status free_async(void* p, stream_type stream) {
  const capture_exemption exempt;
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

}  // namespace warpfold::inline WARPFOLD_MACHINE::detail
