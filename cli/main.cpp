// What every command's program begins and ends with.
// Exit codes: 0 ok, 1 a check failed, 2 usage, 3 no usable device, 4 bad data or I/O, 5 internal.
// A signal that a command handled ends the program as that signal does.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "cli/command.hpp"
#include "cli/failure.hpp"
#include "cli/program.hpp"
#include "cli/stop_on_signal.hpp"
#include "data/standard_output.hpp"
#include "warpfold/pipeline.hpp"

namespace {

using warpfold::cli::say;

/// Memory can end where nothing can be thrown: in a destructor, or before main.
[[gnu::constructor(101)]] void say_where_memory_ends() {
  std::set_terminate([] {
    try {
      if (const auto why = std::current_exception()) std::rethrow_exception(why);
    } catch (const std::bad_alloc&) {
      std::_Exit(say(3, "not enough memory"));
    } catch (...) {
    }
    std::abort();
  });
}

/// A file that is opened while 0, 1 or 2 is closed would get that number, and the messages. What
/// takes the place can be neither read nor written, as if it were closed.
bool keep_standard_descriptors() {
  for (const int d : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(d, F_GETFD) >= 0 || errno != EBADF) continue;
    if (::open("/dev/null", O_PATH) != d && ::open("/", O_PATH) != d) return false;
  }
  return true;
}

int run(int argc, char** argv) {
  using warpfold::cli::this_command;
  warpfold::cli::options all("warpfold " + std::string(this_command.words),
                             std::string(this_command.about));
  describe(all);
  return all.run(argc, argv);
}

int become_other(const warpfold::cli::other_program& p, int argc, char** argv) try {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (p.ended) return p.ended(warpfold::cli::run_in_place(p.name, arguments));
  warpfold::cli::become(p.name, arguments);
} catch (const std::exception& e) {
  return p.otherwise.empty() ? say(4, e.what()) : say(3, p.otherwise);
}

}  // namespace

int main(int argc, char** argv) {
  if (!keep_standard_descriptors()) return 4;
  std::signal(SIGXFSZ, SIG_IGN);  // a file that grows beyond `ulimit -f` is an error like others
  try {
    const int code = run(argc, argv);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      return say(4, "could not write to standard output");
    }
    return code;
  } catch (const warpfold::cli::other_program& p) {
    return become_other(p, argc, argv);
  } catch (const warpfold::interrupted&) {
    say(5, "stopped by a signal; no file was written");
    return warpfold::cli::raise_again();
  } catch (const warpfold::data::broken_pipe& e) {
    warpfold::cli::raise_broken_pipe();
    return say(4, e.what());
  } catch (...) {
    return say(warpfold::cli::failure_of(std::current_exception()));
  }
}
