// What memory an address is of, to the calls that allocate and to those that copy.
#pragma once

#include <cstddef>

#include "simt/runtime.hpp"
#include "simt/src/memory/arena.hpp"

namespace simt::detail {

/// What an address is: its memory's type, and the bytes from there to the end of the allocation.
struct memory_place {
  cudaMemoryType type = cudaMemoryTypeUnregistered;
  extent all;
  std::size_t left = ~std::size_t{0};
  int device = 0;
};
memory_place place_of(const void* pointer);

}  // namespace simt::detail
