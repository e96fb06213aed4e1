// Values that a kernel must read (run_options::must_read), and which of them it did.
#pragma once

#include <cstdint>

#include "simt/launch.hpp"
#include "simt/src/check/shadow.hpp"

namespace simt::detail {

/// Which of the values were read, and by which code.
struct read_map {
  explicit read_map(const value_range& of) : range(of), sites(of.count) {}
  value_range range;
  lazy_array<std::uint32_t> sites;  // low halves of code positions; 0: not read

  void note(std::uintptr_t address, unsigned bytes, std::uintptr_t pc);
  [[nodiscard]] bool touches(const region& r) const;
};

}  // namespace simt::detail
