// The reference result of a selection, computed on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ladder/reference/reduce.hpp"

namespace warpfold::ladder {

class select_reference {
 public:
  explicit select_reference(const host_values& values);

  /// Judges `count` kept values, to the bit; in any order, or in that of the input. The verdict
  /// shows their number, or the first wrong one with its index.
  [[nodiscard]] measure::verdict judge(const void* kept, std::uint64_t count, bool any_order) const;

 private:
  value_type type_;
  std::vector<std::byte> kept_;
  std::size_t count_;
};

/// Rung 00: keeps in `kept` the values that are not 0, in their order. Returns their number.
std::size_t select_serial(const host_values& values, void* kept);

}  // namespace warpfold::ladder
