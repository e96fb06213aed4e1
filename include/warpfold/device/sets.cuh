// The set operations of a CUDA device on two sorted ranges: set_union, set_intersection,
// set_difference, set_symmetric_difference, in one pass over memory. Each call has two forms:
//
//   set_union(device.on(stream).with(memory), a, b, out, selected)   returns at once; a status
//   n = set_union(device.on(stream), a, b, out)                      waits for the number; throws
//
// As in the standard library: of equal keys, m in a and n in b, the union has all of a and then the
// last of b, max(m, n) in all; the intersection the first min(m, n) of a; the difference the last
// of a, those beyond n; the symmetric difference the last |m - n| of the range that has more. Both
// ranges are sorted in the order of the call, as a sort leaves them (NaN is the greatest);
// otherwise the result is undefined. Keys are trivially copyable, of at most 32 bytes.
//
// The first form leaves the number of keys in `*selected`, device memory. It never synchronises and
// can be captured in a graph. With a workspace (set_workspace_bytes) it allocates nothing up to
// 2^23 keys in all, and beyond that 8 bytes of stream-ordered memory for each tile of some thousand
// keys. `out` must not overlap a or b: the call returns a status then and writes nothing. If `out`
// is too short, it is filled, and `*selected` is the number that it should hold; the second form
// throws usage_error then.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include "warpfold/device/detail/refused_calls.cuh"
#include "warpfold/device/detail/requirements.hpp"
#include "warpfold/device/select.cuh"
#include "warpfold/device/sets/kernel.cuh"
#include "warpfold/set_operations.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

/// Bytes of workspace for a set operation on up to n keys of K in all.
template <class K>
constexpr std::size_t set_workspace_bytes(std::size_t n) {
  return detail::set_operation_bytes<K>(n);
}

namespace detail {

template <class A, class B, class Out>
concept same_keys =
    std::same_as<value_of<A>, value_of<Out>> && std::same_as<value_of<B>, value_of<Out>>;

template <class Operation, device_place Where, values A, values B, values Out, class Less>
status operate_on_sets(const Where& where, const A& a, const B& b, Out&& out, std::size_t* selected,
                       Less less) {
  if constexpr (can_sort<Less, A, B>() && can_write<Out>()) {
    using key = value_of<A>;
    static_assert(moves_key<key>, "keys of a set operation have at most 32 bytes");
    if (const status s = refuse_set_operation(a, b, out); !s.ok()) return s;
    return set_operate<Operation>(
        for_cleared(where),
        set_problem<key>{std::ranges::data(a), std::ranges::size(a), std::ranges::data(b),
                         std::ranges::size(b), std::ranges::data(out), std::ranges::size(out),
                         selected, nullptr},
        less);
  } else {
    return {};
  }
}
template <class Operation, device_place Where, values A, values B, values Out, class Less>
std::size_t count_of_sets(const Where& where, const char* name, const A& a, const B& b, Out&& out,
                          Less less) {
  return counted(where, name, std::ranges::size(a) + std::ranges::size(b), std::ranges::size(out),
                 [&](std::size_t* selected) {
                   return operate_on_sets<Operation>(where, a, b, out, selected, less);
                 });
}

}  // namespace detail

/// Keys that are in a or in b.
template <device_place Where, values A, values B, values Out, class Less = ascending>
  requires detail::same_keys<A, B, Out>
status set_union(const Where& where, const A& a, const B& b, Out&& out, std::size_t* selected,
                 Less less = {}) {
  return detail::operate_on_sets<detail::set_union_of>(where, a, b, out, selected, less);
}
/// The same; returns their number.
template <device_place Where, values A, values B, values Out, class Less = ascending>
  requires(detail::same_keys<A, B, Out> && !std::is_pointer_v<Less>)
std::size_t set_union(const Where& where, const A& a, const B& b, Out&& out, Less less = {}) {
  return detail::count_of_sets<detail::set_union_of>(where, "set_union", a, b, out, less);
}

/// Keys of a that are in b, too.
template <device_place Where, values A, values B, values Out, class Less = ascending>
  requires detail::same_keys<A, B, Out>
status set_intersection(const Where& where, const A& a, const B& b, Out&& out,
                        std::size_t* selected, Less less = {}) {
  return detail::operate_on_sets<detail::set_intersection_of>(where, a, b, out, selected, less);
}
/// The same; returns their number.
template <device_place Where, values A, values B, values Out, class Less = ascending>
  requires(detail::same_keys<A, B, Out> && !std::is_pointer_v<Less>)
std::size_t set_intersection(const Where& where, const A& a, const B& b, Out&& out,
                             Less less = {}) {
  return detail::count_of_sets<detail::set_intersection_of>(where, "set_intersection", a, b, out,
                                                            less);
}

/// Keys of a that are not in b.
template <device_place Where, values A, values B, values Out, class Less = ascending>
  requires detail::same_keys<A, B, Out>
status set_difference(const Where& where, const A& a, const B& b, Out&& out, std::size_t* selected,
                      Less less = {}) {
  return detail::operate_on_sets<detail::set_difference_of>(where, a, b, out, selected, less);
}
/// The same; returns their number.
template <device_place Where, values A, values B, values Out, class Less = ascending>
  requires(detail::same_keys<A, B, Out> && !std::is_pointer_v<Less>)
std::size_t set_difference(const Where& where, const A& a, const B& b, Out&& out, Less less = {}) {
  return detail::count_of_sets<detail::set_difference_of>(where, "set_difference", a, b, out, less);
}

/// Keys that are in one of a and b.
template <device_place Where, values A, values B, values Out, class Less = ascending>
  requires detail::same_keys<A, B, Out>
status set_symmetric_difference(const Where& where, const A& a, const B& b, Out&& out,
                                std::size_t* selected, Less less = {}) {
  return detail::operate_on_sets<detail::set_symmetric_difference_of>(where, a, b, out, selected,
                                                                      less);
}
/// The same; returns their number.
template <device_place Where, values A, values B, values Out, class Less = ascending>
  requires(detail::same_keys<A, B, Out> && !std::is_pointer_v<Less>)
std::size_t set_symmetric_difference(const Where& where, const A& a, const B& b, Out&& out,
                                     Less less = {}) {
  return detail::count_of_sets<detail::set_symmetric_difference_of>(
      where, "set_symmetric_difference", a, b, out, less);
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
