// What a rank sends to the others of a reduction or a scan; without MPI itself.
#pragma once

#include <optional>

#include "warpfold/platform.hpp"

namespace warpfold::inline WARPFOLD_MACHINE::mpi_detail {

/// What a rank gives: nothing where it has no values, or word that it failed.
template <class Partial>
struct contribution {
  std::optional<Partial> value{};
  bool failed = false;
};

}  // namespace warpfold::inline WARPFOLD_MACHINE::mpi_detail
