// Merges, set operations and searches of sorted keys, with types that are known at run time: what
// Python calls.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpfold::erased {

/// Two ranges of keys.
struct two_ranges {
  const void *a, *b;
  std::size_t n, m;
};

/// Of one type T of keys, in ascending order; all run on the host.
struct sorted_calls {
  using set_operation = std::size_t (*)(const two_ranges&, void* out, std::size_t room);

  void (*merge)(const two_ranges&, void* out) = nullptr;
  /// The number of keys written.
  set_operation set_union = nullptr, set_intersection = nullptr, set_difference = nullptr,
                set_symmetric_difference = nullptr;
  /// Of keys a and needles b.
  void (*lower_bound)(const two_ranges&, std::uint64_t* indices) = nullptr;
  void (*upper_bound)(const two_ranges&, std::uint64_t* indices) = nullptr;
};

}  // namespace warpfold::erased
