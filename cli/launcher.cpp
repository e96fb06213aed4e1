#include "cli/launcher.hpp"

#include <cstdlib>
#include <initializer_list>

namespace warpfold::cli {
namespace {

/// The first of these variables that is set; "" if none is.
std::string first_of(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const char* const value = std::getenv(name)) return value;
  }
  return "";
}

// Open MPI's mpirun, MPICH's and Intel's, MVAPICH's; srun says so where it serves MPI.
std::string size() { return first_of({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"}); }
std::string rank() {
  return first_of({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "PMIX_RANK"});
}

}  // namespace

bool are_ranks() { return size().empty() ? std::getenv("PMIX_RANK") != nullptr : size() != "1"; }

std::string rank_in_words() {
  const std::string all = size().empty() ? first_of({"SLURM_NTASKS"}) : size();
  return "rank " + rank() + (all.empty() ? "" : " of " + all);
}

bool another_rank_speaks() {
  const std::string words = first_of({"OMPI_NUM_APP_CTX"});  // how many command lines there are
  return are_ranks() && rank() != "0" && (words.empty() || words == "1");
}

}  // namespace warpfold::cli
