// What every command's program begins and ends with.
// Exit codes: 0 ok, 1 a check failed, 2 usage, 3 no usable device, 4 bad data or I/O, 5 internal.
// A signal that a command handled ends the program as that signal does.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "cli/command.hpp"
#include "cli/program.hpp"
#include "cli/stop_on_signal.hpp"
#include "cli/words.hpp"
#include "data/file.hpp"
#include "data/standard_output.hpp"
#include "simt/error.hpp"
#include "warpfold/error.hpp"
#include "warpfold/pipeline.hpp"

namespace {

int say(int code, std::string_view what) {
  std::fprintf(stderr, "warpfold: %s\n", warpfold::cli::printable(what).c_str());
  return code;
}

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

/// The standard library and oneTBB have their own words for it.
bool is_lack_of_threads(const std::exception& e) {
  const auto* const of_system = dynamic_cast<const std::system_error*>(&e);
  return of_system != nullptr ? of_system->code() == std::errc::resource_unavailable_try_again
                              : std::string_view(e.what()).starts_with("pthread_create has failed");
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

int become_other(const std::string& name, int argc, char** argv) try {
  warpfold::cli::become(name, std::vector<std::string>(argv + 1, argv + argc));
} catch (const std::exception& e) {
  return say(5, e.what());
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
    return become_other(p.name, argc, argv);
  } catch (const warpfold::interrupted&) {
    say(5, "stopped by a signal; no file was written");
    return warpfold::cli::raise_again();
  } catch (const warpfold::usage_error& e) {
    return say(2, e.what());
  } catch (const warpfold::device_error& e) {
    return say(3, e.what());
  } catch (const warpfold::data::broken_pipe& e) {
    warpfold::cli::raise_broken_pipe();
    return say(4, e.what());
  } catch (const warpfold::data_error& e) {
    return say(4, e.what());
  } catch (const simt::kernel_error& e) {
    std::fprintf(stderr, "warpfold: %s\n", e.what());  // of several lines
    return 1;
  } catch (const std::bad_alloc&) {
    return say(3,
               "not enough memory; take a smaller --n, or for a file less --memory or --threads");
  } catch (const std::filesystem::filesystem_error& e) {
    return say(4, (warpfold::data::in_quotes(e.path1().string()) + ": " +
                   warpfold::data::reason_of(e.code().value()))
                      .c_str());
  } catch (const std::exception& e) {
    if (std::ferror(stdout) != 0) return say(4, "could not write to standard output");
    if (is_lack_of_threads(e)) {
      return say(
          3,
          "no thread can be started; raise `ulimit -u` or -v, or for a file give fewer --threads");
    }
    return say(5, e.what());
  }
}
