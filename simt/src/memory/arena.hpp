// Where device memory lies: the hooks ask nothing else to tell a global access.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace simt::detail {

#ifndef SIMT_ARENA_BITS  // ThreadSanitizer leaves less room
#define SIMT_ARENA_BITS 42
#endif
inline constexpr std::size_t arena_bytes = std::size_t{1} << SIMT_ARENA_BITS;
extern std::uintptr_t arena_base;  // 0 until the first allocation

/// Bytes that belong together; none: 0 bytes.
struct extent {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
};
/// The live allocation that has this address, or lies before it with nothing between.
extent allocation_at(std::uintptr_t address);

/// The __device__ and __constant__ variables; those of the device lie in one range, with others.
extern extent device_variables;
extent variable_at(std::uintptr_t address);
bool is_device_variable(std::uintptr_t address);
/// The last one that begins at this address or before it; there is one.
struct variable_extent : extent {
  const char* name = nullptr;
};
variable_extent variable_before(std::uintptr_t address);

/// A live allocation; or pages of the program with variables of the device, side by side as one.
struct allocation_view {
  std::uintptr_t begin;
  std::size_t bytes;
  std::string name;                 // "": none was given
  std::shared_ptr<void>& attached;  // by the checker; it goes when the allocation does
};
using allocation_visitor = std::function<void(const allocation_view&)>;
void for_each_allocation(const allocation_visitor& visit);
/// The part of it that is about variables.
void for_each_variable_range(const allocation_visitor& visit);

/// Each device has values of its own of all but the __managed__ ones: gives them this one's. No
/// kernel runs meanwhile, and device memory is open.
void show_variables_of(int device);

/// Of the __device__ and __managed__ ones.
void for_each_device_variable(const std::function<void(extent)>& visit);

inline bool in_arena(std::uintptr_t address) { return address - arena_base < arena_bytes; }

inline bool is_global(std::uintptr_t address) {
  return in_arena(address) ||
         (address - device_variables.begin < device_variables.bytes && is_device_variable(address));
}

}  // namespace simt::detail
