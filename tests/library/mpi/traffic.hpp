// Counts what this rank asks of MPI: it stands between the program and MPI's own calls (PMPI).
#pragma once

#include <cstdint>

#include <mpi.h>

namespace warpfold {

struct traffic {
  unsigned reductions = 0, scans = 0, gathers = 0, all_to_alls = 0;  // calls
  unsigned moves = 0;                                                // of rows: MPI_Alltoallw
  std::uint64_t reduced_bytes = 0, scanned_bytes = 0;                // that this rank gives
  std::uint64_t moved_bytes = 0;                                     // to other ranks
  unsigned on_world = 0;  // calls with the program's own communicator
};
/// Since the last call of this.
traffic take_traffic();

}  // namespace warpfold
