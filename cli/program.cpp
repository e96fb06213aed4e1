#include "cli/program.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "warpfold/error.hpp"

namespace warpfold::cli {

namespace {

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (auto& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

/// Has `builder` build the program; ends as it does where it fails, since it has said why.
void build(const char* builder, const std::string& program) {
  std::vector<std::string> words{builder, "program", program};
  const pid_t child = fork();
  if (child == 0) {
    execv(builder, pointers_to(words).data());
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) {
    throw error(std::string(builder) + ": " + std::strerror(errno));
  }
  if (status != 0) std::exit(WIFEXITED(status) ? WEXITSTATUS(status) : 5);
}

/// The program in this one's folder; built, where WARPFOLD_BUILD says by what.
std::filesystem::path path_of(const std::string& program) {
  std::error_code no_proc;
  auto self = std::filesystem::read_symlink("/proc/self/exe", no_proc);
  if (no_proc) self = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  if (const char* builder = std::getenv("WARPFOLD_BUILD")) build(builder, program);
  return self.parent_path() / program;
}

std::vector<std::string> with_name(const std::filesystem::path& path,
                                   std::span<const std::string> arguments) {
  std::vector<std::string> words{path.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

constexpr int not_there = 127;  // the exit code where no program is

/// "warpfold-ladder-reduce" is called as "ladder reduce".
data_error no_program(const std::filesystem::path& path, const std::string& why) {
  std::string words = path.filename().string().substr(std::string_view("warpfold-").size());
  std::replace(words.begin(), words.end(), '-', ' ');
  return data_error(
      path.string() + ": " + why +
      "; each command is a separate program next to warpfold: in a clone `./dev run " + words +
      "` builds it, ./dev install installs them all");
}

std::string read_all(int from) {
  std::string text;
  char buffer[65536];
  for (;;) {
    const ssize_t got = read(from, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(got));
  }
}

/// Runs on its own from here on, but for the parent's end.
[[noreturn]] void run_as_child(pid_t parent, const sigset_t& mask, const char* path,
                               const std::vector<char*>& words) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(128 + SIGTERM);  // it had ended before
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  execv(path, words.data());
  _exit(not_there);
}

}  // namespace

std::string program_of(std::string_view words) {
  std::string name = "warpfold-" + std::string(words);
  for (char& c : name) {
    if (c == ' ') c = '-';
  }
  return name;
}

void become(const std::string& program, std::span<const std::string> arguments) {
  const auto path = path_of(program);
  auto words = with_name(path, arguments);
  execv(path.c_str(), pointers_to(words).data());
  throw no_program(path, std::strerror(errno));
}

ending run_in_place(const std::string& program, std::span<const std::string> arguments) {
  const auto path = path_of(program);
  if (access(path.c_str(), X_OK) != 0) throw no_program(path, std::strerror(errno));
  auto words = with_name(path, arguments);
  const auto pointers = pointers_to(words);
  sigset_t watched, before, passed_on;
  sigemptyset(&watched);
  sigemptyset(&passed_on);
  for (const int s : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGCHLD}) {
    sigaddset(&watched, s);
  }
  std::signal(SIGCHLD, SIG_DFL);  // where it is ignored, children leave nothing to wait for
  sigprocmask(SIG_BLOCK, &watched, &before);
  const pid_t self = getpid(), child = fork();
  if (child == 0) run_as_child(self, before, path.c_str(), pointers);
  if (child < 0) throw error(path.string() + ": " + std::strerror(errno));
  int status = 0;
  while (waitpid(child, &status, WNOHANG) != child) {
    int signal = 0;
    if (sigwait(&watched, &signal) != 0 || signal == SIGCHLD) continue;
    kill(child, signal);
    sigaddset(&passed_on, signal);
  }
  sigset_t waiting;  // what came to both at once, as mpirun sends it, may be seen after the end
  sigpending(&waiting);
  if (WIFSIGNALED(status)) {
    const int by = WTERMSIG(status);
    return {.signal = by,
            .asked_for = sigismember(&passed_on, by) == 1 || sigismember(&waiting, by) == 1};
  }
  if (WEXITSTATUS(status) == not_there) throw no_program(path, "can't be run");
  return {.code = WEXITSTATUS(status)};
}

program_output output_of(const std::string& program, std::span<const std::string> arguments,
                         bool quiet) {
  const auto path = path_of(program);
  auto words = with_name(path, arguments);
  const auto pointers = pointers_to(words);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw error(path.string() + ": " + std::strerror(errno));
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    if (quiet) dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
    execv(path.c_str(), pointers.data());
    _exit(not_there);
  }
  close(ends[1]);
  program_output out{.text = child < 0 ? "" : read_all(ends[0])};
  close(ends[0]);
  int status = 0;
  if (child < 0) throw error(path.string() + ": " + std::strerror(errno));
  while (waitpid(child, &status, 0) != child) {
    if (errno != EINTR) throw error(path.string() + ": " + std::strerror(errno));
  }
  if (!WIFEXITED(status)) throw error(path.string() + " ended by a signal");
  out.code = WEXITSTATUS(status);
  if (out.code == not_there) throw no_program(path, "can't be run");
  return out;
}

}  // namespace warpfold::cli
