// What one kernel cost, as a whole and by places of its code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "simt/counters.hpp"
#include "simt/vector_types.hpp"

namespace simt {

/// A place of the code: the accesses made there, or the basic block that begins there.
struct place_counts {
  std::uintptr_t position = 0;
  counters counted;                              // of memory
  std::uint64_t access_lanes = 0;                // over all requests
  std::uint64_t warp_steps = 0, lane_steps = 0;  // of the basic block
  // What nvcc may make of it: so many requests more where it unrolls the loop around it by four,
  // and so many wavefronts less where it makes one access of neighbouring words.
  std::uint64_t requests_if_unrolled = 0, wavefronts_if_widened = 0;

  place_counts& operator+=(const place_counts& other);
};

/// All launches of one kernel.
struct kernel_counts {
  const void* kernel = nullptr;
  std::string name;
  dim3 grid, block;              // of the first launch
  bool shapes_differ = false;    // not all were like the first
  std::size_t shared_bytes = 0;  // dynamic
  counters total;
  std::vector<place_counts> places;  // with run_options::lines
};

}  // namespace simt
