#include "tests/library/mpi/traffic.hpp"

#include <utility>

namespace warpfold {
namespace {

traffic counted;

std::uint64_t bytes_of(int count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size);
}
void note(MPI_Comm comm) {
  if (comm == MPI_COMM_WORLD) ++counted.on_world;
}

}  // namespace

traffic take_traffic() { return std::exchange(counted, {}); }

}  // namespace warpfold

using warpfold::bytes_of;
using warpfold::counted;
using warpfold::note;

extern "C" {

int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  note(comm);
  ++counted.reductions;
  counted.reduced_bytes += bytes_of(count, type);
  return PMPI_Allreduce(from, to, count, type, op, comm);
}
int MPI_Exscan(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  note(comm);
  ++counted.scans;
  counted.scanned_bytes += bytes_of(count, type);
  return PMPI_Exscan(from, to, count, type, op, comm);
}
int MPI_Allgather(const void* from, int count, MPI_Datatype type, void* to, int each,
                  MPI_Datatype to_type, MPI_Comm comm) {
  note(comm);
  ++counted.gathers;
  return PMPI_Allgather(from, count, type, to, each, to_type, comm);
}
int MPI_Alltoall(const void* from, int count, MPI_Datatype type, void* to, int each,
                 MPI_Datatype to_type, MPI_Comm comm) {
  note(comm);
  ++counted.all_to_alls;
  return PMPI_Alltoall(from, count, type, to, each, to_type, comm);
}
int MPI_Alltoallw(const void* from, const int* counts, const int* places, const MPI_Datatype* types,
                  void* to, const int* to_counts, const int* to_places,
                  const MPI_Datatype* to_types, MPI_Comm comm) {
  note(comm);
  ++counted.moves;
  int ranks = 0, rank = 0;
  PMPI_Comm_size(comm, &ranks);
  PMPI_Comm_rank(comm, &rank);
  for (int r = 0; r < ranks; ++r) {
    if (r != rank) counted.moved_bytes += bytes_of(counts[r], types[r]);
  }
  return PMPI_Alltoallw(from, counts, places, types, to, to_counts, to_places, to_types, comm);
}

}  // extern "C"
