// Device memory of the CPU machine: one reserved range of addresses, so that a single comparison
// tells a global access from the rest.
#pragma once

#include <cstddef>
#include <string_view>

namespace simt {

/// Like cudaMalloc: 256-byte aligned, contents undefined. Throws std::bad_alloc when the machine
/// has not that much memory free. `allocate(0)` gives a pointer that may be freed.
void* allocate(std::size_t bytes);
void free(void* pointer) noexcept;

/// What findings call this allocation. Throws std::invalid_argument if it is none.
void name(const void* pointer, std::string_view as);

/// Bytes that an allocation could still get now.
std::size_t free_memory();

/// All that this computer has.
std::size_t all_memory();

}  // namespace simt
