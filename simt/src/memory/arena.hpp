// Where device memory lies: the hooks ask nothing else to tell a global access.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simt::detail {

inline constexpr std::size_t arena_bytes = std::size_t{1} << 42;
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

inline bool in_arena(std::uintptr_t address) { return address - arena_base < arena_bytes; }

inline bool is_global(std::uintptr_t address) {
  return in_arena(address) ||
         (address - device_variables.begin < device_variables.bytes && is_device_variable(address));
}

}  // namespace simt::detail
