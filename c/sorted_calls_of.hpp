// Merges, set operations and searches of sorted keys of one type.
#pragma once

#include <span>

#include "c/sorted_calls.hpp"
#include "c/table_of.hpp"
#include "warpfold/host/merge.hpp"
#include "warpfold/host/search.hpp"
#include "warpfold/host/sets.hpp"

namespace warpfold::erased {

template <class T>
struct host_sorted_calls {
  static std::span<const T> first(const two_ranges& of) {
    return {static_cast<const T*>(of.a), of.n};
  }
  static std::span<const T> second(const two_ranges& of) {
    return {static_cast<const T*>(of.b), of.m};
  }

  static void merge(const two_ranges& of, void* out) {
    warpfold::merge(host, first(of), second(of), std::span(static_cast<T*>(out), of.n + of.m));
  }

  static std::size_t set_union(const two_ranges& of, void* out, std::size_t room) {
    return warpfold::set_union(host, first(of), second(of), std::span(static_cast<T*>(out), room));
  }
  static std::size_t set_intersection(const two_ranges& of, void* out, std::size_t room) {
    return warpfold::set_intersection(host, first(of), second(of),
                                      std::span(static_cast<T*>(out), room));
  }
  static std::size_t set_difference(const two_ranges& of, void* out, std::size_t room) {
    return warpfold::set_difference(host, first(of), second(of),
                                    std::span(static_cast<T*>(out), room));
  }
  static std::size_t set_symmetric_difference(const two_ranges& of, void* out, std::size_t room) {
    return warpfold::set_symmetric_difference(host, first(of), second(of),
                                              std::span(static_cast<T*>(out), room));
  }

  static void lower_bound(const two_ranges& of, std::uint64_t* indices) {
    warpfold::lower_bound(host, first(of), second(of), std::span(indices, of.m));
  }
  static void upper_bound(const two_ranges& of, std::uint64_t* indices) {
    warpfold::upper_bound(host, first(of), second(of), std::span(indices, of.m));
  }

  static constexpr sorted_calls table{
      merge,       set_union,  set_intersection, set_difference, set_symmetric_difference,
      lower_bound, upper_bound};
};

}  // namespace warpfold::erased
