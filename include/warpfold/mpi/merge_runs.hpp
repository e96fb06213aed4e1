// Many sorted runs, one behind the other, to one: in pairs, by all threads of the host.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "warpfold/host/detail/merge_runs.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace mpi_detail {

/// Merges the runs [bounds[i], bounds[i + 1]) of `from`; of equal keys, those of the first run come
/// first. Returns whether the rows are in `spare` at the end. `bounds` is used up.
template <class Where, class Rows, class Less>
bool merge_runs(const Where& where, Rows from, Rows spare, std::vector<std::size_t> bounds,
                const Less& less) {
  bool in_spare = false;
  host_detail::leave_out_empty_runs(bounds);
  while (bounds.size() > 2) {
    host_detail::merge_pairs(where, from, spare, bounds, less);
    std::swap(from, spare);
    in_spare = !in_spare;
  }
  return in_spare;
}

}  // namespace mpi_detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
