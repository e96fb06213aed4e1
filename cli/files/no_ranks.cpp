#include <string>

#include "cli/command_name.hpp"
#include "cli/files/ranks.hpp"
#include "cli/program.hpp"

namespace warpfold::cli {

extern const command_name this_command;

std::unique_ptr<ranks> join_ranks() {
  throw other_program{
      program_of(this_command.words) + "-mpi",
      "was started by MPI, and was built without it: install libopenmpi-dev (or another MPI) and "
      "build again, install warpfold-mpi, or start it without mpirun"};
}

}  // namespace warpfold::cli
