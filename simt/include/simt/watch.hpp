// What a watched launch (run_options::watch) did, step by step: every access with its value, the
// operators applied, the values handed over between lanes. For pictures and tests of small
// launches: everything is kept, a kilobyte for each warp-wide access.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "simt/findings.hpp"

namespace simt {

/// One lane's part of an access.
struct watched_cell {
  std::uintptr_t address = 0;         // in device memory; in shared memory: into the object
  unsigned block = 0;                 // shared memory: whose
  unsigned object = 0;                // and which: 0 the dynamic one, 1, 2, … by first use
  std::array<std::byte, 16> value{};  // a load: what it found; else: there when the step ended
};

/// The n-th visit of a warp's lanes to one place in the code since the step before.
struct watched_access {
  access_type what{};
  memory_space space{};
  unsigned warp = 0;
  unsigned bytes = 0;           // of each lane
  std::uint32_t lanes = 0;      // that took part
  std::uint64_t conflicts = 0;  // shared memory: as counters::memory has them
  std::array<watched_cell, 32> cell{};
};

enum class step_end : std::uint8_t { block_barrier, cluster_barrier, warp_operation, block_end };

/// What one block, or one of its warps, did until its threads met or ended.
struct watched_step {
  unsigned launch = 0;  // of the observe scope, from 0
  std::string kernel;
  unsigned block = 0;            // its number in the grid
  unsigned threads = 0;          // of a block
  std::size_t shared_bytes = 0;  // of its dynamic shared memory
  step_end ended_by{};
  std::string word;                         // "__syncthreads"; empty when the block ended
  std::vector<watched_access> accesses;     // in the order in which the first lanes made them
  std::vector<std::uint32_t> applications;  // by thread: operators that the kernel noted

  /// Of a warp operation: which warp, who came, what each handed over, and whose value each took
  /// (its own, unless the operation is a shuffle).
  unsigned warp = 0;
  std::uint32_t lanes = 0;
  bool exchanges = false;  // values went from lane to lane: a shuffle, a match, a reduction
  std::array<std::uint64_t, 32> handed{};
  std::array<std::uint8_t, 32> source{};
};

}  // namespace simt
