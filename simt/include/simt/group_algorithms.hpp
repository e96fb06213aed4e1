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
  static_assert(simt::detail::is_moved_by_bytes<T>,
                "a group takes values whose bytes are all there is to them");
  constexpr std::size_t count = (sizeof(T) + 7) / 8;
  std::uint64_t own[count] = {}, all[count][32];
  std::memcpy(own, static_cast<const void*>(&value), sizeof(T));
  for (std::size_t i = 0; i < count; ++i) {
    which &= simt::detail::warp_gather({file, line, simt::detail::intrinsic::reduce}, g.lanes(),
                                       own[i], all[i]);
  }
  T result = value;
  bool first = true;
  for (unsigned rest = which; rest != 0; rest &= rest - 1) {
    const int lane = __ffs(static_cast<int>(rest)) - 1;
    for (std::size_t i = 0; i < count; ++i) own[i] = all[i][lane];
    T v;
    std::memcpy(static_cast<void*>(&v), own, sizeof(T));
    result = first ? v : static_cast<T>(op(result, v));
    first = false;
  }
  return result;
}

/// The same over the ranks in [0, end(rank)) of a tile of several warps; T() where there are none.
template <unsigned Size, class T, class Op, class End>
[[clang::convergent, gnu::always_inline]] inline T reduce_ranks_of(const large_tile<Size>&, T value,
                                                                   Op op, End end, const char* file,
                                                                   int line) {
  return exchange_in_tile({file, line, simt::detail::intrinsic::reduce}, Size, value,
                          [&](auto read, unsigned rank) {
                            const unsigned last = end(rank);
                            T result = last != 0 ? read(0) : T();
                            for (unsigned i = 1; i < last; ++i) {
                              result = static_cast<T>(op(result, read(i)));
                            }
                            return result;
                          });
}

}  // namespace detail

template <class Group, class T, class Op>
T reduce(const Group& g, T value, Op op, const char* file = __builtin_FILE(),
         int line = __builtin_LINE()) {
  if constexpr (std::is_base_of_v<coalesced_group, Group>) {
    return detail::reduce_lanes_of(g, g.lanes(), value, op, file, line);
  } else {
    const unsigned size = g.size();
    return detail::reduce_ranks_of(
        g, value, op, [size](unsigned) { return size; }, file, line);
  }
}
/// Of a cuda::atomic what is there becomes `op` of it and of what the group brings.
template <class Group, class Atomic, class T, class Op>
void reduce_update_async(const Group& g, Atomic& into, T value, Op op,
                         const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  const T reduced = cooperative_groups::reduce(g, value, op, file, line);
  if (g.thread_rank() != 0) return;
  auto seen = into.load();
  while (!into.compare_exchange_weak(seen, op(seen, reduced))) {
  }
}
template <class Group, class Atomic, class T, class Op>
void reduce_store_async(const Group& g, Atomic& into, T value, Op op,
                        const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  const T reduced = cooperative_groups::reduce(g, value, op, file, line);
  if (g.thread_rank() == 0) into.store(reduced);
}
template <class Group, class T, class Op = plus<T>>
T inclusive_scan(const Group& g, T value, Op op = {}, const char* file = __builtin_FILE(),
                 int line = __builtin_LINE()) {
  if constexpr (std::is_base_of_v<coalesced_group, Group>) {
    const unsigned own = 1U << simt::detail::lane_index();
    return detail::reduce_lanes_of(g, g.lanes() & (own | (own - 1)), value, op, file, line);
  } else {
    return detail::reduce_ranks_of(
        g, value, op, [](unsigned rank) { return rank + 1; }, file, line);
  }
}
/// The first of the group gets T().
template <class Group, class T, class Op = plus<T>>
T exclusive_scan(const Group& g, T value, Op op = {}, const char* file = __builtin_FILE(),
                 int line = __builtin_LINE()) {
  if constexpr (std::is_base_of_v<coalesced_group, Group>) {
    const unsigned below = g.lanes() & detail::lanes_below();
    const T reduced =
        detail::reduce_lanes_of(g, below != 0 ? below : g.lanes(), value, op, file, line);
    return below != 0 ? reduced : T();
  } else {
    return detail::reduce_ranks_of(
        g, value, op, [](unsigned rank) { return rank; }, file, line);
  }
}

}  // namespace cooperative_groups
