// What CUDA's calls allocated, and nobody has freed yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "simt/runtime.hpp"
#include "simt/src/memory/arena.hpp"

namespace simt::detail {

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

std::uint64_t allocations_made();
/// Those that were made after so many.
std::vector<allocation> unfreed_since(std::uint64_t number);

}  // namespace simt::detail
