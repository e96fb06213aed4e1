// cudaMalloc and its kin, and what memory an address is of.
#include "simt/memory.hpp"

#include <cstddef>
#include <map>
#include <mutex>
#include <new>
#include <string>

#include "simt/cudart/captures.hpp"
#include "simt/cudart/places.hpp"
#include "simt/cudart/state.hpp"
#include "simt/src/launch.hpp"
#include "simt/src/memory/allocations.hpp"
#include "simt/src/memory/guard.hpp"
#include "simt/src/program.hpp"
#include "simt/src/run/device.hpp"
#include "simt/src/settings.hpp"

namespace {

using simt::detail::guarded;
using simt::detail::memory_place;
using simt::detail::place_of;
using simt::detail::remember;
using simt::detail::the_allocations;

std::map<const std::byte*, std::size_t> host_ranges;  // the program's own, by cudaHostRegister

/// Of the registered memory that has this address; end() when there is none.
auto find_registered(const void* pointer) {
  const auto* const at = static_cast<const std::byte*>(pointer);
  auto found = host_ranges.upper_bound(at);
  if (found == host_ranges.begin()) return host_ranges.end();
  --found;
  return at < found->first + found->second ? found : host_ranges.end();
}

/// Where memory that is not freed was allocated.
bool is_asked() {
  const auto* const scope = simt::detail::current_scope();
  return simt::detail::the_settings().leaks || (scope != nullptr && scope->options.leaks);
}
/// Where memory that a finding is about was allocated.
bool is_checked() {
  const auto* const scope = simt::detail::current_scope();
  const auto& asked = simt::detail::the_settings();
  return asked.check || !asked.report.file.empty() || asked.schedules > 1 ||
         (scope != nullptr && scope->options.check);
}

cudaError_t allocate(const char* call, void** pointer, std::size_t bytes, cudaMemoryType type) {
  return guarded([&] {
    if (pointer == nullptr)
      return remember(cudaErrorInvalidValue, call, "the address for the pointer is null");
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
    const simt::detail::allocation_site site{
        call, asked || is_checked() ? simt::detail::callers() : simt::detail::call_stack{}};
    auto& allocated = the_allocations();
    const std::scoped_lock lock(allocated.mutex);
    allocated.all[*pointer] = {type, bytes, allocated.made++, simt::detail::current_device(), site};
    if (type == cudaMemoryTypeDevice) simt::detail::register_device_memory(*pointer, bytes);
    return cudaSuccess;
  });
}

cudaError_t release(const char* call, void* pointer, bool of_host) {
  return guarded([&] {
    if (pointer == nullptr) return cudaSuccess;
    if (const auto status = simt::detail::free_of_graph(call, pointer)) return *status;
    auto& allocated = the_allocations();
    const std::scoped_lock lock(allocated.mutex);
    const auto found = allocated.all.find(pointer);
    if (found == allocated.all.end()) {
      return remember(cudaErrorInvalidValue, call,
                      "a pointer that no allocation returned, or that was freed before");
    }
    if ((found->second.type == cudaMemoryTypeHost) != of_host) {
      return remember(cudaErrorInvalidValue, call,
                      of_host ? "device memory; pass it to cudaFree"
                              : "pinned host memory; pass it to cudaFreeHost");
    }
    simt::detail::leave_pool(pointer);
    allocated.all.erase(found);
    simt::detail::forget_device_memory(pointer);
    simt::free(pointer);
    return cudaSuccess;
  });
}

}  // namespace

namespace simt::detail {

memory_place place_of(const void* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  memory_place p;
  if (!in_arena(address)) {
    p.all = variable_at(address);
    if (p.all.bytes == 0) {  // host memory
      auto& allocated = the_allocations();
      const std::scoped_lock lock(allocated.mutex);
      if (find_registered(pointer) != host_ranges.end()) p.type = cudaMemoryTypeHost;
      return p;
    }
    p.type = cudaMemoryTypeDevice;
  } else {
    p.all = allocation_at(address);
    p.type = cudaMemoryTypeDevice;
    p.left = 0;
    if (p.all.bytes == 0) return p;  // freed
    auto& allocated = the_allocations();
    const std::scoped_lock lock(allocated.mutex);
    const auto found = allocated.all.find(reinterpret_cast<const void*>(p.all.begin));
    if (found != allocated.all.end()) {
      p.type = found->second.type;
      p.device = found->second.device;
    }
  }
  p.left = p.all.begin + p.all.bytes - address;
  return p;
}

cudaError_t allocate_for(const char* call, void** pointer, std::size_t bytes) {
  return ::allocate(call, pointer, bytes, cudaMemoryTypeDevice);
}
std::size_t device_bytes_from(const void* pointer) {
  const memory_place p = place_of(pointer);
  return p.type == cudaMemoryTypeUnregistered ? 0 : p.left;
}

void free_all_memory() {
  forget_graph_memory();
  auto& allocated = the_allocations();
  const std::scoped_lock lock(allocated.mutex);
  for (const auto& [pointer, what] : allocated.all) {
    forget_device_memory(const_cast<void*>(pointer));
    free(const_cast<void*>(pointer));
  }
  allocated.all.clear();
}

cudaError_t symbol_address(void** address, const void* symbol) {
  if (variable_at(reinterpret_cast<std::uintptr_t>(symbol)).bytes == 0) {
    return remember(cudaErrorInvalidSymbol, "cudaGetSymbolAddress",
                    "not a __device__ or __constant__ variable");
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
    auto& allocated = the_allocations();
    const std::scoped_lock lock(allocated.mutex);
    host_ranges[static_cast<const std::byte*>(pointer)] = bytes;
    return cudaSuccess;
  });
}
cudaError_t cudaHostUnregister(void* pointer) {
  return guarded([&] {
    auto& allocated = the_allocations();
    const std::scoped_lock lock(allocated.mutex);
    if (host_ranges.erase(static_cast<const std::byte*>(pointer)) != 0) return cudaSuccess;
    return remember(cudaErrorHostMemoryNotRegistered, "cudaHostUnregister",
                    "a pointer that was not registered with cudaHostRegister");
  });
}
cudaError_t cudaHostGetFlags(unsigned* flags, void*) {
  *flags = cudaHostAllocMapped;
  return simt::detail::sticky_error();
}
cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream) {
  if (!simt::detail::is_stream(stream)) return simt::detail::bad_stream("cudaMallocAsync");
  if (const auto capture = simt::detail::capture_of(stream); capture != nullptr) {
    cudaError_t status = cudaSuccess;
    auto memory = simt::detail::graph_memory::make("cudaMallocAsync", bytes, status);
    if (memory == nullptr) return status;
    *pointer = memory->pointer();
    capture->add(stream, simt::detail::allocation_node(std::move(memory)));
    return cudaSuccess;
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
  if (const auto capture = simt::detail::capture_of(stream); capture != nullptr) {
    capture->add(stream, simt::detail::free_node(pointer));
    return cudaSuccess;
  }
  return release("cudaFreeAsync", pointer, false);
}
cudaError_t cudaMemGetInfo(std::size_t* available, std::size_t* total) {
  *available = simt::free_memory();
  *total = simt::all_memory();
  return simt::detail::sticky_error();
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  const memory_place p = place_of(pointer);
  const bool unknown = p.type == cudaMemoryTypeUnregistered;
  auto* const address = const_cast<void*>(pointer);
  *attributes = {p.type, unknown ? cudaInvalidDeviceId : p.device, unknown ? nullptr : address,
                 p.type == cudaMemoryTypeDevice || unknown ? nullptr : address};
  return simt::detail::sticky_error();
}
