// Values of a rank's rows by their numbers among all ranks' rows: what aggregates of groups read.
#pragma once

#include <cstdint>

#include "warpfold/platform.hpp"

namespace warpfold::inline WARPFOLD_MACHINE::ranks_detail {

/// Of a rank with so many rows before its own; `read` numbers them from 0.
template <class Read>
struct read_of_rank {
  const Read& read;
  std::uint64_t before;
  template <class Aggregate>
  __host__ __device__ typename Aggregate::value_type operator()(const Aggregate& a,
                                                                std::uint64_t index) const {
    return read(a, index - before);
  }
};

}  // namespace warpfold::inline WARPFOLD_MACHINE::ranks_detail
