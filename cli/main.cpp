// What every command's program begins and ends with.
// Exit codes: 0 ok, 1 a check failed, 2 usage, 3 no usable device, 4 bad data or I/O, 5 internal.
// A signal that a command handled ends the program as that signal does.
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "cli/command.hpp"
#include "cli/stop_on_signal.hpp"
#include "cli/words.hpp"
#include "simt/error.hpp"
#include "warpfold/error.hpp"
#include "warpfold/pipeline.hpp"

namespace {

int say(int code, std::string_view what) {
  std::fprintf(stderr, "warpfold: %s\n", warpfold::cli::printable(what).c_str());
  return code;
}

int run(int argc, char** argv) {
  using warpfold::cli::this_command;
  warpfold::cli::options all("warpfold " + std::string(this_command.words),
                             std::string(this_command.about));
  describe(all);
  return all.run(argc, argv);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int code = run(argc, argv);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      return say(4, "could not write to standard output");
    }
    return code;
  } catch (const warpfold::interrupted&) {
    say(5, "stopped by a signal; nothing was written");
    return warpfold::cli::raise_again();
  } catch (const warpfold::usage_error& e) {
    return say(2, e.what());
  } catch (const warpfold::device_error& e) {
    return say(3, e.what());
  } catch (const warpfold::data_error& e) {
    return say(4, e.what());
  } catch (const simt::kernel_error& e) {
    std::fprintf(stderr, "warpfold: %s\n", e.what());  // of several lines
    return 1;
  } catch (const std::bad_alloc&) {
    return say(3, "not enough memory; take a smaller --n");
  } catch (const std::exception& e) {
    return say(5, e.what());
  }
}
