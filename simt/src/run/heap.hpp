// The heap that kernels allocate from.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simt::detail {

/// False once kernels have allocated from it: it keeps its size.
bool set_heap_limit(std::size_t bytes);
bool is_on_heap(std::uintptr_t address);
/// With all that lies on it.
void forget_heap();

}  // namespace simt::detail
