// What merges and searches refuse of the ranges that they are given, on device and host.
#pragma once

#include <cstddef>
#include <span>

#include "warpfold/columns.hpp"
#include "warpfold/ranges.hpp"
#include "warpfold/status.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

inline constexpr char merge_overlaps[] = "the output of a merge overlaps another of its ranges";
inline constexpr char search_overlaps[] = "the output of a search overlaps another of its ranges";

/// Each output has room for `needed` values, and lies apart from all other ranges.
inline status refuse_outputs(const char* too_short, std::size_t needed,
                             std::span<const column> read, std::span<const column> outputs) {
  for (const column& out : outputs) {
    if (out.count < needed) return {1, too_short, needed, out.count, out.unit};
  }
  for (const column& out : outputs) {
    for (const column& in : read) {
      if (out.meets(in)) return {1, out.overlaps};
    }
    for (const column& other : outputs) {
      if (&other != &out && out.meets(other)) return {1, out.overlaps};
    }
  }
  return {};
}

inline status refuse_items(const column& keys, const column& items) {
  if (keys.count == items.count) return {};
  return {1, "there are not as many items as keys", keys.count, items.count, "items"};
}

/// Two sorted ranges of keys, and a range for both together.
template <values A, values B, values Out>
status refuse_merge(const A& a, const B& b, const Out& out) {
  const column read[] = {{a, "keys"}, {b, "keys"}};
  const column outputs[] = {{out, "keys", merge_overlaps}};
  return refuse_outputs("the output of a merge is too short", read[0].count + read[1].count, read,
                        outputs);
}
/// The same with an item for each key.
template <values A, values AItems, values B, values BItems, values Out, values ItemsOut>
status refuse_merge(const A& a, const AItems& a_items, const B& b, const BItems& b_items,
                    const Out& out, const ItemsOut& items_out) {
  const column read[] = {{a, "keys"}, {b, "keys"}, {a_items, "items"}, {b_items, "items"}};
  const column outputs[] = {{out, "keys", merge_overlaps}, {items_out, "items", merge_overlaps}};
  for (const std::size_t i : {0U, 1U}) {
    if (const status s = refuse_items(read[i], read[2 + i]); !s.ok()) return s;
  }
  return refuse_outputs("the output of a merge is too short", read[0].count + read[1].count, read,
                        outputs);
}

/// Runs of sorted keys, and a range for all.
template <values Keys, values Offsets, values Out>
status refuse_merge_runs(const Keys& keys, const Offsets& offsets, const Out& out) {
  const column read[] = {{keys, "keys"}, {offsets, "offsets"}};
  const column outputs[] = {{out, "keys", merge_overlaps}};
  return refuse_outputs("the output of a merge is too short", read[0].count, read, outputs);
}
/// The same with an item for each key.
template <values Keys, values Items, values Offsets, values Out, values ItemsOut>
status refuse_merge_runs(const Keys& keys, const Items& items, const Offsets& offsets,
                         const Out& out, const ItemsOut& items_out) {
  const column read[] = {{keys, "keys"}, {offsets, "offsets"}, {items, "items"}};
  const column outputs[] = {{out, "keys", merge_overlaps}, {items_out, "items", merge_overlaps}};
  if (const status s = refuse_items(read[0], read[2]); !s.ok()) return s;
  return refuse_outputs("the output of a merge is too short", read[0].count, read, outputs);
}

/// Indices of places among sorted keys, one for each needle.
template <values Keys, values Needles, values... Indices>
status refuse_search(const Keys& keys, const Needles& needles, const Indices&... indices) {
  const column read[] = {{keys, "keys"}, {needles, "needles"}};
  const column outputs[] = {{indices, "indices", search_overlaps}...};
  for (const std::size_t most : {most_indexed<value_of<Indices>>...}) {
    if (read[0].count > most) {
      return {1, "the indices of a search are too narrow for so many keys", read[0].count, most,
              "keys"};
    }
  }
  return refuse_outputs("the output of a search is too short", read[1].count, read, outputs);
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
