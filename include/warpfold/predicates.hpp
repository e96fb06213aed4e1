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

/// A predicate that holds where the first does not and the second does.
template <class First, class Second>
struct second_alone {
  First first;
  Second second;

  template <class T>
  __host__ __device__ bool operator()(const T& value) const {
    return !first(value) && second(value);
  }
};
template <class First, class Second>
second_alone(First, Second) -> second_alone<First, Second>;
template <class Predicate>
opposite_of(Predicate) -> opposite_of<Predicate>;

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
