// cudaMalloc and its kin, and the copies, which are told host memory from device memory.
#include "simt/memory.hpp"

#include <cstring>
#include <map>
#include <mutex>
#include <new>

#include "simt/src/launch.hpp"
#include "simt/src/memory/arena.hpp"
#include "simt/src/memory/guard.hpp"
#include "simt/src/program.hpp"
#include "simt/src/runtime/state.hpp"
#include "simt/src/settings.hpp"

namespace {

using simt::detail::extent;
using simt::detail::guarded;
using simt::detail::remember;

struct allocation {
  cudaMemoryType type;
  std::size_t bytes;
  std::uint64_t number;  // of all that were made
  int device;
  const char* call;
  simt::detail::call_stack from;  // where somebody asks for what is not freed
};

std::mutex mutex;
std::map<const void*, allocation> allocations;  // made here, by address
std::uint64_t allocated = 0;
std::map<const std::byte*, std::size_t> registered;  // the program's own, by cudaHostRegister

/// Of the registered memory that has this address; end() when there is none.
auto find_registered(const void* pointer) {
  const auto* const at = static_cast<const std::byte*>(pointer);
  auto found = registered.upper_bound(at);
  if (found == registered.begin()) return registered.end();
  --found;
  return at < found->first + found->second ? found : registered.end();
}

/// Where memory that is not freed was allocated.
bool is_asked() {
  const auto* const scope = simt::detail::current_scope();
  return simt::detail::the_settings().leaks || (scope != nullptr && scope->options.leaks);
}

cudaError_t allocate(const char* call, void** pointer, std::size_t bytes, cudaMemoryType type) {
  return guarded([&] {
    if (pointer == nullptr)
      return remember(cudaErrorInvalidValue, call, "no place for the pointer");
    *pointer = nullptr;
    if (bytes == 0) return cudaSuccess;
    try {
      *pointer = simt::allocate(bytes);
    } catch (const std::bad_alloc&) {
      return remember(cudaErrorMemoryAllocation, call,
                      std::to_string(bytes) + " bytes asked for, " +
                          std::to_string(simt::free_memory()) + " free");
    }
    const bool asked = is_asked();
    if (asked) simt::detail::watch_program();
    const std::scoped_lock lock(mutex);
    allocations[*pointer] = {
        type,        bytes,
        allocated++, simt::detail::current_device(),
        call,        asked ? simt::detail::callers() : simt::detail::call_stack{}};
    if (type == cudaMemoryTypeDevice) simt::detail::register_device_memory(*pointer, bytes);
    return cudaSuccess;
  });
}

cudaError_t release(const char* call, void* pointer, bool of_host) {
  return guarded([&] {
    if (pointer == nullptr) return cudaSuccess;
    const std::scoped_lock lock(mutex);
    const auto found = allocations.find(pointer);
    if (found == allocations.end()) {
      return remember(cudaErrorInvalidValue, call,
                      "a pointer that no allocation returned, or that was freed before");
    }
    if ((found->second.type == cudaMemoryTypeHost) != of_host) {
      return remember(cudaErrorInvalidValue, call,
                      of_host ? "device memory; give it to cudaFree"
                              : "pinned host memory; give it to cudaFreeHost");
    }
    simt::detail::leave_pool(pointer);
    allocations.erase(found);
    simt::detail::forget_device_memory(pointer);
    simt::free(pointer);
    return cudaSuccess;
  });
}

/// What an address is: its memory's type, and the bytes from there to the end of the allocation.
struct place {
  cudaMemoryType type = cudaMemoryTypeUnregistered;
  extent all;
  std::size_t left = ~std::size_t{0};
  int device = 0;
};

place place_of(const void* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  place p;
  if (!simt::detail::in_arena(address)) {
    p.all = simt::detail::variable_at(address);
    if (p.all.bytes == 0) {  // host memory
      const std::scoped_lock lock(mutex);
      if (find_registered(pointer) != registered.end()) p.type = cudaMemoryTypeHost;
      return p;
    }
    p.type = cudaMemoryTypeDevice;
  } else {
    p.all = simt::detail::allocation_at(address);
    p.type = cudaMemoryTypeDevice;
    p.left = 0;
    if (p.all.bytes == 0) return p;  // freed
    const std::scoped_lock lock(mutex);
    const auto found = allocations.find(reinterpret_cast<const void*>(p.all.begin));
    if (found != allocations.end()) {
      p.type = found->second.type;
      p.device = found->second.device;
    }
  }
  p.left = p.all.begin + p.all.bytes - address;
  return p;
}

/// Why `bytes` from `pointer` on can't be `side` of a copy; "" when they can.
std::string objection(const char* side, const void* pointer, std::size_t bytes, bool on_device,
                      bool on_host) {
  if (pointer == nullptr) return std::string(side) + " is a null pointer";
  const place p = place_of(pointer);
  if (p.left == 0) return std::string(side) + " is memory that was freed";
  if (on_device && p.type == cudaMemoryTypeUnregistered) {
    return std::string(side) + " is host memory, and the copy's kind says device memory";
  }
  if (on_host && p.type == cudaMemoryTypeDevice) {
    return std::string(side) + " is device memory, and the copy's kind says host memory";
  }
  if (bytes > p.left) {
    return std::string(side) + ": " + std::to_string(bytes) + " bytes at offset " +
           std::to_string(p.all.bytes - p.left) + " of an allocation of " +
           std::to_string(p.all.bytes) + " bytes";
  }
  return "";
}

cudaError_t copy(const char* call, void* to, std::size_t to_pitch, const void* from,
                 std::size_t from_pitch, std::size_t width, std::size_t height,
                 cudaMemcpyKind kind) {
  return guarded([&] {
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
      return remember(cudaErrorInvalidMemcpyDirection, call, "no such kind of copy");
    }
    if (width > to_pitch || width > from_pitch) {
      return remember(cudaErrorInvalidPitchValue, call, "rows are wider than their pitch");
    }
    if (width == 0 || height == 0) return cudaSuccess;
    const bool any = kind == cudaMemcpyDefault;
    const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    std::string why = objection("the destination", to, (height - 1) * to_pitch + width,
                                !any && to_device, !any && !to_device);
    if (why.empty()) {
      why = objection("the source", from, (height - 1) * from_pitch + width, !any && from_device,
                      !any && !from_device);
    }
    if (!why.empty()) return remember(cudaErrorInvalidValue, call, why);
    const simt::detail::device_memory_open open;
    for (std::size_t row = 0; row < height; ++row) {
      std::memmove(static_cast<std::byte*>(to) + row * to_pitch,
                   static_cast<const std::byte*>(from) + row * from_pitch, width);
    }
    return cudaSuccess;
  });
}

/// What the copy is to the engines.
simt::operation operation_of(const void* to, const void* from, std::size_t bytes,
                             cudaMemcpyKind kind) {
  const auto on_device = [](const place& p) {
    return p.type == cudaMemoryTypeDevice || p.type == cudaMemoryTypeManaged;
  };
  const place target = place_of(to), source = place_of(from);
  const bool in = kind == cudaMemcpyHostToDevice ||
                  (kind == cudaMemcpyDefault && !on_device(source) && on_device(target));
  const bool out = kind == cudaMemcpyDeviceToHost ||
                   (kind == cudaMemcpyDefault && on_device(source) && !on_device(target));
  const auto type = in ? source.type : out ? target.type : cudaMemoryTypeDevice;
  return {.where = in    ? simt::engine::copy_in
                   : out ? simt::engine::copy_out
                         : simt::engine::compute,
          .bytes = in || out ? bytes : 2 * bytes,  // read and written, by the multiprocessors
          .staged = type == cudaMemoryTypeUnregistered};
}

cudaError_t copy_in_stream(const char* call, void* to, std::size_t to_pitch, const void* from,
                           std::size_t from_pitch, std::size_t width, std::size_t height,
                           cudaMemcpyKind kind, cudaStream_t stream) {
  return simt::detail::enqueue(call, stream, operation_of(to, from, width * height, kind), [=] {
    return copy(call, to, to_pitch, from, from_pitch, width, height, kind);
  });
}

/// A call that returns when a copy from or to the host is done.
cudaError_t copy_and_wait(const char* call, void* to, std::size_t to_pitch, const void* from,
                          std::size_t from_pitch, std::size_t width, std::size_t height,
                          cudaMemcpyKind kind) {
  const cudaError_t status =
      copy_in_stream(call, to, to_pitch, from, from_pitch, width, height, kind, nullptr);
  const simt::operation what = operation_of(to, from, width * height, kind);
  if (status == cudaSuccess && what.where != simt::engine::compute && !what.staged) {
    simt::wait_for(nullptr);
  }
  return status;
}

cudaError_t fill(const char* call, void* to, std::size_t pitch, int byte, std::size_t width,
                 std::size_t height) {
  return guarded([&] {
    if (width == 0 || height == 0) return cudaSuccess;
    const std::string why =
        objection("the destination", to, (height - 1) * pitch + width, true, false);
    if (!why.empty()) return remember(cudaErrorInvalidValue, call, why);
    const simt::detail::device_memory_open open;
    for (std::size_t row = 0; row < height; ++row) {
      std::memset(static_cast<std::byte*>(to) + row * pitch, byte, width);
    }
    return cudaSuccess;
  });
}

}  // namespace

namespace simt::detail {

cudaError_t allocate_for(const char* call, void** pointer, std::size_t bytes) {
  return ::allocate(call, pointer, bytes, cudaMemoryTypeDevice);
}
std::size_t device_bytes_from(const void* pointer) {
  const place p = place_of(pointer);
  return p.type == cudaMemoryTypeUnregistered ? 0 : p.left;
}
cudaError_t copy_rows(const char* call, void* to, std::size_t to_pitch, const void* from,
                      std::size_t from_pitch, std::size_t width, std::size_t height,
                      cudaMemcpyKind kind) {
  return ::copy(call, to, to_pitch, from, from_pitch, width, height, kind);
}

void free_all_memory() {
  const std::scoped_lock lock(mutex);
  for (const auto& [pointer, what] : allocations) {
    forget_device_memory(const_cast<void*>(pointer));
    free(const_cast<void*>(pointer));
  }
  allocations.clear();
}

std::uint64_t allocations_made() {
  const std::scoped_lock lock(mutex);
  return allocated;
}

std::vector<unfreed> unfreed_since(std::uint64_t number) {
  const std::scoped_lock lock(mutex);
  std::vector<unfreed> all;
  for (const auto& [pointer, what] : allocations) {
    if (what.number >= number) all.push_back({what.bytes, what.call, what.from});
  }
  return all;
}

cudaError_t copy_symbol(const void* symbol, std::size_t size, std::size_t offset, void* to,
                        const void* from, std::size_t bytes, cudaMemcpyKind kind,
                        cudaStream_t stream) {
  const bool writes = from != nullptr;
  const char* const call = writes ? "cudaMemcpyToSymbol" : "cudaMemcpyFromSymbol";
  if (variable_at(reinterpret_cast<std::uintptr_t>(symbol)).bytes == 0) {
    return remember(cudaErrorInvalidSymbol, call, "no __device__ or __constant__ variable");
  }
  if (offset > size || bytes > size - offset) {
    return remember(cudaErrorInvalidValue, call,
                    std::to_string(bytes) + " bytes at offset " + std::to_string(offset) +
                        " of a variable of " + std::to_string(size) + " bytes");
  }
  auto* const there = static_cast<std::byte*>(const_cast<void*>(symbol)) + offset;
  return copy_in_stream(call, writes ? there : to, bytes, writes ? from : there, bytes, bytes, 1,
                        kind, stream);
}

cudaError_t symbol_address(void** address, const void* symbol) {
  if (variable_at(reinterpret_cast<std::uintptr_t>(symbol)).bytes == 0) {
    return remember(cudaErrorInvalidSymbol, "cudaGetSymbolAddress",
                    "no __device__ or __constant__ variable");
  }
  *address = const_cast<void*>(symbol);
  return cudaSuccess;
}

}  // namespace simt::detail

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  return allocate("cudaMalloc", pointer, bytes, cudaMemoryTypeDevice);
}
cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned) {
  return allocate("cudaMallocManaged", pointer, bytes, cudaMemoryTypeManaged);
}
cudaError_t cudaMallocHost(void** pointer, std::size_t bytes, unsigned) {
  return allocate("cudaMallocHost", pointer, bytes, cudaMemoryTypeHost);
}
cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned) {
  return allocate("cudaHostAlloc", pointer, bytes, cudaMemoryTypeHost);
}
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  *device = host;
  return place_of(host).type != cudaMemoryTypeUnregistered
             ? cudaSuccess
             : remember(cudaErrorInvalidValue, "cudaHostGetDevicePointer",
                        "memory that cudaHostAlloc did not return");
}
cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned) {
  return guarded([&] {
    constexpr const char* call = "cudaHostRegister";
    if (pointer == nullptr || bytes == 0) {
      return remember(cudaErrorInvalidValue, call, "no memory");
    }
    if (place_of(pointer).type != cudaMemoryTypeUnregistered) {
      return remember(cudaErrorHostMemoryAlreadyRegistered, call,
                      "memory that was registered before, or that CUDA allocated");
    }
    const std::scoped_lock lock(mutex);
    registered[static_cast<const std::byte*>(pointer)] = bytes;
    return cudaSuccess;
  });
}
cudaError_t cudaHostUnregister(void* pointer) {
  return guarded([&] {
    const std::scoped_lock lock(mutex);
    if (registered.erase(static_cast<const std::byte*>(pointer)) != 0) return cudaSuccess;
    return remember(cudaErrorHostMemoryNotRegistered, "cudaHostUnregister",
                    "a pointer that cudaHostRegister was not given");
  });
}
cudaError_t cudaHostGetFlags(unsigned* flags, void*) {
  *flags = cudaHostAllocMapped;
  return simt::detail::sticky_error();
}
cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream) {
  if (!simt::detail::is_stream(stream)) return simt::detail::bad_stream("cudaMallocAsync");
  if (simt::is_capturing(stream)) {
    return remember(cudaErrorNotSupported, "cudaMallocAsync",
                    "a graph's own memory is not modelled; allocate before the capture");
  }
  return allocate("cudaMallocAsync", pointer, bytes, cudaMemoryTypeDevice);
}
cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width,
                            std::size_t height) {
  *pitch = (width + 511) / 512 * 512;
  return allocate("cudaMallocPitch", pointer, *pitch * height, cudaMemoryTypeDevice);
}
cudaError_t cudaFree(void* pointer) {
  simt::detail::wait_for_device();
  return release("cudaFree", pointer, false);
}
cudaError_t cudaFreeHost(void* pointer) {
  simt::detail::wait_for_device();
  return release("cudaFreeHost", pointer, true);
}
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  if (!simt::detail::is_stream(stream)) return simt::detail::bad_stream("cudaFreeAsync");
  if (simt::is_capturing(stream)) {
    return remember(cudaErrorNotSupported, "cudaFreeAsync",
                    "a graph's own memory is not modelled; allocate before the capture");
  }
  return release("cudaFreeAsync", pointer, false);
}
cudaError_t cudaMemGetInfo(std::size_t* available, std::size_t* total) {
  *available = simt::free_memory();
  *total = simt::all_memory();
  return simt::detail::sticky_error();
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  const place p = place_of(pointer);
  const bool unknown = p.type == cudaMemoryTypeUnregistered;
  auto* const address = const_cast<void*>(pointer);
  *attributes = {p.type, unknown ? cudaInvalidDeviceId : p.device, unknown ? nullptr : address,
                 p.type == cudaMemoryTypeDevice || unknown ? nullptr : address};
  return simt::detail::sticky_error();
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return copy_and_wait("cudaMemcpy", to, bytes, from, bytes, bytes, 1, kind);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return copy_in_stream("cudaMemcpyAsync", to, bytes, from, bytes, bytes, 1, kind, stream);
}
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return copy_and_wait("cudaMemcpy2D", to, to_pitch, from, from_pitch, width, height, kind);
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_in_stream("cudaMemcpy2DAsync", to, to_pitch, from, from_pitch, width, height, kind,
                        stream);
}
cudaError_t cudaMemset(void* to, int byte, std::size_t bytes) {
  return cudaMemsetAsync(to, byte, bytes, nullptr);
}
cudaError_t cudaMemsetAsync(void* to, int byte, std::size_t bytes, cudaStream_t stream) {
  return simt::detail::enqueue("cudaMemset", stream, {.bytes = bytes},
                               [=] { return fill("cudaMemset", to, bytes, byte, bytes, 1); });
}
cudaError_t cudaMemset2D(void* to, std::size_t pitch, int byte, std::size_t width,
                         std::size_t height) {
  return cudaMemset2DAsync(to, pitch, byte, width, height, nullptr);
}
cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int byte, std::size_t width,
                              std::size_t height, cudaStream_t stream) {
  return simt::detail::enqueue("cudaMemset2D", stream, {.bytes = width * height}, [=] {
    return fill("cudaMemset2D", to, pitch, byte, width, height);
  });
}
