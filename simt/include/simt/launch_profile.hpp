// What launches of one kernel in one shape asked of the device: all that a prediction of their time
// is made of.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "simt/counters.hpp"
#include "simt/vector_types.hpp"

namespace simt {

/// Sectors of 32 bytes by how much other traffic came between two accesses to them: entry i has
/// those with 2^(i-1) to 2^i sectors between, the last one those that nobody had accessed before.
/// How many of them a cache misses follows from its size.
struct reuse_counts {
  std::array<std::uint64_t, 34> by_distance{};

  [[nodiscard]] std::uint64_t total() const;
  /// With a cache of so many bytes.
  [[nodiscard]] double misses(double bytes) const;
  reuse_counts& operator+=(const reuse_counts& other);
};

struct launch_profile {
  std::string kernel;
  dim3 grid, block;
  std::size_t shared_bytes = 0;  // of a block, static and dynamic
  unsigned cluster = 1;
  std::uint64_t launches = 0;
  bool waits = false;  // threads read one word again and again until others write it
  bool launches_kernels = false;

  // Of all launches together.
  counters counted;
  // Warp-wide instructions by the unit that executes them, without memory, barriers and atomics.
  std::uint64_t integers = 0, multiplies = 0, divides = 0, floats = 0, doubles = 0, special = 0,
                shuffles = 0;
  // On the longest way through each block, over all blocks: additions, loads of global memory and
  // loads of shared memory that wait for one another.
  std::uint64_t chain = 0, global_rounds = 0, shared_rounds = 0;
  std::uint64_t global_lines = 0;     // of 128 bytes, in the requests to global memory
  reuse_counts reads, writes;         // beyond a multiprocessor's own cache
  std::uint64_t hottest_atomics = 0;  // on the one sector with the most

  [[nodiscard]] unsigned threads() const { return block.x * block.y * block.z; }
  [[nodiscard]] unsigned warps() const { return (threads() + 31) / 32; }
  [[nodiscard]] std::uint64_t blocks() const { return std::uint64_t{grid.x} * grid.y * grid.z; }
};

}  // namespace simt
