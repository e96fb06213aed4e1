// Exit codes: 0 ok, 1 a check failed, 2 usage, 3 no usable device, 4 bad data or I/O, 5 internal.
// A signal that a command handled ends the program as that signal does.
#include <cstdio>
#include <exception>
#include <new>

#include "cli/commands.hpp"
#include "cli/files/stop_on_signal.hpp"
#include "simt/error.hpp"
#include "warpfold/error.hpp"
#include "warpfold/pipeline.hpp"
#include "warpfold/version.hpp"

namespace {

int say(int code, const char* what) {
  std::fprintf(stderr, "warpfold: %s\n", what);
  return code;
}

int run(int argc, char** argv) {
  CLI::App app("Parallel reduction, scan and sort: every step from the first naive kernel on");
  app.name("warpfold");
  app.set_version_flag("--version", std::string(warpfold::version));
  app.require_subcommand(1);
  app.failure_message([](const CLI::App* a, const CLI::Error& e) {
    return "warpfold: " + std::string(e.what()) + "\nTry '" + a->get_name() + " --help'.\n";
  });
  warpfold::cli::action chosen;
  warpfold::cli::add_bench(app, chosen);
  warpfold::cli::add_reduce(app, chosen);
  warpfold::cli::add_scan(app, chosen);
  warpfold::cli::add_sort(app, chosen);
#if !defined(WARPFOLD_WITHOUT_LADDERS)
  warpfold::cli::add_ladder(app, chosen);
  warpfold::cli::add_steps(app, chosen);
  warpfold::cli::add_doctor(app, chosen);
#endif
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  return chosen();
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
    return say(1, e.what());
  } catch (const std::bad_alloc&) {
    return say(3, "not enough memory; take a smaller --n");
  } catch (const std::exception& e) {
    return say(5, e.what());
  }
}
