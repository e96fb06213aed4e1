// Streams, events and the device of CUDA's runtime. All work is done when a call returns, so a
// stream is a name and an event is the time of day.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <mutex>
#include <set>
#include <thread>

#include "runtime_state.hpp"
#include "simt/memory.hpp"
#include "state.hpp"

struct CUstream_st {};
struct CUevent_st {
  std::chrono::steady_clock::time_point at;
  bool recorded = false;
  bool timed = true;
};

namespace {

using simt::detail::guarded;
using simt::detail::remember;

/// What exists of one kind of handle.
template <class Handle>
class handles {
 public:
  Handle* add() {
    const std::scoped_lock lock(mutex_);
    return *all_.insert(new Handle).first;
  }
  bool remove(Handle* h) {
    const std::scoped_lock lock(mutex_);
    if (all_.erase(h) == 0) return false;
    delete h;
    return true;
  }
  bool contains(Handle* h) {
    const std::scoped_lock lock(mutex_);
    return all_.contains(h);
  }

 private:
  std::mutex mutex_;
  std::set<Handle*> all_;
};
handles<CUstream_st> streams;
handles<CUevent_st> events;

cudaError_t bad_event(const char* call) {
  return remember(cudaErrorInvalidResourceHandle, call, "no event, or one that was destroyed");
}

cudaError_t check_device(const char* call, int device) {
  if (device == 0) return cudaSuccess;
  return remember(cudaErrorInvalidDevice, call,
                  "device " + std::to_string(device) + "; the CPU machine is device 0, alone");
}

/// With `function` run at once.
template <class F>
cudaError_t on_stream(const char* call, cudaStream_t stream, F function) {
  return guarded([&] {
    if (!simt::detail::is_stream(stream)) return simt::detail::bad_stream(call);
    function();
    return cudaSuccess;
  });
}

template <class F>
cudaError_t on_event(const char* call, cudaEvent_t event, F function) {
  return guarded([&] {
    if (!events.contains(event)) return bad_event(call);
    return function();
  });
}

constexpr int version = 13000;

}  // namespace

namespace simt::detail {

bool is_stream(cudaStream_t s) {
  return s == nullptr || s == cudaStreamLegacy || s == cudaStreamPerThread || streams.contains(s);
}
cudaError_t bad_stream(const char* call) {
  return remember(cudaErrorInvalidResourceHandle, call, "no stream, or one that was destroyed");
}

}  // namespace simt::detail

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return guarded([&] {
    *stream = streams.add();
    return cudaSuccess;
  });
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  return cudaStreamCreate(stream);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
  return cudaStreamCreate(stream);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return guarded([&] {
    return streams.remove(stream) ? cudaSuccess : simt::detail::bad_stream("cudaStreamDestroy");
  });
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return on_stream("cudaStreamSynchronize", stream, [] {});
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return on_stream("cudaStreamQuery", stream, [] {});
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  if (!events.contains(event)) return bad_event("cudaStreamWaitEvent");
  return on_stream("cudaStreamWaitEvent", stream, [] {});
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned) {
  return on_stream("cudaStreamAddCallback", stream, [&] { callback(stream, cudaSuccess, data); });
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return on_stream("cudaLaunchHostFunc", stream, [&] { function(data); });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }
cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags) {
  return cudaEventCreateWithFlags(event, flags);
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return guarded([&] {
    *event = events.add();
    (*event)->timed = (flags & cudaEventDisableTiming) == 0;
    return cudaSuccess;
  });
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return guarded(
      [&] { return events.remove(event) ? cudaSuccess : bad_event("cudaEventDestroy"); });
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (!simt::detail::is_stream(stream)) return simt::detail::bad_stream("cudaEventRecord");
  return on_event("cudaEventRecord", event, [&] {
    event->at = std::chrono::steady_clock::now();
    event->recorded = true;
    return cudaSuccess;
  });
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return on_event("cudaEventSynchronize", event, [] { return cudaSuccess; });
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return on_event("cudaEventQuery", event, [] { return cudaSuccess; });
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  return guarded([&] {
    if (!events.contains(from) || !events.contains(to)) return bad_event("cudaEventElapsedTime");
    if (!from->recorded || !to->recorded || !from->timed || !to->timed) {
      return remember(cudaErrorInvalidResourceHandle, "cudaEventElapsedTime",
                      "an event that was not recorded, or was made without timing");
    }
    *milliseconds = std::chrono::duration<float, std::milli>(to->at - from->at).count();
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return simt::detail::sticky_error();
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return simt::detail::sticky_error();
}
cudaError_t cudaSetDevice(int device) { return check_device("cudaSetDevice", device); }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (const cudaError_t e = check_device("cudaGetDeviceProperties", device); e != cudaSuccess) {
    return e;
  }
  cudaDeviceProp& p = *properties;
  p = {};
  std::strcpy(p.name, "warpfold CPU machine");
  p.totalGlobalMem = simt::all_memory();
  p.sharedMemPerBlock = std::size_t{48} * 1024;
  p.sharedMemPerBlockOptin = simt::detail::max_shared_bytes;
  p.sharedMemPerMultiprocessor = std::size_t{228} * 1024;
  p.totalConstMem = std::size_t{64} * 1024;
  p.warpSize = static_cast<int>(simt::detail::warp_size);
  p.maxThreadsPerBlock = static_cast<int>(simt::detail::max_threads_per_block);
  std::copy_n(std::begin({1024, 1024, 64}), 3, p.maxThreadsDim);
  std::copy_n(std::begin({2147483647, 65535, 65535}), 3, p.maxGridSize);
  p.major = 9;
  p.multiProcessorCount = simt::detail::processors;
  p.maxThreadsPerMultiProcessor = 2048;
  p.maxBlocksPerMultiProcessor = 32;
  p.integrated = p.canMapHostMemory = p.unifiedAddressing = p.managedMemory = 1;
  p.concurrentKernels = p.cooperativeLaunch = 1;
  return simt::detail::sticky_error();
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  cudaDeviceProp p{};
  if (const cudaError_t e = cudaGetDeviceProperties(&p, device); e != cudaSuccess) return e;
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock: *value = p.maxThreadsPerBlock; break;
    case cudaDevAttrMaxBlockDimX: *value = p.maxThreadsDim[0]; break;
    case cudaDevAttrMaxBlockDimY: *value = p.maxThreadsDim[1]; break;
    case cudaDevAttrMaxBlockDimZ: *value = p.maxThreadsDim[2]; break;
    case cudaDevAttrMaxGridDimX: *value = p.maxGridSize[0]; break;
    case cudaDevAttrMaxGridDimY: *value = p.maxGridSize[1]; break;
    case cudaDevAttrMaxGridDimZ: *value = p.maxGridSize[2]; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = static_cast<int>(p.sharedMemPerBlock); break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = static_cast<int>(p.sharedMemPerBlockOptin);
      break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      *value = static_cast<int>(p.sharedMemPerMultiprocessor);
      break;
    case cudaDevAttrTotalConstantMemory: *value = static_cast<int>(p.totalConstMem); break;
    case cudaDevAttrWarpSize: *value = p.warpSize; break;
    case cudaDevAttrMultiProcessorCount: *value = p.multiProcessorCount; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = p.maxThreadsPerMultiProcessor; break;
    case cudaDevAttrMaxBlocksPerMultiprocessor: *value = p.maxBlocksPerMultiProcessor; break;
    case cudaDevAttrComputeCapabilityMajor: *value = p.major; break;
    case cudaDevAttrComputeCapabilityMinor: *value = p.minor; break;
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrCooperativeLaunch: *value = 1; break;
    default:
      return remember(cudaErrorInvalidValue, "cudaDeviceGetAttribute",
                      "attribute " + std::to_string(attribute) + " isn't known here");
  }
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  *can = 0;
  return simt::detail::sticky_error();
}
cudaError_t cudaDeviceSynchronize() { return simt::detail::sticky_error(); }
cudaError_t cudaDeviceReset() {
  simt::detail::free_all_memory();
  simt::detail::forget_errors();
  return cudaSuccess;
}
cudaError_t cudaSetDeviceFlags(unsigned) { return simt::detail::sticky_error(); }
cudaError_t cudaRuntimeGetVersion(int* value) {
  *value = version;
  return simt::detail::sticky_error();
}
cudaError_t cudaDriverGetVersion(int* value) { return cudaRuntimeGetVersion(value); }
