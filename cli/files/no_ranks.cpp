#include <chrono>
#include <csignal>
#include <cstring>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/command_name.hpp"
#include "cli/files/ranks.hpp"
#include "cli/launcher.hpp"
#include "cli/program.hpp"
#include "cli/stop_on_signal.hpp"
#include "data/hidden_name.hpp"

namespace warpfold::cli {

extern const command_name this_command;

namespace {

/// Removes what programs left that did not come to their own end, in a process of its own, since
/// this one must end at once: or the launcher finds out in another way. Once in a moment, in which
/// other ranks, who may know of a file, open it, so that they find nothing missing before they are
/// ended; and once when the launcher has ended, by force where it had to, what is on this machine.
void remove_left(const std::vector<std::string>& outputs) {
  const pid_t launcher = ::getppid();
  if (::fork() != 0) return;
  ::setsid();  // the launcher ends groups
  for (const int d : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    ::close(d);  // it waits for these
  const auto remove = [&] {
    for (const auto& path : outputs) {
      if (!path.empty()) data::remove_left_files(path);
    }
  };
  for (int k = 0; k < 50 && ::kill(launcher, 0) == 0; ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    if (k == 2) remove();
  }
  remove();
  ::_exit(0);
}

/// Ends as the rank's program did. Where MPI has ended it, MPI has said why.
int end_like(const ending& end, const std::vector<std::string>& outputs) {
  if (end.signal == 0 && end.code != 1 && end.code <= 5) return end.code;
  if (end.signal != 0 && !end.asked_for) {
    say(4, fmt::format("{}: ended by signal {} ({}); an incomplete output is removed; start again",
                       rank_in_words(), end.signal, ::strsignal(end.signal)));
  }
  remove_left(outputs);
  if (end.signal == 0) return end.code;
  return end.asked_for ? end_by(end.signal) : 4;
}

}  // namespace

std::unique_ptr<ranks> join_ranks(const std::vector<std::string>& outputs) {
  throw other_program{
      program_of(this_command.words) + "-mpi",
      "was started by MPI but built without it: install libopenmpi-dev (or another MPI) and "
      "build again, install warpfold-mpi, or start it without mpirun",
      [outputs](const ending& end) { return end_like(end, outputs); }};
}

}  // namespace warpfold::cli
