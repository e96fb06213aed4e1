// Where device memory lies: the hooks ask nothing else to tell a global access.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simt::detail {

inline constexpr std::size_t arena_bytes = std::size_t{1} << 42;
extern std::uintptr_t arena_base;  // 0 until the first allocation

inline bool in_arena(std::uintptr_t address) { return address - arena_base < arena_bytes; }

}  // namespace simt::detail
