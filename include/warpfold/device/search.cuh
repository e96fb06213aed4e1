// The searches of a CUDA device: stream-ordered.
//
//   lower_bound(device.on(stream), sorted, needles, indices)         returns at once; a status
//   find_if_into(device.on(stream), values, index, is_wanted)        the same
//   i = find_if(device.on(stream), values, is_wanted)                waits for the index; throws
//
// Calls that return a status never synchronise, need no memory (count_if_into takes a workspace of
// reduce_workspace_bytes) and can be captured in a graph. Keys are sorted in the order of the call,
// as a sort leaves them (NaN is the greatest). A refused call returns a status and writes nothing.
// A predicate is called from many threads, in any order, also for values after the first index.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include "warpfold/device/detail/predicates.cuh"
#include "warpfold/device/detail/refused_calls.cuh"
#include "warpfold/device/detail/requirements.hpp"
#include "warpfold/device/reduce.cuh"
#include "warpfold/device/search/kernel.cuh"
#include "warpfold/device/sort/direct.cuh"
#include "warpfold/sorted_ranges.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

namespace detail {

template <device_place Where, values Keys, values Needles, values Lower, class Less>
status search_sorted(const Where& where, const Keys& keys, const Needles& needles,
                     const status& refused, value_of<Lower>* lower, value_of<Lower>* upper,
                     const Less& less) {
  if (!refused.ok()) return refused;
  using key = value_of<Keys>;
  if (const status s = refuse_bits<key>(less); !s.ok()) return s;
  return search_all(std::ranges::data(keys), std::ranges::size(keys), std::ranges::data(needles),
                    std::ranges::size(needles), lower, upper, order_of_keys<key>(less),
                    where.stream());
}

/// Whether values[i] comes before the one in front of it.
template <class Order>
struct comes_too_late {
  const typename Order::key* values;
  Order order;
  __device__ __forceinline__ bool operator()(std::size_t i) const {
    return i > 0 && order.before(order.encode(values[i]), order.encode(values[i - 1]));
  }
};
template <class T, class Predicate>
struct holds_at {
  const T* values;
  Predicate holds;
  __device__ __forceinline__ bool operator()(std::size_t i) const {
    return static_cast<bool>(holds(values[i]));
  }
};
template <class A, class B, class Equal>
struct differs_at {
  const A* a;
  const B* b;
  Equal equal;
  __device__ __forceinline__ bool operator()(std::size_t i) const { return !equal(a[i], b[i]); }
};

}  // namespace detail

/// indices[i] = the number of sorted keys that come before needles[i]: the first position at which
/// it could be inserted. Indices are integers of 4 or 8 bytes that can count the keys.
template <device_place Where, values Keys, values Needles, sortable Indices,
          no_values Less = ascending>
  requires std::same_as<value_of<Keys>, value_of<Needles>> && index_type<value_of<Indices>>
status lower_bound(const Where& where, const Keys& keys, const Needles& needles, Indices&& indices,
                   Less less = {}) {
  if constexpr (detail::can_sort<Less, Keys, Needles>() && detail::can_write<Indices>()) {
    return detail::search_sorted<Where, Keys, Needles, Indices>(
        where, keys, needles, detail::refuse_search(keys, needles, indices),
        std::ranges::data(indices), nullptr, less);
  } else {
    return {};
  }
}
/// indices[i] = the number of sorted keys that do not come after needles[i]: the last position at
/// which it could be inserted.
template <device_place Where, values Keys, values Needles, sortable Indices,
          no_values Less = ascending>
  requires std::same_as<value_of<Keys>, value_of<Needles>> && index_type<value_of<Indices>>
status upper_bound(const Where& where, const Keys& keys, const Needles& needles, Indices&& indices,
                   Less less = {}) {
  if constexpr (detail::can_sort<Less, Keys, Needles>() && detail::can_write<Indices>()) {
    return detail::search_sorted<Where, Keys, Needles, Indices>(
        where, keys, needles, detail::refuse_search(keys, needles, indices), nullptr,
        std::ranges::data(indices), less);
  } else {
    return {};
  }
}
/// Both, in one launch: the keys that equal needles[i] are those from lower[i] on, below upper[i].
template <device_place Where, values Keys, values Needles, sortable Lower, sortable Upper,
          no_values Less = ascending>
  requires std::same_as<value_of<Keys>, value_of<Needles>> && index_type<value_of<Lower>> &&
           std::same_as<value_of<Lower>, value_of<Upper>>
status equal_range(const Where& where, const Keys& keys, const Needles& needles, Lower&& lower,
                   Upper&& upper, Less less = {}) {
  if constexpr (detail::can_sort<Less, Keys, Needles>() && detail::can_write<Lower>() &&
                detail::can_write<Upper>()) {
    return detail::search_sorted<Where, Keys, Needles, Lower>(
        where, keys, needles, detail::refuse_search(keys, needles, lower, upper),
        std::ranges::data(lower), std::ranges::data(upper), less);
  } else {
    return {};
  }
}

/// Leaves in `*out` the first index whose value comes before its predecessor; the number of values
/// if they are sorted.
template <device_place Where, values In, no_values Less = ascending>
status is_sorted_until_into(const Where& where, const In& in, std::size_t* out, Less less = {}) {
  if constexpr (detail::can_sort<Less, In>()) {
    using key = value_of<In>;
    if (const status s = detail::refuse_bits<key>(less); !s.ok()) return s;
    const auto order = detail::order_of_keys<key>(less);
    return detail::find_first(
        std::ranges::size(in), out,
        detail::comes_too_late<std::remove_const_t<decltype(order)>>{std::ranges::data(in), order},
        where.stream());
  } else {
    return {};
  }
}
/// The same; the index. Throws device_error.
template <device_place Where, values In, no_values Less = ascending>
std::size_t is_sorted_until(const Where& where, const In& in, Less less = {}) {
  return detail::result_of<std::size_t>(
      where, "is_sorted_until", std::ranges::size(in),
      [&](std::size_t* out) { return is_sorted_until_into(where, in, out, less); });
}
/// Whether the values are sorted. Waits for the result; throws device_error.
template <device_place Where, values In, no_values Less = ascending>
bool is_sorted(const Where& where, const In& in, Less less = {}) {
  return is_sorted_until(where, in, std::move(less)) == std::ranges::size(in);
}

/// Leaves in `*out` the index of the first value for which `holds` is true; the number of values if
/// there is none.
template <device_place Where, values In, class Predicate>
status find_if_into(const Where& where, const In& in, std::size_t* out, Predicate holds) {
  if constexpr (detail::can_run<Predicate>()) {
    const auto values = detail::device_view(in);
    return detail::find_first(values.size(), out,
                              detail::holds_at<value_of<In>, Predicate>{values.data(), holds},
                              where.stream());
  } else {
    return {};
  }
}
/// The same; the index. Throws device_error.
template <device_place Where, values In, class Predicate>
std::size_t find_if(const Where& where, const In& in, Predicate holds) {
  return detail::result_of<std::size_t>(
      where, "find_if", std::ranges::size(in),
      [&](std::size_t* out) { return find_if_into(where, in, out, holds); });
}
/// Whether `holds` is true for one of the values. Waits for the result; throws device_error.
template <device_place Where, values In, class Predicate>
bool any_of(const Where& where, const In& in, Predicate holds) {
  return find_if(where, in, std::move(holds)) < std::ranges::size(in);
}
/// Whether it is true for none.
template <device_place Where, values In, class Predicate>
bool none_of(const Where& where, const In& in, Predicate holds) {
  return !any_of(where, in, std::move(holds));
}
/// Whether it is true for all.
template <device_place Where, values In, class Predicate>
bool all_of(const Where& where, const In& in, Predicate holds) {
  return none_of(where, in, detail::opposite_of<Predicate>{holds});
}

/// Leaves in `*out` the number of values for which `holds` is true.
template <device_place Where, values In, class Predicate>
status count_if_into(const Where& where, const In& in, std::size_t* out, Predicate holds) {
  if constexpr (detail::can_run<Predicate>()) {
    return transform_reduce_into(where, in, out, std::size_t{0}, plus{},
                                 detail::counted_by<Predicate>{holds});
  } else {
    return {};
  }
}
/// The same; the number. Throws device_error.
template <device_place Where, values In, class Predicate>
std::size_t count_if(const Where& where, const In& in, Predicate holds) {
  return detail::result_of<std::size_t>(
      where, "count_if", std::ranges::size(in),
      [&](std::size_t* out) { return count_if_into(where, in, out, holds); });
}

/// Leaves in `*out` the first index at which a and b differ; the length of the shorter one if it
/// ends first.
template <device_place Where, values A, values B, class Equal = equal_to>
status mismatch_into(const Where& where, const A& a, const B& b, std::size_t* out,
                     Equal equal = {}) {
  if constexpr (detail::can_run<Equal>()) {
    const auto first = detail::device_view(a);
    const auto second = detail::device_view(b);
    return detail::find_first(
        detail::at_most(first.size(), second.size()), out,
        detail::differs_at<value_of<A>, value_of<B>, Equal>{first.data(), second.data(), equal},
        where.stream());
  } else {
    return {};
  }
}
/// The same; the index. Throws device_error.
template <device_place Where, values A, values B, class Equal = equal_to>
std::size_t mismatch(const Where& where, const A& a, const B& b, Equal equal = {}) {
  return detail::result_of<std::size_t>(
      where, "mismatch", std::ranges::size(a),
      [&](std::size_t* out) { return mismatch_into(where, a, b, out, equal); });
}
/// Whether a and b have the same length and values. Waits for the result; throws device_error.
template <device_place Where, values A, values B, class Equal = equal_to>
bool equal(const Where& where, const A& a, const B& b, Equal equal = {}) {
  const std::size_t n = std::ranges::size(a);
  return n == std::ranges::size(b) && mismatch(where, a, b, std::move(equal)) == n;
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
