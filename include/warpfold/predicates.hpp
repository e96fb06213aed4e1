// What the library makes of predicates.
#pragma once

#include <cstddef>

#include "warpfold/platform.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// A predicate that holds where another does not.
template <class Predicate>
struct opposite_of {
  Predicate holds;

  template <class T>
  __host__ __device__ bool operator()(const T& value) const {
    return !holds(value);
  }
};
/// 1 where a predicate holds, else 0.
template <class Predicate>
struct counted_by {
  Predicate holds;

  template <class T>
  __host__ __device__ std::size_t operator()(const T& value) const {
    return holds(value) ? 1 : 0;
  }
};

/// Of a partition into three parts, what the second has, and the last.
template <class IsFirst, class IsSecond>
struct second_part {
  IsFirst is_first;
  IsSecond is_second;

  template <class T>
  __host__ __device__ bool operator()(const T& value) const {
    return !is_first(value) && is_second(value);
  }
};
template <class IsFirst, class IsSecond>
second_part(IsFirst, IsSecond) -> second_part<IsFirst, IsSecond>;
template <class IsFirst, class IsSecond>
struct last_part {
  IsFirst is_first;
  IsSecond is_second;

  template <class T>
  __host__ __device__ bool operator()(const T& value) const {
    return !is_first(value) && !is_second(value);
  }
};
template <class IsFirst, class IsSecond>
last_part(IsFirst, IsSecond) -> last_part<IsFirst, IsSecond>;

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
