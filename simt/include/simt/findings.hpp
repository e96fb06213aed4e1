// What a checked launch (run_options::check) finds wrong with a kernel, each with both sides' place
// in the source.
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
  unwritten,  // a read of what nobody wrote
};
const char* name_of(finding_kind kind);

enum class memory_space : std::uint8_t { global, shared, remote_shared };
enum class access_type : std::uint8_t { read, write, atomic };

/// One of the accesses that a finding is about.
struct finding_side {
  uint3 block{};
  uint3 thread{};
  unsigned warp = 0;
  access_type what = access_type::read;
  std::string file;  // as the compiler was given it; the function's name if lines are not known
  int line = 0;      // 0: not known
};

/// Reported once for each pair of source places.
struct finding {
  finding_kind kind{};
  memory_space space{};
  std::string kernel;
  finding_side here;          // the access at which it showed
  finding_side other;         // races: the earlier one; else as `here`
  std::size_t bytes = 0;      // of the access
  std::ptrdiff_t offset = 0;  // into the allocation or the block's shared memory
  std::size_t size = 0;       // of the allocation or the block's shared memory
  std::uint64_t count = 1;

  /// How to mend it, in one line.
  [[nodiscard]] std::string mend() const;
  /// All of it, in a few lines for a person.
  [[nodiscard]] std::string text() const;
};

/// Counts `f` with an equal finding of the list, or appends it; a list takes 1024.
void add_finding(std::vector<finding>& list, const finding& f);

}  // namespace simt
