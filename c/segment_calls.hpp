// Calls on segments, with types and operators that are known at run time: what Python calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "c/warpfold.h"

namespace warpfold::erased {

/// Segment i is values[offsets[i]] to values[offsets[i + 1] - 1].
using segment_offsets = std::span<const std::int64_t>;

/// Of one type T of values; all run on the host, reductions and scans at the level of the place.
struct segment_calls {
  /// One value of T for each segment, from `init`; null: the identity. `op` as reduce's, without
  /// `wide`.
  void (*reduce)(const wf_place&, wf_op, const void* values, std::size_t n, segment_offsets,
                 const void* init, void* out) = nullptr;
  /// The index of the first least, or greatest, value of each segment; 2^64 - 1 of an empty one.
  void (*argmin)(const void* values, std::size_t n, segment_offsets,
                 std::uint64_t* indices) = nullptr;
  void (*argmax)(const void* values, std::size_t n, segment_offsets,
                 std::uint64_t* indices) = nullptr;
  /// In place. `init` is what an exclusive scan starts each segment with; null: the identity.
  void (*scan)(const wf_place&, wf_op, void* values, std::size_t n, segment_offsets, bool exclusive,
               const void* init) = nullptr;
  /// In place.
  void (*sort)(void* keys, std::size_t n, segment_offsets, wf_order) = nullptr;
  void (*argsort)(const void* keys, std::size_t n, segment_offsets, wf_order,
                  std::uint64_t* indices) = nullptr;
};

}  // namespace warpfold::erased
