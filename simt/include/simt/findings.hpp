// What a checked launch (run_options::check) finds wrong with a kernel, each with its places in the
// source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "simt/vector_types.hpp"

namespace simt {

enum class finding_kind : std::uint8_t {
  race_between_blocks,
  race_between_warps,  // of one block
  race_in_warp,        // right only if warps ran in lockstep, as before Volta
  out_of_bounds,
  misaligned,
  unwritten,            // a read of unwritten memory
  barrier_not_reached,  // by part of the block
  two_barriers,         // of one block at once
  wrong_mask,           // of a warp operation, or a value from a lane outside it
  deadlock,             // threads that wait for each other
  spinning,             // for what nobody does
  order_dependent,      // another order of blocks, warps and lanes, another result
  not_repeatable,       // another result when run again
  never_read,           // a value that must be: observe::expect_read
  bank_conflict,        // run_options::bank_conflicts
  wide_shift,           // by the width of what is shifted, or more
  host_memory,          // a kernel's access to it
  device_memory,        // the host's access to it
  not_freed,            // memory of the device: run_options::leaks
};
const char* name_of(finding_kind kind);

enum class memory_space : std::uint8_t { global, shared, remote_shared };
enum class access_type : std::uint8_t { read, write, atomic, none };

/// One of the places that a finding is about, and a thread there.
struct finding_side {
  uint3 block{};
  uint3 thread{};
  unsigned warp = 0;
  access_type what = access_type::read;
  std::string file;      // as the compiler was given it; the function's name if lines are not known
  int line = 0;          // 0: not known
  int column = 0;        // 0: not known
  std::string doing{};   // where it makes no access: "waits at __syncthreads"
  unsigned threads = 1;  // that do the same there; 0: no thread in particular

  /// "block (0,0,0), thread (1,0,0), warp 0 writes it"
  [[nodiscard]] std::string text() const;
};

/// Reported once for each pair of source places.
struct finding {
  finding_kind kind{};
  memory_space space{};
  std::string kernel;                // "": it is about host code
  finding_side here;                 // the access at which it showed; a thread that can't go on
  finding_side other;                // races: the earlier access; else as `here`
  std::vector<finding_side> more{};  // the threads that `here` waits for, and all that wait too
  std::string object{};              // the allocation or shared object, if its name is known
  std::size_t bytes = 0;             // of the access; 0 where there is none
  std::ptrdiff_t offset = 0;         // into the object, else into the block's shared memory
  std::size_t size = 0;              // of the object, else of the block's shared memory
  std::uint64_t count = 1;
  std::uint64_t seed = 0;    // run_options::seed of the launch
  bool ends_launch = false;  // the kernel could not go on
  std::string detail{};      // more about it, in a line
  bool note = false;         // no mistake where this runs; only observe::notes has such

  /// How to mend it, in one line.
  [[nodiscard]] std::string mend() const;
  /// All of it, in a few lines for a person.
  [[nodiscard]] std::string text() const;
};

/// Counts `f` with an equal finding of the list, or appends it; a list takes 1024.
void add_finding(std::vector<finding>& list, const finding& f);

}  // namespace simt
