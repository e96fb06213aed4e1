// In place of the ranks of MPI, in commands that work alone.
#include <fmt/format.h>

#include "cli/command_name.hpp"
#include "cli/files/ranks.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {

extern const command_name this_command;

std::unique_ptr<ranks> join_ranks(const std::vector<std::string>& /*outputs*/) {
  throw usage_error(
      fmt::format("{}: runs in one process; start it without mpirun", this_command.words));
}

}  // namespace warpfold::cli
