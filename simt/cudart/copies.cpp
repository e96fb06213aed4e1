// Copies and fills, which are told host memory from device memory.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <mutex>
#include <string>

#include "simt/cudart/places.hpp"
#include "simt/cudart/state.hpp"
#include "simt/runtime.hpp"
#include "simt/src/memory/arena.hpp"
#include "simt/src/memory/guard.hpp"
#include "simt/src/run/device.hpp"
#include "simt/src/run/machine.hpp"
#include "simt/src/settings.hpp"

namespace {

using simt::detail::guarded;
using simt::detail::memory_place;
using simt::detail::place_of;
using simt::detail::remember;

/// Why `bytes` from `pointer` on can't be `side` of a copy; "" when they can.
std::string objection(const char* side, const void* pointer, std::size_t bytes, bool on_device,
                      bool on_host) {
  if (pointer == nullptr) return std::string(side) + " is a null pointer";
  const memory_place p = place_of(pointer);
  if (p.left == 0) return std::string(side) + " is memory that was freed";
  if (on_device && p.type == cudaMemoryTypeUnregistered) {
    return std::string(side) + " is host memory, but the copy's kind expects device memory";
  }
  if (on_host && p.type == cudaMemoryTypeDevice) {
    return std::string(side) + " is device memory, but the copy's kind expects host memory";
  }
  if (bytes > p.left) {
    return std::string(side) + ": " + std::to_string(bytes) + " bytes at offset " +
           std::to_string(p.all.bytes - p.left) + " of an allocation of " +
           std::to_string(p.all.bytes) + " bytes";
  }
  return "";
}

/// Where one of the places is a variable: it has the values of the calling thread's device while
/// the lock is held.
std::unique_lock<std::mutex> show_variables(std::initializer_list<const void*> places) {
  using namespace simt::detail;
  if (the_settings().devices == 1) return {};
  const bool any = std::any_of(places.begin(), places.end(), [](const void* p) {
    return variable_at(reinterpret_cast<std::uintptr_t>(p)).bytes != 0;
  });
  if (!any) return {};
  auto between_launches = occupy_machine();
  show_variables_of(current_device());
  return between_launches;
}

cudaError_t copy(const char* call, void* to, std::size_t to_pitch, const void* from,
                 std::size_t from_pitch, std::size_t width, std::size_t height,
                 cudaMemcpyKind kind) {
  return guarded([&] {
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
      return remember(cudaErrorInvalidMemcpyDirection, call, "unknown kind of copy");
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
    const auto shown = show_variables({to, from});
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
  const auto on_device = [](const memory_place& p) {
    return p.type == cudaMemoryTypeDevice || p.type == cudaMemoryTypeManaged;
  };
  const memory_place target = place_of(to), source = place_of(from);
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
    const auto shown = show_variables({to});
    for (std::size_t row = 0; row < height; ++row) {
      std::memset(static_cast<std::byte*>(to) + row * pitch, byte, width);
    }
    return cudaSuccess;
  });
}

}  // namespace

namespace simt::detail {

cudaError_t copy_rows(const char* call, void* to, std::size_t to_pitch, const void* from,
                      std::size_t from_pitch, std::size_t width, std::size_t height,
                      cudaMemcpyKind kind) {
  return ::copy(call, to, to_pitch, from, from_pitch, width, height, kind);
}
cudaError_t copy_symbol(const void* symbol, std::size_t size, std::size_t offset, void* to,
                        const void* from, std::size_t bytes, cudaMemcpyKind kind,
                        cudaStream_t stream) {
  const bool writes = from != nullptr;
  const char* const call = writes ? "cudaMemcpyToSymbol" : "cudaMemcpyFromSymbol";
  if (variable_at(reinterpret_cast<std::uintptr_t>(symbol)).bytes == 0) {
    return remember(cudaErrorInvalidSymbol, call, "not a __device__ or __constant__ variable");
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

}  // namespace simt::detail

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

namespace {

/// Which of the lists' parts the entry belongs to: each begins where the list of starts says.
std::size_t part_of(std::size_t entry, const std::size_t* starts, std::size_t count) {
  return static_cast<std::size_t>(std::upper_bound(starts, starts + count, entry) - starts) - 1;
}
cudaError_t check_parts(const char* call, const std::size_t* starts, std::size_t parts,
                        std::size_t entries) {
  if (entries != 0 && parts != 0 && parts <= entries && starts[0] == 0) return cudaSuccess;
  return simt::detail::remember(cudaErrorInvalidValue, call,
                                "an empty list, or one whose first part does not start at 0");
}

}  // namespace

cudaError_t cudaMemcpyBatchAsync(void* const* to, const void* const* from, const std::size_t* bytes,
                                 std::size_t count, cudaMemcpyAttributes* attributes,
                                 std::size_t* first_of_attribute, std::size_t attribute_count,
                                 cudaStream_t stream) {
  constexpr const char* call = "cudaMemcpyBatchAsync";
  const auto e = check_parts(call, first_of_attribute, attribute_count, count);
  if (e != cudaSuccess) return e;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& a = attributes[part_of(i, first_of_attribute, attribute_count)];
    if (a.srcAccessOrder == cudaMemcpySrcAccessOrderInvalid) {
      return simt::detail::remember(cudaErrorInvalidValue, call, "no order for the source's reads");
    }
    const auto status = copy_in_stream(call, to[i], bytes[i], from[i], bytes[i], bytes[i], 1,
                                       cudaMemcpyDefault, stream);
    if (status != cudaSuccess) return status;
  }
  return cudaSuccess;
}
cudaError_t cudaMemPrefetchBatchAsync(void** pointers, std::size_t* bytes, std::size_t count,
                                      cudaMemLocation* where, std::size_t* first_of_location,
                                      std::size_t location_count, unsigned long long,
                                      cudaStream_t) {
  constexpr const char* call = "cudaMemPrefetchBatchAsync";
  const auto e = check_parts(call, first_of_location, location_count, count);
  if (e != cudaSuccess) return e;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& place = where[part_of(i, first_of_location, location_count)];
    const auto status = simt::detail::advise(call, pointers[i], bytes[i], place);
    if (status != cudaSuccess) return status;
  }
  return cudaSuccess;
}
cudaError_t cudaMemDiscardBatchAsync(void** pointers, std::size_t* bytes, std::size_t count,
                                     unsigned long long, cudaStream_t) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto status = simt::detail::advise("cudaMemDiscardBatchAsync", pointers[i], bytes[i],
                                             {cudaMemLocationTypeHost, 0});
    if (status != cudaSuccess) return status;
  }
  return cudaSuccess;
}
cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void** pointers, std::size_t* bytes,
                                                std::size_t count, cudaMemLocation* where,
                                                std::size_t* first_of_location,
                                                std::size_t location_count,
                                                unsigned long long flags, cudaStream_t stream) {
  return cudaMemPrefetchBatchAsync(pointers, bytes, count, where, first_of_location, location_count,
                                   flags, stream);
}
