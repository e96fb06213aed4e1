// What launches of one kernel in one shape asked of the device: all that a prediction of their time
// is made of.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
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
  /// With so many others between, from `least` up to `most`.
  [[nodiscard]] double between(double least, double most) const;
  reuse_counts& operator+=(const reuse_counts& other);
};

/// The longest way through a block: what comes one after another there.
struct critical_path {
  std::uint64_t chain = 0;   // additions
  std::uint64_t global = 0;  // loads of global memory
  std::uint64_t shared = 0;  // loads of the multiprocessor's own, shared memory or its cache
  std::uint64_t trips = 0;   // to the device's cache and back: results of atomics
  std::uint64_t barriers = 0, cluster_barriers = 0, fences = 0;

  critical_path& operator+=(const critical_path& o);
  /// Roughly, in cycles: to tell which of two takes longer.
  [[nodiscard]] std::uint64_t length() const {
    return 5 * chain + 30 * shared + 600 * global + 350 * trips + 700 * fences;
  }
};

struct launch_profile {
  std::string kernel;
  dim3 grid, block;
  std::size_t shared_bytes = 0;  // of a block, static and dynamic
  unsigned cluster = 1;
  std::map<int, unsigned> registers;  // of a thread, by capability (90); others are not known
  std::uint64_t launches = 0;
  bool waits = false;  // threads read one word again and again until others write it
  bool launches_kernels = false;

  // Of all launches together.
  counters counted;
  // Warp-wide instructions by the unit that executes them, without memory, barriers and atomics.
  std::uint64_t integers = 0, multiplies = 0, divides = 0, floats = 0, doubles = 0, special = 0,
                shuffles = 0;
  critical_path path;              // of all blocks, one after another
  critical_path last;              // of the longest of those that ended last
  double path_squares = 0;         // of how far blocks' lengths are from their launch's mean
  std::uint64_t skipped = 0;       // accesses of shared memory in a short `if` that no lane entered
  std::uint64_t global_lines = 0;  // of 128 bytes, in the requests to global memory
  reuse_counts reads, writes;      // beyond a multiprocessor's own cache
  // Of 64 bytes, in the requests beyond a multiprocessor's own cache: of loads; of stores; of those
  // that leave a sector half written; and of atomics.
  std::uint64_t read_halves = 0, write_halves = 0, partial_halves = 0, atomic_halves = 0;
  std::uint64_t hottest_atomics = 0;  // on the one sector with the most
  // Sectors that were written before the launches and leave the cache for what these read; nobody
  // counts them: who knows what ran before says so.
  std::uint64_t driven_out = 0;

  [[nodiscard]] unsigned threads() const { return block.x * block.y * block.z; }
  [[nodiscard]] unsigned warps() const { return (threads() + 31) / 32; }
  /// Warp-wide, of all launches; but for what a division by no constant is made of.
  [[nodiscard]] std::uint64_t instructions() const {
    const counters& c = counted;
    return integers + multiplies + floats + doubles + special + shuffles + skipped +
           c.global_load.requests + c.global_store.requests + c.global_atomic.requests +
           c.shared_load.requests + c.shared_store.requests + c.shared_atomic.requests +
           c.remote_shared.requests + c.barriers * warps();
  }
  [[nodiscard]] std::uint64_t blocks() const { return std::uint64_t{grid.x} * grid.y * grid.z; }
};

}  // namespace simt
