// Pools of device memory, hints about memory, copies between devices, and what processes can't
// share.
#include <algorithm>
#include <map>
#include <memory>
#include <mutex>

#include "simt/cudart/state.hpp"

struct CUmemPoolHandle_st {
  std::uint64_t threshold = 0, used = 0, most_used = 0;
  int flags[3] = {1, 1, 1};
};

namespace {

using simt::detail::remember;
using simt::detail::sticky_error;

struct loan {
  cudaMemPool_t pool;
  std::size_t bytes;
};
std::mutex pools_mutex;
std::map<cudaMemPool_t, std::unique_ptr<CUmemPoolHandle_st>> pools;
std::map<int, cudaMemPool_t> default_pools, current_pools;  // by device
std::map<const void*, loan> loans;

cudaMemPool_t add_pool() {
  auto pool = std::make_unique<CUmemPoolHandle_st>();
  const cudaMemPool_t handle = pool.get();
  pools[handle] = std::move(pool);
  return handle;
}
cudaMemPool_t default_pool(int device) {
  auto& pool = default_pools[device];
  if (pool == nullptr) pool = add_pool();
  return pool;
}
cudaError_t no_pool(const char* call) {
  return remember(cudaErrorInvalidValue, call, "not a pool, or a destroyed one");
}
cudaError_t one_process(const char* call) {
  return remember(cudaErrorNotSupported, call,
                  "memory and events of the CPU machine belong to one process");
}

}  // namespace

void simt::detail::leave_pool(const void* pointer) {
  const std::scoped_lock lock(pools_mutex);
  const auto found = loans.find(pointer);
  if (found == loans.end()) return;
  if (pools.contains(found->second.pool)) found->second.pool->used -= found->second.bytes;
  loans.erase(found);
}

cudaError_t simt::detail::advise(const char* call, const void* pointer, std::size_t bytes,
                                 const cudaMemLocation& where) {
  return guarded([&] {
    const std::size_t left = device_bytes_from(pointer);
    if (left == 0 || bytes > left) {
      return remember(cudaErrorInvalidValue, call,
                      left == 0 ? std::string("not memory of cudaMallocManaged")
                                : std::to_string(bytes) + " bytes, and the allocation has " +
                                      std::to_string(left));
    }
    int count = 0;
    static_cast<void>(cudaGetDeviceCount(&count));
    if (where.type == cudaMemLocationTypeDevice && (where.id < 0 || where.id >= count)) {
      return remember(cudaErrorInvalidDevice, call, "device " + std::to_string(where.id));
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  {
    const std::scoped_lock lock(pools_mutex);
    if (!pools.contains(pool)) return no_pool("cudaMallocFromPoolAsync");
  }
  const cudaError_t status = cudaMallocAsync(pointer, bytes, stream);
  if (status != cudaSuccess) return status;
  const std::scoped_lock lock(pools_mutex);
  loans[*pointer] = {pool, bytes};
  pool->used += bytes;
  pool->most_used = std::max(pool->most_used, pool->used);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  const std::scoped_lock lock(pools_mutex);
  *pool = default_pool(device);
  return sticky_error();
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  const std::scoped_lock lock(pools_mutex);
  const auto set = current_pools.find(device);
  *pool = set != current_pools.end() ? set->second : default_pool(device);
  return sticky_error();
}
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  const std::scoped_lock lock(pools_mutex);
  if (!pools.contains(pool)) return no_pool("cudaDeviceSetMemPool");
  current_pools[device] = pool;
  return sticky_error();
}
namespace {

/// The device whose pools are asked for.
cudaError_t device_of(const char* call, const cudaMemLocation& where, cudaMemAllocationType type) {
  if (type != cudaMemAllocationTypePinned) {
    return remember(cudaErrorNotSupported, call, "pools here are of pinned memory");
  }
  int count = 0;
  static_cast<void>(cudaGetDeviceCount(&count));
  if (where.type == cudaMemLocationTypeDevice && where.id >= 0 && where.id < count) {
    return cudaSuccess;
  }
  return remember(cudaErrorInvalidValue, call, "pools here belong to devices");
}

}  // namespace

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t* pool, cudaMemLocation* where,
                                     cudaMemAllocationType type) {
  const auto e = device_of("cudaMemGetDefaultMemPool", *where, type);
  return e != cudaSuccess ? e : cudaDeviceGetDefaultMemPool(pool, where->id);
}
cudaError_t cudaMemGetMemPool(cudaMemPool_t* pool, cudaMemLocation* where,
                              cudaMemAllocationType type) {
  const auto e = device_of("cudaMemGetMemPool", *where, type);
  return e != cudaSuccess ? e : cudaDeviceGetMemPool(pool, where->id);
}
cudaError_t cudaMemSetMemPool(cudaMemLocation* where, cudaMemAllocationType type,
                              cudaMemPool_t pool) {
  const auto e = device_of("cudaMemSetMemPool", *where, type);
  return e != cudaSuccess ? e : cudaDeviceSetMemPool(where->id, pool);
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  if (properties->handleTypes != cudaMemHandleTypeNone) return one_process("cudaMemPoolCreate");
  const std::scoped_lock lock(pools_mutex);
  *pool = add_pool();
  return sticky_error();
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  const std::scoped_lock lock(pools_mutex);
  std::erase_if(current_pools, [&](const auto& p) { return p.second == pool; });
  return pools.erase(pool) != 0 ? sticky_error() : no_pool("cudaMemPoolDestroy");
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t) {
  const std::scoped_lock lock(pools_mutex);
  return pools.contains(pool) ? sticky_error() : no_pool("cudaMemPoolTrimTo");
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  const std::scoped_lock lock(pools_mutex);
  if (!pools.contains(pool)) return no_pool("cudaMemPoolSetAttribute");
  if (attribute <= cudaMemPoolReuseAllowInternalDependencies) {
    pool->flags[attribute - 1] = *static_cast<int*>(value);
  } else if (attribute == cudaMemPoolAttrReleaseThreshold) {
    pool->threshold = *static_cast<std::uint64_t*>(value);
  } else {
    pool->most_used = pool->used;  // a high mark begins again
  }
  return sticky_error();
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  const std::scoped_lock lock(pools_mutex);
  if (!pools.contains(pool)) return no_pool("cudaMemPoolGetAttribute");
  if (attribute <= cudaMemPoolReuseAllowInternalDependencies) {
    *static_cast<int*>(value) = pool->flags[attribute - 1];
    return sticky_error();
  }
  const bool high =
      attribute == cudaMemPoolAttrReservedMemHigh || attribute == cudaMemPoolAttrUsedMemHigh;
  *static_cast<std::uint64_t*>(value) = attribute == cudaMemPoolAttrReleaseThreshold
                                            ? pool->threshold
                                        : high ? pool->most_used
                                               : pool->used;
  return sticky_error();
}
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc*, std::size_t) {
  const std::scoped_lock lock(pools_mutex);
  return pools.contains(pool) ? sticky_error() : no_pool("cudaMemPoolSetAccess");
}
cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t, cudaMemLocation*) {
  *flags = cudaMemAccessFlagsProtReadWrite;
  return sticky_error();
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void*, std::size_t, unsigned) {
  return simt::detail::is_stream(stream) ? sticky_error()
                                         : simt::detail::bad_stream("cudaStreamAttachMemAsync");
}
cudaError_t cudaMemRangeGetAttribute(void* data, std::size_t size, cudaMemRangeAttribute attribute,
                                     const void*, std::size_t) {
  if (size != sizeof(int)) {
    return remember(cudaErrorInvalidValue, "cudaMemRangeGetAttribute",
                    "expected a size of 4 bytes");
  }
  *static_cast<int*>(data) = attribute == cudaMemRangeAttributeReadMostly ? 0 : cudaInvalidDeviceId;
  return sticky_error();
}
cudaError_t cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent) {
  *pointer = {nullptr, 0, extent.width, extent.height};
  return cudaMallocPitch(&pointer->ptr, &pointer->pitch, extent.width,
                         extent.height * extent.depth);
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int byte, cudaExtent extent, cudaStream_t stream) {
  for (std::size_t z = 0; z < extent.depth; ++z) {
    auto* const layer = static_cast<std::byte*>(to.ptr) + z * to.pitch * to.ysize;
    const cudaError_t status =
        cudaMemset2DAsync(layer, to.pitch, byte, extent.width, extent.height, stream);
    if (status != cudaSuccess) return status;
  }
  return sticky_error();
}
cudaError_t cudaMemset3D(cudaPitchedPtr to, int byte, cudaExtent extent) {
  return cudaMemset3DAsync(to, byte, extent, nullptr);
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                std::size_t bytes, cudaStream_t stream) {
  int count = 0;
  static_cast<void>(cudaGetDeviceCount(&count));
  for (const int device : {to_device, from_device}) {
    if (device < 0 || device >= count) {
      return remember(cudaErrorInvalidDevice, "cudaMemcpyPeer", "device " + std::to_string(device));
    }
  }
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}
cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                           std::size_t bytes) {
  return cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, nullptr);
}

cudaError_t cudaMemRangeGetAttributes(void** data, std::size_t* sizes,
                                      cudaMemRangeAttribute* attributes, std::size_t count,
                                      const void* pointer, std::size_t bytes) {
  cudaError_t status = sticky_error();
  for (std::size_t i = 0; i < count && status == cudaSuccess; ++i) {
    status = cudaMemRangeGetAttribute(data[i], sizes[i], attributes[i], pointer, bytes);
  }
  return status;
}

cudaError_t cudaMemPoolExportToShareableHandle(void*, cudaMemPool_t, cudaMemAllocationHandleType,
                                               unsigned) {
  return one_process("cudaMemPoolExportToShareableHandle");
}
cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t*, void*, cudaMemAllocationHandleType,
                                                 unsigned) {
  return one_process("cudaMemPoolImportFromShareableHandle");
}
cudaError_t cudaMemPoolExportPointer(cudaMemPoolPtrExportData*, void*) {
  return one_process("cudaMemPoolExportPointer");
}
cudaError_t cudaMemPoolImportPointer(void**, cudaMemPool_t, cudaMemPoolPtrExportData*) {
  return one_process("cudaMemPoolImportPointer");
}
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t*, void*) {
  return one_process("cudaIpcGetMemHandle");
}
cudaError_t cudaIpcOpenMemHandle(void**, cudaIpcMemHandle_t, unsigned) {
  return one_process("cudaIpcOpenMemHandle");
}
cudaError_t cudaIpcCloseMemHandle(void*) { return one_process("cudaIpcCloseMemHandle"); }
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t*, cudaEvent_t) {
  return one_process("cudaIpcGetEventHandle");
}
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t*, cudaIpcEventHandle_t) {
  return one_process("cudaIpcOpenEventHandle");
}
