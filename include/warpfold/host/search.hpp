// Searches on the host's threads: lower_bound, upper_bound, equal_range of many needles; find_if,
// count_if, all_of, any_of, none_of, equal, mismatch, is_sorted, is_sorted_until.
//
// Keys are sorted in the order of the call, as a sort leaves them (NaN is the greatest). The result
// is the same for any number of threads, and that of warpfold::device. A predicate is used by
// several threads at the same time, so its operator() is const; it is also called for some values
// after the first index. Its exceptions leave the call. usage_error: indices that are too few, too
// narrow, or overlap what is read; nothing is written then.
#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>

#include "warpfold/host/reduce.hpp"
#include "warpfold/host/sort.hpp"
#include "warpfold/operators.hpp"
#include "warpfold/predicates.hpp"
#include "warpfold/sorted_ranges.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace host_detail {

/// The first of n indices at which test(i) holds; n if it holds at none.
template <class Where, class Test>
std::size_t find_first(const Where& where, std::size_t n, const Test& test) {
  constexpr std::size_t chunk = tuning_of<Where>::merge_share;
  std::atomic<std::size_t> first{n};
  const auto look = [&](std::size_t begin) {
    if (first.load(std::memory_order_relaxed) < begin) return;
    const std::size_t end = std::min(n, begin + chunk);
    std::size_t i = begin;
    while (i < end && !test(i)) ++i;
    if (i == end) return;
    std::size_t so_far = first.load(std::memory_order_relaxed);
    while (i < so_far && !first.compare_exchange_weak(so_far, i, std::memory_order_relaxed)) {
    }
  };
  if (n <= chunk) {
    look(0);
  } else {
    run_on(where,
           [&] { for_each_index((n - 1) / chunk + 1, [&](std::size_t c) { look(c * chunk); }); });
  }
  return first;
}

/// put(i, needles[i]) for each needle, by all threads.
template <class Where, class K, class Put>
void for_each_needle(const Where& where, std::span<const K> needles, const Put& put) {
  constexpr std::size_t chunk = tuning_of<Where>::merge_share;
  const auto look = [&](std::size_t begin) {
    const std::size_t end = std::min(needles.size(), begin + chunk);
    for (std::size_t i = begin; i < end; ++i) put(i, needles[i]);
  };
  if (needles.size() <= chunk) return look(0);
  run_on(where, [&] {
    for_each_index((needles.size() - 1) / chunk + 1, [&](std::size_t c) { look(c * chunk); });
  });
}

template <class Index, class K, class Less>
Index lower_index(std::span<const K> keys, const K& needle, const Less& less) {
  return static_cast<Index>(std::lower_bound(keys.begin(), keys.end(), needle, std::cref(less)) -
                            keys.begin());
}
template <class Index, class K, class Less>
Index upper_index(std::span<const K> keys, const K& needle, const Less& less) {
  return static_cast<Index>(std::upper_bound(keys.begin(), keys.end(), needle, std::cref(less)) -
                            keys.begin());
}

}  // namespace host_detail

/// indices[i] = the number of sorted keys that come before needles[i]: the first position at which
/// it could be inserted. Indices are integers of 4 or 8 bytes that can count the keys.
template <host_place Where, values Keys, values Needles, sortable Indices,
          no_values Less = ascending>
  requires std::same_as<value_of<Keys>, value_of<Needles>> && index_type<value_of<Indices>> &&
           std::predicate<const Less&, const value_of<Keys>&, const value_of<Keys>&>
void lower_bound(Where where, const Keys& keys, const Needles& needles, Indices&& indices,
                 Less less = {}) {
  constexpr const char* call = "warpfold::lower_bound(host, keys, needles, indices)";
  host_detail::check_sort<value_of<Keys>>(call, less);
  host_detail::throw_refused(call, detail::refuse_search(keys, needles, indices));
  using index = value_of<Indices>;
  host_detail::for_each_needle(where, view(needles), [&](std::size_t i, const auto& needle) {
    std::ranges::data(indices)[i] = host_detail::lower_index<index>(view(keys), needle, less);
  });
}
/// indices[i] = the number of sorted keys that do not come after needles[i]: the last position at
/// which it could be inserted.
template <host_place Where, values Keys, values Needles, sortable Indices,
          no_values Less = ascending>
  requires std::same_as<value_of<Keys>, value_of<Needles>> && index_type<value_of<Indices>> &&
           std::predicate<const Less&, const value_of<Keys>&, const value_of<Keys>&>
void upper_bound(Where where, const Keys& keys, const Needles& needles, Indices&& indices,
                 Less less = {}) {
  constexpr const char* call = "warpfold::upper_bound(host, keys, needles, indices)";
  host_detail::check_sort<value_of<Keys>>(call, less);
  host_detail::throw_refused(call, detail::refuse_search(keys, needles, indices));
  using index = value_of<Indices>;
  host_detail::for_each_needle(where, view(needles), [&](std::size_t i, const auto& needle) {
    std::ranges::data(indices)[i] = host_detail::upper_index<index>(view(keys), needle, less);
  });
}
/// Both: the keys that equal needles[i] are those from lower[i] on, below upper[i].
template <host_place Where, values Keys, values Needles, sortable Lower, sortable Upper,
          no_values Less = ascending>
  requires std::same_as<value_of<Keys>, value_of<Needles>> && index_type<value_of<Lower>> &&
           std::same_as<value_of<Lower>, value_of<Upper>> &&
           std::predicate<const Less&, const value_of<Keys>&, const value_of<Keys>&>
void equal_range(Where where, const Keys& keys, const Needles& needles, Lower&& lower,
                 Upper&& upper, Less less = {}) {
  constexpr const char* call = "warpfold::equal_range(host, keys, needles, lower, upper)";
  host_detail::check_sort<value_of<Keys>>(call, less);
  host_detail::throw_refused(call, detail::refuse_search(keys, needles, lower, upper));
  using index = value_of<Lower>;
  host_detail::for_each_needle(where, view(needles), [&](std::size_t i, const auto& needle) {
    std::ranges::data(lower)[i] = host_detail::lower_index<index>(view(keys), needle, less);
    std::ranges::data(upper)[i] = host_detail::upper_index<index>(view(keys), needle, less);
  });
}

/// The first index whose value comes before its predecessor; the number of values if there is none.
template <host_place Where, values In, no_values Less = ascending>
  requires std::predicate<const Less&, const value_of<In>&, const value_of<In>&>
std::size_t is_sorted_until(Where where, const In& in, Less less = {}) {
  host_detail::check_sort<value_of<In>>("warpfold::is_sorted(host, values)", less);
  const auto values = view(in);
  return host_detail::find_first(where, values.size(), [&](std::size_t i) -> bool {
    return i > 0 && less(values[i], values[i - 1]);
  });
}
/// Whether the values are sorted.
template <host_place Where, values In, no_values Less = ascending>
  requires std::predicate<const Less&, const value_of<In>&, const value_of<In>&>
bool is_sorted(Where where, const In& in, Less less = {}) {
  return is_sorted_until(where, in, std::move(less)) == std::ranges::size(in);
}

/// The index of the first value for which `holds` is true; the number of values if there is none.
template <host_place Where, values In, class Predicate>
  requires std::predicate<const Predicate&, const value_of<In>&>
std::size_t find_if(Where where, const In& in, Predicate holds) {
  const auto values = view(in);
  return host_detail::find_first(where, values.size(),
                                 [&](std::size_t i) -> bool { return holds(values[i]); });
}
/// Whether `holds` is true for one of the values.
template <host_place Where, values In, class Predicate>
  requires std::predicate<const Predicate&, const value_of<In>&>
bool any_of(Where where, const In& in, Predicate holds) {
  return find_if(where, in, std::move(holds)) < std::ranges::size(in);
}
/// Whether it is true for none.
template <host_place Where, values In, class Predicate>
  requires std::predicate<const Predicate&, const value_of<In>&>
bool none_of(Where where, const In& in, Predicate holds) {
  return !any_of(where, in, std::move(holds));
}
/// Whether it is true for all.
template <host_place Where, values In, class Predicate>
  requires std::predicate<const Predicate&, const value_of<In>&>
bool all_of(Where where, const In& in, Predicate holds) {
  return none_of(where, in, detail::opposite_of<Predicate>{std::move(holds)});
}

/// The number of values for which `holds` is true.
template <host_place Where, values In, class Predicate>
  requires std::predicate<const Predicate&, const value_of<In>&>
std::size_t count_if(Where where, const In& in, Predicate holds) {
  return transform_reduce(where, in, std::size_t{0}, plus{}, detail::counted_by<Predicate>{holds});
}

/// The first index at which a and b differ; the length of the shorter one if it ends first.
template <host_place Where, values A, values B, class Equal = equal_to>
  requires std::predicate<const Equal&, const value_of<A>&, const value_of<B>&>
std::size_t mismatch(Where where, const A& a, const B& b, Equal equal = {}) {
  const auto first = view(a);
  const auto second = view(b);
  return host_detail::find_first(
      where, std::min(first.size(), second.size()),
      [&](std::size_t i) -> bool { return !equal(first[i], second[i]); });
}
/// Whether a and b have the same length and values.
template <host_place Where, values A, values B, class Equal = equal_to>
  requires std::predicate<const Equal&, const value_of<A>&, const value_of<B>&>
bool equal(Where where, const A& a, const B& b, Equal equal = {}) {
  const std::size_t n = std::ranges::size(a);
  return n == std::ranges::size(b) && mismatch(where, a, b, std::move(equal)) == n;
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
