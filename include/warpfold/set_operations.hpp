// Which keys of two sorted ranges the set operations keep, on device and host. Of equal keys, m in
// a and n in b, the first min(m, n) of each are pairs:
//
//                  from a          from b
//   union          all             those without a pair
//   intersection   those in pairs  –
//   difference     the others      –
//   symmetric      the others      the others
#pragma once

#include <cstddef>

#include "warpfold/language.hpp"
#include "warpfold/sorted_ranges.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

struct set_operation {
  bool pairs_of_a, others_of_a, others_of_b;

  /// How many keys a result has at most.
  [[nodiscard]] constexpr std::size_t most(std::size_t a, std::size_t b) const {
    if (!others_of_a) return a < b ? a : b;
    return others_of_b ? a + b : a;
  }
};
inline constexpr set_operation set_union_of{true, true, true};
inline constexpr set_operation set_intersection_of{true, false, false};
inline constexpr set_operation set_difference_of{false, true, false};
inline constexpr set_operation set_symmetric_difference_of{false, true, true};

inline constexpr char set_overlaps[] = "the output of a set operation overlaps one of its ranges";

template <values A, values B, values Out>
status refuse_set_operation(const A& a, const B& b, const Out& out) {
  const column read[] = {{a, "keys"}, {b, "keys"}};
  const column outputs[] = {{out, "keys", set_overlaps}};
  return refuse_outputs("", 0, read, outputs);
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
