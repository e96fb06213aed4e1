// The reference result of a sort, computed on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ladder/reference/reduce.hpp"

namespace warpfold::ladder {

class sort_reference {
 public:
  /// Keeps pointing at the keys.
  sort_reference(const host_values& keys, bool descending);

  /// Judges sorted keys, to the bit, and, where there are any, the values that travelled with them,
  /// which were 0, 1, 2, … in the order of the input: each must stand beside its key, and none be
  /// missing. The verdict shows the first wrong one with its index.
  [[nodiscard]] measure::verdict judge(const void* keys, const std::uint32_t* values) const;

 private:
  host_values keys_;
  std::vector<std::byte> sorted_;
};

/// Rung 00: the standard library's sort.
void sort_serial(const host_values& keys, bool descending, void* sorted);

/// Rung 02: document 002's recursive bitonic sort, for any n.
void sort_recursive(const host_values& keys, bool descending, void* sorted);

}  // namespace warpfold::ladder
