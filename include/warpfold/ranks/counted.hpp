// Partials of ranks with their numbers of values: what MPI's operators and NCCL's kernels join.
#pragma once

#include <cstdint>

#include "warpfold/error.hpp"
#include "warpfold/results.hpp"

namespace warpfold::inline WARPFOLD_MACHINE::ranks_detail {

/// A partial of so many values.
template <class Partial>
struct counted {
  std::uint64_t count;
  Partial value;
};

/// Joins what is counted; `join` gets both values and how many the first is of.
template <class Join>
struct join_counted {
  Join join;
  template <class Counted>
  __host__ __device__ Counted operator()(const Counted& a, const Counted& b) const {
    return {a.count + b.count, join(a.value, b.value, a.count)};
  }
};

/// The better of two positions, where b counts from the first value after a's.
template <class Extreme>
struct join_positions {
  template <class T>
  __host__ __device__ position<T> operator()(const position<T>& a, position<T> b,
                                             std::uint64_t before) const {
    b.index += before;
    return better<Extreme>{}(a, b);
  }
};

inline void require_values(const char* name, bool any) {
  if (any) return;
  throw usage_error("warpfold::", name,
                    "(across(…), range) of no values on any rank: call it only where there are "
                    "some");
}

}  // namespace warpfold::inline WARPFOLD_MACHINE::ranks_detail
