// Which keys of two sorted ranges the set operations keep, on device and host. Of equal keys, m in
// a and n in b, the first min(m, n) of each are pairs:
//
//                  from a          from b
//   union          all             those without a pair
//   intersection   those in pairs  –
//   difference     the others      –
//   symmetric      the others      the others
#pragma once

#include "warpfold/language.hpp"
#include "warpfold/sorted_ranges.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

struct set_union_of {
  static constexpr bool pairs_of_a = true, others_of_a = true, others_of_b = true;
};
struct set_intersection_of {
  static constexpr bool pairs_of_a = true, others_of_a = false, others_of_b = false;
};
struct set_difference_of {
  static constexpr bool pairs_of_a = false, others_of_a = true, others_of_b = false;
};
struct set_symmetric_difference_of {
  static constexpr bool pairs_of_a = false, others_of_a = true, others_of_b = true;
};

inline constexpr char set_overlaps[] = "the output of a set operation overlaps one of its ranges";

template <values A, values B, values Out>
status refuse_set_operation(const A& a, const B& b, const Out& out) {
  const column read[] = {{a, "keys"}, {b, "keys"}};
  const column outputs[] = {{out, "keys", set_overlaps}};
  return refuse_outputs("", 0, read, outputs);
}

/// The same with an item for each key of a, and of b, too, where its keys may be kept.
template <values A, values AItems, values B, values Out, values ItemsOut, values... BItems>
status refuse_set_operation_by_key(const A& a, const AItems& a_items, const B& b,
                                   const Out& keys_out, const ItemsOut& items_out,
                                   const BItems&... b_items) {
  const column read[] = {{a, "keys"}, {b, "keys"}, {a_items, "items"}, {b_items, "items"}...};
  const column outputs[] = {{keys_out, "keys", set_overlaps}, {items_out, "items", set_overlaps}};
  for (std::size_t i = 0; i <= sizeof...(BItems); ++i) {
    if (const status s = refuse_items(read[i], read[2 + i]); !s.ok()) return s;
  }
  return refuse_outputs("", 0, read, outputs);
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
