// cooperative_groups::reduce and scans, for tiles and coalesced groups.
#pragma once

#include <type_traits>

#include "simt/groups.hpp"

namespace cooperative_groups {

#define SIMT_OPERATOR(name, expression)                               \
  template <class T = void>                                           \
  struct name {                                                       \
    T operator()(const T& a, const T& b) const { return expression; } \
  };
SIMT_OPERATOR(plus, a + b)
SIMT_OPERATOR(less, b < a ? b : a)
SIMT_OPERATOR(greater, a < b ? b : a)
SIMT_OPERATOR(bit_and, a& b)
SIMT_OPERATOR(bit_or, a | b)
SIMT_OPERATOR(bit_xor, a ^ b)
#undef SIMT_OPERATOR

namespace detail {

/// The reduction, in order of rank, over the lanes of `which`; `which` is not empty.
template <class T, class Op>
[[clang::convergent, gnu::always_inline]] inline T reduce_lanes_of(const coalesced_group& g,
                                                                   unsigned which, T value, Op op,
                                                                   const char* file, int line) {
  std::uint64_t all[32];
  which &= simt::detail::warp_gather({file, line, simt::detail::intrinsic::reduce}, g.lanes(),
                                     simt::detail::to_bits(value), all);
  T result = value;
  bool first = true;
  for (unsigned rest = which; rest != 0; rest &= rest - 1) {
    const T v = simt::detail::from_bits<T>(all[__ffs(static_cast<int>(rest)) - 1]);
    result = first ? v : op(result, v);
    first = false;
  }
  return result;
}

}  // namespace detail

template <class Group, class T, class Op>
T reduce(const Group& g, T value, Op op, const char* file = __builtin_FILE(),
         int line = __builtin_LINE()) {
  static_assert(std::is_base_of_v<coalesced_group, Group>,
                "reduce works on tiles and coalesced groups");
  return detail::reduce_lanes_of(g, g.lanes(), value, op, file, line);
}
template <class Group, class T, class Op = plus<T>>
T inclusive_scan(const Group& g, T value, Op op = {}, const char* file = __builtin_FILE(),
                 int line = __builtin_LINE()) {
  const unsigned own = 1U << simt::detail::lane_index();
  return detail::reduce_lanes_of(g, g.lanes() & (own | (own - 1)), value, op, file, line);
}
/// The first of the group gets T().
template <class Group, class T, class Op = plus<T>>
T exclusive_scan(const Group& g, T value, Op op = {}, const char* file = __builtin_FILE(),
                 int line = __builtin_LINE()) {
  const unsigned below = g.lanes() & detail::lanes_below();
  const T reduced =
      detail::reduce_lanes_of(g, below != 0 ? below : g.lanes(), value, op, file, line);
  return below != 0 ? reduced : T();
}

}  // namespace cooperative_groups
