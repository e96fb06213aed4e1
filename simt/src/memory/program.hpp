// What belongs to the program itself, beside the memory of the device and the host's heap and
// stacks.
#pragma once

#include <cstdint>
#include <vector>

#include "simt/src/memory/arena.hpp"

namespace simt::detail {

/// The constants and variables of the program and its libraries.
class program_memory {
 public:
  /// Of what is loaded now.
  program_memory();

  /// Whether this address is theirs, or in what the calling thread has of its thread_local ones.
  [[nodiscard]] bool contains(std::uintptr_t address) const;

 private:
  std::vector<extent> parts_;  // by address
  std::size_t thread_local_bytes_ = 0;
};

}  // namespace simt::detail
