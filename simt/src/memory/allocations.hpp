// What CUDA's calls allocated, and nobody has freed yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "simt/runtime.hpp"
#include "simt/src/memory/guard.hpp"

namespace simt::detail {

/// Which of CUDA's calls allocated it, and where; empty where nobody asks.
struct allocation_site {
  const char* call = nullptr;
  call_stack from{};
};

struct allocation {
  cudaMemoryType type;
  std::size_t bytes;
  std::uint64_t number;  // of all that were made
  int device;
  allocation_site site;
};

/// By address. Whoever reads or changes it holds the mutex.
struct allocation_table {
  std::mutex mutex;
  std::map<const void*, allocation> all;
  std::uint64_t made = 0;
};
allocation_table& the_allocations();

/// Of the allocation that begins there; empty if there is none.
allocation_site site_of(std::uintptr_t begin);

std::uint64_t allocations_made();
/// Those that were made after so many.
std::vector<allocation> unfreed_since(std::uint64_t number);

}  // namespace simt::detail
