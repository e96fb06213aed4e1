#include "cli/programs/program.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include <sys/wait.h>
#include <unistd.h>

#include "cli/command_name.hpp"
#include "cli/programs/built.hpp"
#include "cli/scratch_folder.hpp"
#include "data/file.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {
extern const command_name this_command;
}  // namespace warpfold::cli

namespace warpfold::cli::programs {

namespace {

namespace fs = std::filesystem;

volatile std::sig_atomic_t running_child = 0;

/// Signals go on to the child, whose end is waited for in any case.
class handing_on {
 public:
  handing_on() {
    struct sigaction action {};
    action.sa_handler = [](int signal) {
      if (running_child != 0) kill(running_child, signal);
    };
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &action, &before_[i]);
  }
  ~handing_on() {
    running_child = 0;
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &before_[i], nullptr);
  }
  handing_on(const handing_on&) = delete;
  handing_on& operator=(const handing_on&) = delete;

 private:
  static constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, signals.size()> before_{};
};

/// 127 and its errno where the file can't be run.
ending run_file(const std::string& file, strings words, const variables& more) {
  std::vector<char*> argv;
  for (auto& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  const handing_on signals;
  const pid_t child = fork();
  if (child == 0) {
    for (const auto& [name, value] : more) setenv(name.c_str(), value.c_str(), 1);
    execv(file.c_str(), argv.data());
    const std::string why = "warpfold: " + file + ": " + std::strerror(errno) + "\n";
    static_cast<void>(!write(STDERR_FILENO, why.data(), why.size()));
    _exit(127);
  }
  if (child < 0) throw data_error(file + ": " + std::strerror(errno));
  running_child = child;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) return {.signal = WTERMSIG(status)};
  return {.code = WEXITSTATUS(status)};
}

std::string contents(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// The one word, if it is a program that simt++ has made; "" where something is to be compiled.
std::string ready_program(const strings& words) {
  if (words.size() != 1) return {};
  const std::string& file = words.front();
  std::error_code none;
  const bool source = fs::path(file).has_extension();
  if (source || !fs::is_regular_file(file, none) || access(file.c_str(), X_OK) != 0) return {};
  if (contents(file).find("SIMT_SCHEDULES") == std::string::npos) {
    throw usage_error(data::in_quotes(file) +
                      " was not built by simt++; give its sources, or build it with simt++");
  }
  return file.find('/') == std::string::npos ? "./" + file : file;
}

void refuse_nothing(const strings& words) {
  const auto is_file = [](const std::string& w) { return !w.starts_with("-"); };
  if (std::any_of(words.begin(), words.end(), is_file)) return;
  throw usage_error(words.empty() ? "a program's sources are missing: warpfold " +
                                        std::string(this_command.words) + " prog.cu"
                                  : "no source among " + words.front() + " …");
}

}  // namespace

std::string driver() {
  std::error_code none;
  const fs::path beside = fs::read_symlink("/proc/self/exe", none).parent_path() / "simt++";
  if (fs::exists(beside, none)) return beside.string();
  if (fs::exists(WARPFOLD_BUILT_DRIVER, none)) return WARPFOLD_BUILT_DRIVER;
  throw error("simt++ is neither at " + beside.string() +
              " nor in the tree that this was built in; install warpfold again");
}

void describe_program(options& to, program_options& o) {
  to.value("-o,--output", o.output, "Write the program to this file");
  to.value("--device", o.device, "The device to model, such as a100");
  to.value("--devices", o.devices, "Number of devices");
  to.value("--limit", o.limit, "Time limit of a launch, in seconds");
  to.value("--stack", o.stack, "Stack of each thread of the device, such as 256K");
  to.value("--report", o.report,
           "The report on all launches: a .html, .json, .sarif or .txt file, or -");
  to.words("sources", o.sources,
           "CUDA, C++ and C sources, and options of nvcc (-I, -D, -O2, -l, ...); or a program that "
           "simt++ has built");
  to.rest("arguments", o.arguments, "The program's arguments");
}

ending run_program(const program_options& o, variables more) {
  for (const auto& [name, value] : variables{{"SIMT_DEVICE", o.device},
                                             {"SIMT_DEVICES", o.devices},
                                             {"SIMT_LIMIT", o.limit},
                                             {"SIMT_STACK", o.stack},
                                             {"SIMT_REPORT", o.report}}) {
    if (!value.empty()) more.emplace_back(name, value);
  }
  refuse_nothing(o.sources);
  if (const std::string ready = ready_program(o.sources); !ready.empty()) {
    strings words{ready};
    words.insert(words.end(), o.arguments.begin(), o.arguments.end());
    return run_file(ready, words, more);
  }
  const scratch_folder scratch;
  const auto source = std::find_if(o.sources.begin(), o.sources.end(),
                                   [](const std::string& w) { return w.ends_with(".cu"); });
  const fs::path named = source != o.sources.end() ? fs::path(*source).stem() : "program";
  const std::string program =
      o.output.empty() ? (scratch.path() / named).string() : fs::absolute(o.output).string();
  strings compile{driver()};
  compile.insert(compile.end(), o.sources.begin(), o.sources.end());
  compile.insert(compile.end(), {"-o", program});
  const ending compiled = run_file(compile.front(), compile, {});
  if (compiled.signal != 0) std::exit(same_ending(compiled));
  if (compiled.code != 0) throw data_error("the program does not compile");
  strings words{program};
  words.insert(words.end(), o.arguments.begin(), o.arguments.end());
  return run_file(program, words, more);
}

int same_ending(const ending& how) {
  if (how.signal == 0) return how.code;
  std::signal(how.signal, SIG_DFL);
  raise(how.signal);
  return 128 + how.signal;
}

}  // namespace warpfold::cli::programs
