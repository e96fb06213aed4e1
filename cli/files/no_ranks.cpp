#include <cstring>
#include <string>

#include <fmt/format.h>

#include "cli/command_name.hpp"
#include "cli/files/ranks.hpp"
#include "cli/launcher.hpp"
#include "cli/program.hpp"
#include "data/hidden_name.hpp"

namespace warpfold::cli {

extern const command_name this_command;

std::unique_ptr<ranks> join_ranks(const std::vector<std::string>& outputs) {
  throw other_program{
      program_of(this_command.words) + "-mpi",
      "was started by MPI, and was built without it: install libopenmpi-dev (or another MPI) and "
      "build again, install warpfold-mpi, or start it without mpirun",
      [outputs](int signal) {
        for (const auto& path : outputs) {
          if (!path.empty()) data::remove_left_files(path);
        }
        return say(4,
                   fmt::format("{}: was ended by signal {} ({}); an output that was not complete "
                               "is removed, so start again",
                               rank_in_words(), signal, ::strsignal(signal)));
      }};
}

}  // namespace warpfold::cli
